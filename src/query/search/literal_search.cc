#include "query/search/literal_search.h"

#include <cstddef>
#include <cstring>
#include <functional>

namespace steno::query {
namespace {

constexpr std::size_t kSeldom = 4;  // one of so many strings may have it

// From the first byte of the strings to after the last, if they lie one after the other with little between them.
std::string_view extent_of(std::span<const std::string_view> strings) {
  constexpr std::less<> kBefore;  // of any two pointers
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t bytes = 0;
  for (const std::string_view s : strings) {
    if (s.empty()) continue;
    if (begin == nullptr) begin = end = s.data();
    if (kBefore(s.data(), end)) return {};
    end = s.data() + s.size();
    bytes += s.size();
  }
  const auto extent = static_cast<std::size_t>(end - begin);
  return extent / 2 <= bytes ? std::string_view(begin, extent) : std::string_view();
}

}  // namespace

bool find_literal(std::string_view literal, std::span<const std::string_view> strings, std::span<std::uint8_t> found) {
  const std::string_view all = extent_of(strings);
  if (all.empty()) return false;
  const char* const end = all.data() + all.size();
  const char* at = all.data();
  std::size_t i = 0;
  std::size_t count = 0;
  for (;;) {
    const void* const hit = ::memmem(at, static_cast<std::size_t>(end - at), literal.data(), literal.size());
    if (hit == nullptr) return true;
    const auto* const begin = static_cast<const char*>(hit);
    while (strings[i].empty() || strings[i].data() + strings[i].size() <= begin) ++i;  // one of them ends after it
    const char* const string_end = strings[i].data() + strings[i].size();
    const bool inside = begin >= strings[i].data() && begin + literal.size() <= string_end;
    if (inside) found[i] = 1;
    if (++count * kSeldom > strings.size()) return false;
    at = inside ? string_end : begin + 1;
  }
}

}  // namespace steno::query
