// list strings: items with a separator between them (file.md §9.6.4).
#include "format/codecs/string_lists.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/thread_end.h"
#include "format/block.h"
#include "format/codecs/list_strings.h"
#include "format/codecs/sized_part.h"
#include "format/codecs/text_tokens.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnown = 64;                       // columns whose separators are known
constexpr std::size_t kLeastLength = 24;                     // of the strings, on average
constexpr std::size_t kSample = 96;                          // strings by which separators are found
constexpr std::size_t kMostLooked = 4096;                    // bytes of each of them
constexpr std::size_t kLeastItems = 3;                       // of two strings, on average
constexpr std::size_t kMostTried = 2;                        // separators
constexpr std::size_t kTrial = 2048;                         // strings of a large column for which each is tried first
constexpr std::size_t kLeastAlike = 3;                       // items that begin alike, so that they are of one kind
constexpr std::size_t kMostDecoded = std::size_t{16} << 20;  // of the memory of a decoded column

// What is known of the last columns of one argument.
struct KnownList {
  CodecTrial trial;
  std::string separator;

  void forget() { *this = {}; }
};

}  // namespace

struct StringScratch::Lists {
  KnownColumns<KnownList, kMostKnown> known;
  std::vector<std::uint32_t> counts;
  std::vector<StringRef> items;
};

namespace {

StringScratch::Lists& lists_of(StringScratch& scratch) {
  return made(scratch.lists);
}

KnownList& known_of(StringScratch& scratch) {
  return lists_of(scratch).known.of(scratch.column);
}

// Calls take(item) for each item of a string, front to back.
template <class Take>
void for_each_item(std::string_view s, std::string_view separator, const Take& take) {
  for (;;) {
    const auto* const at = static_cast<const char*>(::memmem(s.data(), s.size(), separator.data(), separator.size()));
    if (at == nullptr) return take(s);
    const auto size = static_cast<std::size_t>(at - s.data());
    take(s.substr(0, size));
    s.remove_prefix(size + separator.size());
  }
}

using Sample = std::vector<std::string_view>;

// Whether the strings have several items, not always as many, that are mostly of the same few kinds: those that have
// the same first word.
bool are_lists(const Sample& sample, std::string_view separator) {
  std::unordered_map<std::string_view, std::size_t> kinds;
  std::size_t items = 0;
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;
  for (const std::string_view s : sample) {
    std::size_t count = 0;
    for_each_item(s, separator, [&](std::string_view item) {
      std::size_t begin = 0;
      while (begin < item.size() && !is_letter(item[begin])) ++begin;
      std::size_t end = begin;
      while (end < item.size() && is_letter(item[end])) ++end;
      ++kinds[item.substr(0, end)];
      ++count;
    });
    items += count;
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (least == most || 2 * items < kLeastItems * sample.size()) return false;
  std::size_t alike = 0;
  for (const auto& [kind, count] : kinds) alike += count >= kLeastAlike ? count : 0;
  return 3 * alike >= 2 * items;
}

// What comes most often between the words of strings that are lists by it.
std::vector<std::string> find_separators(const StringSource& source) {
  Sample sample;
  for (std::size_t k = 0; k < kSample; ++k) {
    const StringRef s = source.at(source.count * k / kSample);
    if (!s.is_null()) sample.push_back(s.view().substr(0, kMostLooked));
  }
  if (sample.size() < kSample / 2) return {};
  std::unordered_map<std::string_view, std::size_t> marks;
  for (const std::string_view s : sample) {
    for (std::size_t at = 0, end; at < s.size(); at = end) {
      const bool letter = is_letter(s[at]);
      end = at + 1;
      while (end < s.size() && is_letter(s[end]) == letter) ++end;
      if (!letter && end - at <= kMaxSeparator && s.substr(at, end - at) != " ") ++marks[s.substr(at, end - at)];
    }
  }
  std::vector<std::pair<std::size_t, std::string_view>> often;
  for (const auto& [mark, count] : marks) {
    if (2 * (count + sample.size()) >= kLeastItems * sample.size()) often.emplace_back(count, mark);
  }
  std::sort(often.rbegin(), often.rend());
  std::vector<std::string> separators;
  for (const auto& [count, mark] : often) {
    if (separators.size() < kMostTried && are_lists(sample, mark)) separators.emplace_back(mark);
  }
  return separators;
}

// Cuts all strings, and sees how long the longest is. False: they take too much memory.
bool cut(const StringSource& source, std::string_view separator, StringScratch::Lists& own, std::size_t* longest) {
  own.counts.clear();
  own.items.clear();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    bytes += s.bytes();
    *longest = std::max(*longest, s.bytes());
    const std::size_t first = own.items.size();
    if (!s.is_null()) {
      for_each_item(s.view(), separator, [&own](std::string_view item) {
        own.items.push_back(
            {reinterpret_cast<const std::uint8_t*>(item.data()), static_cast<std::uint32_t>(item.size())});
      });
    }
    own.counts.push_back(static_cast<std::uint32_t>(own.items.size() - first));
    if (bytes + kItemBytes * own.items.size() > kMaxPayload) return false;
  }
  return true;
}

// Appends the column, codec byte not included. False: it takes too much memory.
bool append_lists(const StringSource& source, std::string_view separator, StringScratch& scratch, ByteBuffer& out) {
  StringScratch::Lists& own = lists_of(scratch);
  std::size_t longest = 0;
  if (separator.empty() || !cut(source, separator, own, &longest)) return false;
  out.put_varint(longest);
  out.put_varint(separator.size());
  out.put_bytes(separator.data(), separator.size());
  append_sized_ints(own.counts, *scratch.ints, out);
  const WithinColumn within(scratch, kWithinLists);
  append_sized_part(own.items, kItemsPart, encode_strings, scratch, out);
  return true;
}

bool encode(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  return append_lists(source, known_of(scratch).separator, scratch, out);
}

// Whether some of the strings do not tell that the column would be much larger than `size`.
bool may_pay(const StringSource& source, std::string_view separator, std::size_t size, StringScratch& scratch,
             ByteBuffer& out) {
  if (source.count < 2 * kTrial) return true;
  std::vector<StringRef> some;
  for (std::size_t k = 0; k < kTrial; ++k) some.push_back(source.at(source.count * k / kTrial));
  const std::size_t start = out.size();
  const ColumnPart part(scratch, kSamplePart);
  const bool done = append_lists(StringSource::of(some), separator, scratch, out);
  const std::size_t all = (out.size() - start) * source.count / kTrial;
  out.truncate(start);
  return done && all <= size + size / 2;  // more strings take less each
}

// By the separator that makes them smallest. False: by none.
bool append_smallest(const std::vector<std::string>& separators, KnownList& known, const StringSource& source,
                     StringScratch& scratch, ByteBuffer& out) {
  const std::size_t start = out.size();
  std::string best;
  for (const std::string& separator : separators) {
    const std::size_t at = out.size();
    known.separator = separator;
    const bool done = append_column(kListStringCodec, source, scratch, out);
    const std::size_t size = out.size() - at;
    if (done && (best.empty() || size < at - start)) {
      std::memmove(out.data() + start, out.data() + at, size);
      out.truncate(start + size);
      best = separator;
    } else {
      out.truncate(at);
    }
  }
  known.separator = best;
  return !best.empty();
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  if ((place.within & ~kWithinShared) != 0) return false;
  ListColumn& column = of_thread<ListColumn>();  // keeps its memory; none are within others
  const bool good = column.read(in, n, place) && column.read_items() && column.put_together(arena, out);
  if (column.bytes_held() > kMostDecoded) column = {};
  return good;
}

}  // namespace

TrialUse list_use(const StringSource& source, StringScratch& scratch) {
  if (!may_be_tried(source, scratch, kWithinAny, kLeastLength)) return TrialUse::kNo;
  return use_in_time(known_of(scratch).trial, source, scratch);
}

void compare_with_lists(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out) {
  KnownList& known = known_of(scratch);
  std::vector<std::string> separators;
  if (known.separator.empty()) {
    separators = find_separators(source);
    const std::size_t size = out.size() - start;
    std::erase_if(separators, [&](const std::string& s) { return !may_pay(source, s, size, scratch, out); });
  } else {
    separators.push_back(known.separator);
  }
  const auto append = [&] { return append_smallest(separators, known, source, scratch, out); };
  known.trial.compare_in_time(start, 8, append, out);
  if (!known.trial.pays()) known.separator.clear();
}

const StringCodec kListStringCodec{CodecId::kListStrings, "list_strings", encode, decode};

}  // namespace steno::format
