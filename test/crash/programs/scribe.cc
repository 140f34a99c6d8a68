// `steno scribe FILE` in small, for the variant of the library that can be killed at its kill points. Ends when it is
// killed.
#include <cstdio>

#include "live/external_scribe.h"

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  steno::live::ExternalScribeOptions options;
  options.paths = {argv[1]};
  options.attach.warn = [](const std::string& what) { printf("%s\n", what.c_str()); };
  steno::live::ExternalScribe(std::move(options)).run([] { return false; });
  return 0;
}
