#include <steno/reader.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto log = steno::LogReader::open({argv[1]});
  if (!log.ok()) {
    std::fprintf(stderr, "reader: %s\n", log.status().message().c_str());
    return 1;
  }
  log->for_each([](const steno::Record& record) {
    std::printf("%.*s\n", static_cast<int>(record.message().size()), record.message().data());
    return true;
  });
  return log->losses().empty() ? 0 : 1;
}
