// A program that passes types of the C++ library.
#include <steno/log.h>
#include <steno/session.h>

int main() {
  steno::Options options;
  options.path = "modes.steno";
  if (!steno::start(options)) return 1;
  STENO_INFO("hello");
}
