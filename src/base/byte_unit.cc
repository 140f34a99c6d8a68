#include "base/byte_unit.h"

#include "base/ascii.h"

namespace steno {

std::uint64_t byte_unit(std::string_view unit) {
  constexpr std::string_view kPrefixes = "kmgt";
  const auto takes = [&unit](char letter) {
    if (unit.empty() || lower(unit[0]) != letter) return false;
    unit.remove_prefix(1);
    return true;
  };
  std::uint64_t bytes = 1;
  for (std::size_t i = 0; i < kPrefixes.size(); ++i) {
    if (!takes(kPrefixes[i])) continue;
    bytes <<= 10 * (i + 1);
    if (takes('i')) return takes('b') && unit.empty() ? bytes : 0;
    break;
  }
  takes('b');
  return unit.empty() ? bytes : 0;
}

}  // namespace steno
