#include "format/shown_columns.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "format/codecs/shown_bytes.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastStrings = 64;  // of a column
constexpr std::size_t kSample = 24;        // strings that are looked at
constexpr std::size_t kLeastShown = 4;     // characters of a string: fewer may be so by chance
constexpr std::size_t kMostTried = 64;     // characters of a string, that a writer looks for
constexpr std::array<std::string_view, 6> kTails = {"", "|", "]", "'", "\"", "<"};

std::string_view view_of(const StringRef& s) {
  return {reinterpret_cast<const char*>(s.data), s.bytes()};
}

// How many characters before the tail show bytes, of the string itself or, if it is not nullptr, of another; 0: none.
// As many as the last one had are tried first.
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

void ShownColumns::begin(std::size_t columns) {
  columns_.assign(columns, {});
}

bool ShownColumns::may_be_other(std::size_t other, std::size_t k) const {
  return other != k && other < columns_.size() && columns_[other].is_known && !columns_[other].is_shown;
}

// Where most of some strings have their digits, and what comes after their characters. False: most show nothing.
bool ShownColumns::find(std::size_t k, Known* known) const {
  const StringSource& strings = columns_[k].strings;
  std::size_t most = kSample / 2;
  bool found = false;
  for (std::size_t other = 0; other <= columns_.size(); ++other) {
    if (other != 0 && !may_be_other(other - 1, k)) continue;
    for (const std::string_view tail : kTails) {
      std::size_t shown = 0;
      std::size_t last = 0;
      for (std::size_t i = 0; i < kSample; ++i) {
        const std::size_t at = strings.count * i / kSample;
        const std::string_view digits = other != 0 ? view_of(columns_[other - 1].strings.at(at)) : std::string_view();
        const std::size_t count = count_shown(view_of(strings.at(at)), other != 0 ? &digits : nullptr, tail, last);
        shown += count != 0 ? 1 : 0;
        last = count;
      }
      if (shown <= most) continue;
      most = shown;
      found = true;
      known->other = other;
      known->tail = tail;
    }
  }
  return found;
}

bool ShownColumns::append(std::size_t k, const Known& known, const StringContext& context, ByteBuffer& out) {
  const StringSource& strings = columns_[k].strings;
  fronts_.resize(strings.count);
  characters_.resize(strings.count);
  std::size_t shown = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < strings.count; ++i) {
    const StringRef s = strings.at(i);
    const std::string_view digits =
        known.other != 0 ? view_of(columns_[known.other - 1].strings.at(i)) : std::string_view();
    const std::size_t count =
        s.is_null() ? 0 : count_shown(view_of(s), known.other != 0 ? &digits : nullptr, known.tail, last);
    fronts_[i] = s;
    characters_[i] = static_cast<std::uint32_t>(count);
    if (count == 0) continue;
    fronts_[i].size -= static_cast<std::uint32_t>(count + known.tail.size());
    last = count;
    ++shown;
  }
  if (shown * 2 < strings.count) return false;
  append_shown({known.other, known.tail, fronts_, characters_}, context, out);
  return true;
}

void ShownColumns::note(std::size_t k, const Known& known) {
  columns_[k].is_shown = true;
  if (known.other != 0) columns_[known.other - 1].is_other = true;
}

bool ShownColumns::append_again(std::size_t k, std::uint64_t key, const StringSource& strings,
                                const StringContext& context, ByteBuffer& out) {
  current_ = nullptr;
  columns_[k].strings = strings;
  columns_[k].is_known = true;
  if (key == 0 || strings.count < kLeastStrings || columns_[k].is_other) return false;
  Known& known = known_.of(key);
  const TrialUse use = use_in_time(known.trial, strings.count, context);
  if (use == TrialUse::kCompare) current_ = &known;
  if (use != TrialUse::kFirst || (known.other != 0 && !may_be_other(known.other - 1, k))) return false;
  const std::size_t start = out.size();
  if (append(k, known, context, out)) {
    note(k, known);
    return true;
  }
  out.truncate(start);
  known.forget();
  return false;
}

void ShownColumns::replace(std::size_t k, std::size_t start, const StringContext& context, ByteBuffer& out) {
  constexpr std::size_t kShare = 8;
  if (current_ == nullptr) return;
  // What is not found is as if it had been larger.
  const bool found = find(k, current_);
  const auto append_found = [&] { return found && append(k, *current_, context, out); };
  current_->trial.compare(start, kShare, append_found, out);
  if (is_shown({out.data() + start, out.size() - start})) note(k, *current_);
}

}  // namespace steno::format
