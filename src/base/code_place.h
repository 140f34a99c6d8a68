// Finds the file and offset of an address of code. For crash handlers: nothing here allocates, locks or calls the
// dynamic linker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steno {

struct CodePlace {
  std::uint64_t address = 0;
  std::string_view module = "?";  // the file's path; "?": of no file
  std::uint64_t offset = 0;  // in the module as its ELF file counts, which is what addr2line takes; else the address
  bool executable = false;   // memory that may be executed
};

// Finds places by /proc/self/maps. Large: not for the stack of a handler. Not thread-safe.
class CodePlaces {
 public:
  // Completes `places`, whose addresses are given. Modules are valid until clear(). Reads the headers of modules in
  // memory: a file that was cut short since is a SIGBUS, for which the caller has to be ready; close() is to follow
  // then. False: /proc cannot be read.
  bool locate(CodePlace* places, std::size_t count);
  void close();
  void clear() { names_size_ = 0; }

 private:
  struct Mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    bool readable = false;
    bool executable = false;
    std::string_view path;
  };

  static bool parse(std::string_view line, Mapping* mapping);
  void take(const Mapping& mapping, CodePlace* places, std::size_t count);
  std::string_view keep(std::string_view path);

  static constexpr std::size_t kMostLine = 4096 + 128;
  int fd_ = -1;
  Mapping first_;  // of the module whose mappings come now; its path is in path_
  std::size_t path_size_ = 0;
  std::size_t names_size_ = 0;
  char line_[2 * kMostLine];
  char path_[kMostLine];
  char names_[std::size_t{1} << 14];
};

}  // namespace steno
