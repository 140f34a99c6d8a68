// A stream for check_pyarrow.py, which has no C++.
#include <cstdio>

#include "steno/reader.h"

// `statement` empty: the log. Fills *stream and returns 0, or says why not.
extern "C" __attribute__((visibility("default"))) int steno_test_stream(const char* path, const char* statement,
                                                                        const char* where, int dictionaries,
                                                                        ArrowArrayStream* stream) {
  auto log = steno::LogReader::open({path});
  if (!log.ok()) return std::fprintf(stderr, "%s\n", log.status().message().c_str()), 1;
  steno::BatchOptions options;
  options.statement = statement;
  if (!options.statement.empty()) options.shape = steno::BatchOptions::Shape::kStatement;
  options.where = where;
  options.dictionary_strings = dictionaries != 0;
  options.max_rows = 1000;
  const steno::Status status = log->stream(options, stream);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message().c_str()), 1;
  return 0;
}
