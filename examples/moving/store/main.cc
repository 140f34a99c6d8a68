// Fills a store, whose log goes to a file.
//   store LOG
#include <cstdio>
#include <string>

#include "store.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: store LOG\n");
    return 2;
  }
  const auto log = store::NewLogger(argv[1]);
  if (log == nullptr) {
    std::perror(argv[1]);
    return 1;
  }
  store::Store store(*log);
  for (int i = 0; i < 2000; ++i) {
    store.Put("key" + std::to_string(i * 7919 % 1500), std::string(static_cast<std::size_t>(i % 50), 'v'));
  }
  std::string value;
  for (int i = 1490; i < 1510; ++i) store.Get("key" + std::to_string(i), &value);
}
