// hexadecimal strings: one layout, and the bytes that each string has there as digits (file.md §9.6.3).
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/digit_values.h"
#include "base/thread_end.h"
#include "format/known_columns.h"
#include "format/strings/hex/column.h"
#include "format/strings/symbols/table.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnown = 64;                       // columns whose layouts are known
constexpr std::size_t kLeastBytes = 8;                       // of a layout: numbers of fewer have shapes
constexpr std::size_t kSample = 24;                          // strings by which a layout is found
constexpr std::size_t kSeldom = 8;                           // one of so many may have another layout
constexpr std::size_t kMostDecoded = std::size_t{16} << 20;  // of the memory of a decoded column

bool is_digit(std::uint8_t c) {
  return kHexDigits[c] != kNoDigit;
}

// Facts about the last columns of one argument, or of one part of it.
struct KnownHex {
  CodecTrial trial;
  HexLayout layout;  // without places: none was found
  // Words of eight characters of the layout's text, the rest of the last 0: those that are no digits, and 0xFF at their
  // places.
  std::vector<std::uint64_t> texts, masks;

  void forget() { *this = {}; }
  [[nodiscard]] bool set(std::string_view text, std::span<const std::uint16_t> places, bool upper);
  // Returns whether a string has the texts of the layout, and may end where it does.
  bool has_texts(const StringRef& s) const;
};

bool KnownHex::set(std::string_view text, std::span<const std::uint16_t> places, bool upper) {
  if (!layout.set(text, places, upper)) return false;
  texts.assign(text.size() / 8 + 1, 0);
  masks.assign(texts.size(), 0);
  std::vector<std::uint8_t> mask(text.size(), 0xFF);
  for (const std::uint16_t place : places) mask[place] = mask[place + 1u] = 0;
  std::memcpy(texts.data(), text.data(), text.size());
  std::memcpy(masks.data(), mask.data(), mask.size());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] &= masks[i];
  return true;
}

bool KnownHex::has_texts(const StringRef& s) const {
  const std::size_t size = s.size;
  if (size > layout.text().size() || !layout.may_end_at(size)) return false;
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < size / 8; ++i) differ |= (load<std::uint64_t>(s.data + 8 * i) & masks[i]) ^ texts[i];
  std::uint64_t rest = 0;
  std::memcpy(&rest, s.data + size / 8 * 8, size % 8);
  const std::uint64_t used = (std::uint64_t{1} << 8 * (size % 8)) - 1;
  return (differ | (((rest & masks[size / 8]) ^ texts[size / 8]) & used)) == 0;
}

struct HexTrials {
  KnownColumns<KnownHex, kMostKnown> known;
  HexRows rows;
};

KnownHex& known_of(const StringContext& context) {
  return context.memory->of<HexTrials>().known.of(context.column);
}

using Sample = std::vector<std::string_view>;

Sample sample_of(const StringSource& source) {
  Sample sample;
  for (std::size_t k = 0; k < kSample; ++k) {
    const StringRef s = source.at(source.count * k / kSample);
    if (!s.is_null()) sample.push_back(s.view());
  }
  return sample;
}

// One of those whose length is the most frequent one. Requires that there are some.
std::string_view typical_of(const Sample& sample) {
  const auto frequency = [&](std::string_view one) {
    return std::count_if(sample.begin(), sample.end(), [&](std::string_view s) { return s.size() == one.size(); });
  };
  return *std::max_element(sample.begin(), sample.end(),
                           [&](std::string_view a, std::string_view b) { return frequency(a) < frequency(b); });
}

// Returns whether `is` holds for the characters at this place in nearly all of the strings that are long enough to have
// it.
template <class Is>
bool mostly(const Sample& sample, std::size_t place, const Is& is) {
  std::size_t some = 0;
  std::size_t good = 0;
  for (const std::string_view s : sample) {
    if (place >= s.size()) continue;
    ++some;
    good += is(static_cast<std::uint8_t>(s[place])) ? 1 : 0;
  }
  return (some - good) * kSeldom <= some;
}

// Digits that follow one another are bytes if their number is even; else they must be the same in nearly all strings.
bool find_layout(const StringSource& source, KnownHex* known) {
  const Sample sample = sample_of(source);
  if (sample.size() < kSample / 2) return false;
  const std::string_view text = typical_of(sample);
  if (text.size() > kMaxHexLayout) return false;
  std::vector<std::uint16_t> places;
  std::size_t lower = 0;
  std::size_t upper = 0;
  for (std::size_t at = 0, end; at < text.size(); at = std::max(end, at + 1)) {
    end = at;
    while (end < text.size() && mostly(sample, end, is_digit)) ++end;
    if ((end - at) % 2 != 0) {
      for (std::size_t i = at; i < end; ++i) {
        const auto same = [&](std::uint8_t c) { return c == static_cast<std::uint8_t>(text[i]); };
        if (!mostly(sample, i, same)) return false;
      }
      continue;
    }
    for (; at < end; at += 2) places.push_back(static_cast<std::uint16_t>(at));
  }
  if (places.size() < kLeastBytes) return false;
  for (const std::uint16_t place : places) {
    for (const std::string_view s : sample) {
      if (s.size() <= place + 1u) continue;
      for (const char c : {s[place], s[place + 1u]}) {
        lower += c >= 'a' ? 1 : 0;
        upper += c >= 'A' && c < 'a' ? 1 : 0;
      }
    }
  }
  return known->set(text, places, upper > lower);
}

// Takes all strings apart. False: too many are others.
bool take_apart(const StringSource& source, const KnownHex& known, HexRows* rows) {
  const auto& digits = known.layout.upper() ? kUpperHexDigits : kLowerHexDigits;
  const std::uint16_t* const places = known.layout.places().data();
  rows->codes.clear();
  rows->bytes.clear();
  rows->others.clear();
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    bool good = !s.is_null() && known.has_texts(s);
    if (good) {
      const std::size_t count = known.layout.bytes_before(s.size);
      std::uint8_t* const bytes = rows->bytes.reserve(count);
      unsigned all = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const unsigned high = digits[s.data[places[k]]];
        const unsigned low = digits[s.data[places[k] + 1]];
        all |= high | low;
        bytes[k] = static_cast<std::uint8_t>(high << 4 | low);
      }
      good = all < 16;
      if (good) {
        const bool same = count > 1 && std::memcmp(bytes, bytes + 1, count - 1) == 0;
        rows->bytes.commit(same ? 1 : count);
        rows->codes.push_back(hex_row(s.size, same));
        continue;
      }
    }
    rows->codes.push_back(kOtherHexRow);
    rows->others.push_back(s);
    if (rows->others.size() * kSeldom > source.count) return false;
  }
  return true;
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  HexRows& rows = context.memory->of<HexTrials>().rows;
  KnownHex& known = known_of(context);
  const bool again = !known.layout.places().empty() && take_apart(source, known, &rows);
  if (!again && !(find_layout(source, &known) && take_apart(source, known, &rows))) return false;
  append_hex(known.layout, rows, context, out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  HexColumn& column = of_thread<HexColumn>();  // keeps its memory; none are within others
  const bool good = column.read(in, place) && column.read_rows(n);
  if (good) column.put_together(arena, out);
  if (column.bytes_held() > kMostDecoded) column = {};
  return good;
}

CodecTrial& trial_of(const StringContext& context) {
  return known_of(context).trial;
}

std::size_t most_bytes(const OpenedColumn& column) {
  return kMaxHexLayout + column.body.remaining() * kMaxSymbolSize;  // those with the layout, and the others
}

}  // namespace

const StringCodec kHexStringCodec{.id = CodecId::kHexStrings,
                                  .name = "hex_strings",
                                  .may_be_within = within_bit(CodecId::kSharedStrings),
                                  .form = ColumnForm::kBytes,
                                  .trial = {.stage = CodecStage::kWholes,
                                            .known = trial_of,
                                            .share = SIZE_MAX,  // they are as quick to read as any
                                            .least_length = 16,
                                            .brisk = false},
                                  .encode = encode,
                                  .decode = decode,
                                  .most_bytes = most_bytes};

}  // namespace steno::format
