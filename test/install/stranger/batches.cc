#include <steno/reader.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto log = steno::LogReader::open({argv[1]});
  if (!log.ok()) return 1;
  steno::BatchOptions options;
  options.columns = {"message"};
  options.where = "level >= TRACE";
  const steno::Status status = log->for_each_batch(options, [](const steno::Batch& batch) {
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      const std::string_view message = batch.columns()[0].text(i);
      std::printf("%.*s\n", static_cast<int>(message.size()), message.data());
    }
  });
  return status.ok() ? 0 : 1;
}
