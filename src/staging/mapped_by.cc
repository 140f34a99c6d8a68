#include "staging/mapped_by.h"

#include <charconv>
#include <fstream>
#include <string>

namespace steno::staging {

int count_mappings(std::uint32_t pid, ino_t inode, std::string_view name) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  int count = 0;
  // "7f0c1000-7f0c2000 rw-s 00000000 00:1a 1234   /dev/shm/steno-0/77-0123456789abcdef/session (deleted)"
  for (std::string line; std::getline(maps, line);) {
    std::size_t at = 0;
    for (int column = 0; column < 4 && at != std::string::npos; ++column) at = line.find(' ', at + 1);
    if (at == std::string::npos) continue;
    std::uint64_t found = 0;
    std::from_chars(line.data() + at + 1, line.data() + line.size(), found);
    if (found != inode) continue;
    std::string_view path(line);
    if (constexpr std::string_view kDeleted = " (deleted)"; path.ends_with(kDeleted))
      path.remove_suffix(kDeleted.size());
    if (path.ends_with(name)) ++count;
  }
  return count;
}

}  // namespace steno::staging
