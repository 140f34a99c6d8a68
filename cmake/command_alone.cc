// A program that needs of RE2 and the C++ library what the command needs: cmake/StenoCommandAlone.cmake tries to link
// it.
#include <re2/re2.h>

#include <iostream>

int main(int argc, char** argv) {
  const RE2 pattern(argc > 1 ? argv[1] : "a+");
  std::cout << RE2::PartialMatch("aa", pattern) << '\n';
}
