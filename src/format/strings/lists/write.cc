// list strings: items with a separator between them (file.md §9.6.4).
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/thread_end.h"
#include "format/block.h"
#include "format/known_columns.h"
#include "format/strings/lists/read.h"
#include "format/strings/sized_part.h"
#include "format/strings/words/tokens.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnown = 64;                       // columns whose separators are known
constexpr std::size_t kSample = 96;                          // strings by which separators are found
constexpr std::size_t kMostLooked = 4096;                    // bytes of each of them
constexpr std::size_t kLeastItems = 3;                       // of two strings, on average
constexpr std::size_t kMostTried = 2;                        // separators
constexpr std::size_t kTrial = 2048;                         // strings of a large column for which each is tried first
constexpr std::size_t kLeastAlike = 3;                       // items that begin alike, so that they are of one kind
constexpr std::size_t kMostDecoded = std::size_t{16} << 20;  // of the memory of a decoded column

// Facts about the last columns of one argument.
struct KnownList {
  CodecTrial trial;
  std::vector<std::string> separators;  // by which it is cut; some, where it is about to be compared

  void forget() { *this = {}; }
};

struct Lists {
  KnownColumns<KnownList, kMostKnown> known;
  std::vector<std::uint32_t> counts;
  std::vector<StringRef> items;
};

KnownList& known_of(const StringContext& context) {
  return context.memory->of<Lists>().known.of(context.column);
}

CodecTrial& trial_of(const StringContext& context) {
  return known_of(context).trial;
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

// Returns whether the strings have several items, not always as many, that are mostly of the same few kinds: a kind is
// the items with the same first word.
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

// The separators that come most often between the words of strings that are lists by them.
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
bool cut(const StringSource& source, std::string_view separator, Lists& own, std::size_t* longest) {
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
bool append_lists(const StringSource& source, std::string_view separator, const StringContext& context,
                  ByteBuffer& out) {
  auto& own = context.memory->of<Lists>();
  std::size_t longest = 0;
  if (!cut(source, separator, own, &longest)) return false;
  out.put_varint(longest);
  out.put_varint(separator.size());
  out.put_bytes(separator.data(), separator.size());
  append_sized_ints(own.counts, context.ints(), out);
  append_sized_strings(own.items, encode_strings, context.inside(CodecId::kListStrings).part(kItemsPart), out);
  return true;
}

// By the separator that makes them smallest.
bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  KnownList& known = known_of(context);
  const std::size_t start = out.size();
  std::string best;
  for (const std::string& separator : known.separators) {
    const std::size_t at = out.size();
    const bool done = append_lists(source, separator, context, out);
    const std::size_t size = out.size() - at;
    if (done && (best.empty() || size < at - start)) {
      std::memmove(out.data() + start, out.data() + at, size);
      out.truncate(start + size);
      best = separator;
    } else {
      out.truncate(at);
    }
  }
  if (!best.empty()) known.separators = {best};
  return !best.empty();
}

// Returns whether the column may pay: false if, by a sample of the strings, it would be much larger than `size`.
bool may_pay(const StringSource& source, std::string_view separator, std::size_t size, const StringContext& context,
             ByteBuffer& out) {
  if (source.count < 2 * kTrial) return true;
  std::vector<StringRef> some;
  for (std::size_t k = 0; k < kTrial; ++k) some.push_back(source.at(source.count * k / kTrial));
  const std::size_t start = out.size();
  const bool done = append_lists(StringSource::of(some), separator, context.part(kSamplePart), out);
  const std::size_t all = (out.size() - start) * source.count / kTrial;
  out.truncate(start);
  return done && all <= size + size / 2;  // more strings take less each
}

void prepare(const StringSource& source, std::size_t size, const StringContext& context, ByteBuffer& out) {
  KnownList& known = known_of(context);
  if (known.trial.pays()) return;
  known.separators = find_separators(source);
  std::erase_if(known.separators, [&](const std::string& s) { return !may_pay(source, s, size, context, out); });
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  ListColumn& column = of_thread<ListColumn>();  // keeps its memory; none are within others
  const bool good = column.read(in, n, place) && column.read_items() && column.put_together(arena, out);
  if (column.bytes_held() > kMostDecoded) column = {};
  return good;
}

// The bound that the column claims, which is checked where it is decoded.
std::size_t most_bytes(const OpenedColumn& column) {
  ByteReader in = column.body;
  return in.get_varint();
}

}  // namespace

const StringCodec kListStringCodec{.id = CodecId::kListStrings,
                                   .name = "list_strings",
                                   .may_be_within = within_bit(CodecId::kSharedStrings),
                                   .form = ColumnForm::kItems,
                                   .trial = {.stage = CodecStage::kLists,
                                             .known = trial_of,
                                             .share = 8,  // they take longer to read
                                             .least_length = 24,
                                             .takes_long = true,
                                             .prepare = prepare},
                                   .encode = encode,
                                   .decode = decode,
                                   .most_bytes = most_bytes};

}  // namespace steno::format
