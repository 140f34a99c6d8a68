#include "format/shown_columns.h"
#include "format/without.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace steno::format {
namespace {

constexpr std::size_t kLeastStrings = 64;  // of a column
constexpr std::size_t kSample = 24;        // strings that are looked at
constexpr std::size_t kLeastShown = 4;     // characters of a string: fewer may be so by chance
constexpr std::size_t kMostTried = 64;     // characters of a string, that a writer looks for
constexpr std::array<std::string_view, 6> kTails = {"", "|", "]", "'", "\"", "<"};

// How many characters before the tail show bytes, of the string itself or, if it is not nullptr, of another; 0: none.
// It tries first as many as the last string had.
std::size_t count_shown(std::string_view string, const std::string_view* other, std::string_view tail,
                        std::size_t last) {
  if (string.size() < tail.size() + kLeastShown || !string.ends_with(tail)) return 0;
  const std::string_view rest = string.substr(0, string.size() - tail.size());
  const auto shows = [&](std::size_t count) {
    if (count < kLeastShown || count > rest.size()) return false;
    const std::size_t front = rest.size() - count;
    return shows_bytes(other != nullptr ? *other : rest.substr(0, front), rest.substr(front));
  };
  if (shows(last)) return last;
  for (std::size_t count = std::min(rest.size(), kMostTried); count >= kLeastShown; --count) {
    if (shows(count)) return count;
  }
  return 0;
}

}  // namespace

bool ShownStringsOfBytes::may_follow(std::span<const StringSource> sources, std::size_t k, const StringContext&) {
  return sources[k].count >= kLeastStrings && !is_left_out(kShownName);
}

bool ShownStringsOfBytes::find(std::span<const StringSource> sources, std::size_t k, std::size_t,
                               std::span<const std::size_t> others, Way* way) {
  const StringSource& strings = sources[k];
  std::size_t most = kSample / 2;
  bool found = false;
  // `other`: nullptr: their own digits.
  const auto look = [&](const StringSource* other, std::size_t number) {
    for (const std::string_view tail : kTails) {
      std::size_t shown = 0;
      std::size_t last = 0;
      for (std::size_t i = 0; i < kSample; ++i) {
        const std::size_t at = strings.count * i / kSample;
        const std::string_view digits = other != nullptr ? other->at(at).view() : std::string_view();
        const std::size_t count = count_shown(strings.at(at).view(), other != nullptr ? &digits : nullptr, tail, last);
        shown += count != 0 ? 1 : 0;
        last = count;
      }
      if (shown <= most) continue;
      most = shown;
      found = true;
      *way = {number, std::string(tail)};
    }
  };
  look(nullptr, 0);
  for (const std::size_t other : others) look(&sources[other], other + 1);
  return found;
}

bool ShownStringsOfBytes::append(std::span<const StringSource> sources, std::size_t k, const Way& way,
                                 const StringContext& context, ByteBuffer& out) {
  const StringSource& strings = sources[k];
  fronts_.resize(strings.count);
  characters_.resize(strings.count);
  std::size_t shown = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < strings.count; ++i) {
    const StringRef s = strings.at(i);
    const std::string_view digits = way.other != 0 ? sources[way.other - 1].at(i).view() : std::string_view();
    const std::size_t count =
        s.is_null() ? 0 : count_shown(s.view(), way.other != 0 ? &digits : nullptr, way.tail, last);
    fronts_[i] = s;
    characters_[i] = static_cast<std::uint32_t>(count);
    if (count == 0) continue;
    fronts_[i].size -= static_cast<std::uint32_t>(count + way.tail.size());
    last = count;
    ++shown;
  }
  if (shown * 2 < strings.count) return false;
  append_shown({way.other, way.tail, fronts_, characters_}, context, out);
  return true;
}

}  // namespace steno::format
