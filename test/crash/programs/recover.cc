// `steno recover FILE` in small, for the variant of the library that can be killed at its kill points.
#include <cstdio>
#include <string>
#include <vector>

#include "live/recover.h"

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  std::vector<std::string> problems;
  for (const auto& done : steno::live::recover_for(argv[1], steno::live::Search::kMarked, {}, {}, &problems)) {
    printf("%llu records into %s\n", static_cast<unsigned long long>(done.records), done.path.c_str());
  }
  for (const std::string& problem : problems) printf("%s\n", problem.c_str());
  return problems.empty() ? 0 : 1;
}
