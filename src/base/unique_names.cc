#include "base/unique_names.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace steno {

void make_unique(std::vector<std::string>& names) {
  std::unordered_set<std::string> used(names.begin(), names.end());
  std::unordered_map<std::string, std::uint32_t> seen;
  for (std::string& name : names) {
    std::uint32_t& count = seen[name];
    if (++count == 1) continue;
    std::string candidate;
    do {
      candidate = name + "_" + std::to_string(count);
    } while (!used.insert(candidate).second && ++count != 0);
    name = std::move(candidate);
  }
}

}  // namespace steno
