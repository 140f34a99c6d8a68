#include <steno/log.h>
#include <steno/session.h>

#include <string>
#include <thread>

void greet(const std::string& who);

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  steno::Options options;
  options.path = argv[1];
  if (!steno::start(options)) return 1;
  STENO_INFO("a stranger logs {count} things", 3);
  STENO_WARNF("in printf syntax: %5.2f %s", 2.5, "percent");
  std::thread([] { greet("world"); }).join();
}
