// Columns: arbitrary bytes into every decoder, and arbitrary values through encoder and decoder. Input: a byte that
// chooses which, a byte for the type, u16 the number of values, then the column's bytes, or the values.
#include "format/column_values.h"
#include "format/ints/column.h"
#include "format/ints/wide_column.h"
#include "format/strings/codec.h"
#include "fuzz_input.h"

namespace steno {
namespace {

using fuzz::require;
using namespace format;

constexpr char kTypes[] = "bcasilhtjmfdpuwE";

IntType type_of(std::uint8_t byte) {
  return IntType::of(static_cast<ArgType>(kTypes[byte % (sizeof kTypes - 1)]));
}

// A dictionary that columns may refer to, number 1, in which one string is lost.
class Shared final : public SharedDictionaries {
 public:
  std::span<const std::string_view> strings_of(std::uint64_t dictionary) const override {
    static constexpr std::string_view kStrings[] = {"alpha", kMissingString, "", "omega"};
    return dictionary == 1 ? std::span(kStrings) : std::span<const std::string_view>();
  }
};

// A column that is left packed says the same, and what is known of its strings is so.
void check_packed(ByteReader in, std::size_t n, const StringPlace& place, bool good,
                  std::span<const std::string_view> strings) {
  ColumnValues values;
  require(decode_string_values(in, n, place, PackedStrings::kAny, &values) == good, "both ways see damage");
  if (!good) return;
  if (values.form == StringForm::kShapes) {
    for (const std::uint32_t at : values.shaped.places()) {
      const std::size_t shape = at % (1u << ShapedStrings::kShapeBits);
      require(at >> ShapedStrings::kShapeBits < values.shaped.counts()[shape], "a place is one of its shape");
    }
    values.strings.resize(n);
    values.shaped.put_together(&values.arena, values.strings.data());
    values.facts = values.arena.facts();
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view s = values.form == StringForm::kCodes ? values.table[values.ints[i]] : values.strings[i];
    require(s == strings[i] && (s.data() == nullptr) == (strings[i].data() == nullptr), "strings are the same");
    require(s.data() != nullptr || values.facts.has_null, "there may be a null");
    require(s.size() <= values.facts.longest, "none is longer than is said");
    if (!values.facts.has_slack || s.data() == nullptr) continue;
    for (std::size_t k = 0; k < kStringSlack; ++k) sum += static_cast<unsigned char>(s.data()[s.size() + k]);
  }
  require(sum != UINT64_MAX, "slack is readable");
}

void decode(unsigned what, std::uint8_t type_byte, std::size_t n, ByteReader in) {
  if (what == 0) {
    const IntType type = type_of(type_byte);
    Zone zone;
    const bool zoned = read_zone(in, type, n, &zone);
    std::vector<std::uint64_t> values(n);
    if (!decode_ints(in, type, n, 0, values.data())) return;
    for (const std::uint64_t value : values) require(type.extend(value) == value, "values are extended");
    if (zoned) require(type.extend(zone.least) == zone.least, "zones are extended");
  } else if (what == 1) {
    std::vector<std::string_view> strings(n);
    StringArena arena;
    const Shared shared;
    const ByteReader packed = in;
    const bool good = decode_strings(in, n, {.shared = &shared}, &arena, strings.data());
    check_packed(packed, n, {.shared = &shared}, good, strings);
    if (!good) return;
    std::uint64_t sum = 0;
    for (const std::string_view text : strings) {
      for (std::size_t i = 0; i < text.size() && i < 64; ++i) sum += static_cast<unsigned char>(text[i]);
      if (!text.empty()) sum += static_cast<unsigned char>(text.back());
    }
    require(sum != UINT64_MAX, "strings are readable");
  } else {
    std::vector<std::uint8_t> bytes(n * kWideSize);
    (void)decode_wide(in, n, bytes.data());
  }
}

void round_trip_ints(std::uint8_t type_byte, IntHint hint, ByteReader in) {
  const IntType type = type_of(type_byte);
  const std::size_t n = in.remaining() / type.bytes;
  if (n == 0) return;
  const std::uint8_t* bytes = in.take(n * type.bytes);
  // Arrays of 4 and 8 bytes a value must be aligned.
  std::vector<std::uint64_t> aligned(n + 1);
  std::memcpy(aligned.data(), bytes, n * type.bytes);
  IntScratch scratch;
  ByteBuffer out;
  encode_ints({type, n, reinterpret_cast<const std::byte*>(aligned.data()), nullptr}, hint, scratch, out);
  const fuzz::Exact column(out.data(), out.size());
  ByteReader back(column.data(), column.size());
  std::vector<std::uint64_t> values(n);
  require(decode_ints(back, type, n, 0, values.data()) && back.at_end(), "what is encoded decodes");
  Zone zone;
  const bool zoned = read_zone(ByteReader(column.data(), column.size()), type, n, &zone);
  const auto flip = order_flip<std::uint64_t>(type);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + i * type.bytes, type.bytes);
    require(values[i] == type.extend(value), "values come back");
    if (!zoned) continue;
    require((values[i] ^ flip) >= (zone.least ^ flip) && (values[i] ^ flip) <= (zone.greatest ^ flip),
            "values lie in their zone");
  }
}

// Strings are cut out of the input by a length byte each; 255 is a null pointer.
void round_trip_strings(int zstd_level, ByteReader in) {
  // Encoders may read 16 bytes before a string: those of its record's header.
  std::vector<std::uint8_t> bytes(16);
  std::vector<std::uint32_t> sizes;
  while (!in.at_end()) {
    const auto size = in.get<std::uint8_t>();
    if (size == 255) {
      sizes.push_back(kNullString);
      continue;
    }
    const std::size_t n = std::min<std::size_t>(size, in.remaining());
    const std::uint8_t* p = in.take(n);
    bytes.insert(bytes.end(), p, p + n);
    sizes.push_back(static_cast<std::uint32_t>(n));
  }
  if (sizes.empty()) return;
  std::vector<StringRef> refs;
  std::size_t at = 16;
  for (const std::uint32_t size : sizes) {
    refs.push_back({bytes.data() + at, size});
    at += size == kNullString ? 0 : size;
  }
  IntScratch ints;
  StringMemory memory(ints);
  StringContext context(memory);
  context.zstd_level = zstd_level;
  context.column = 1;  // one of its own: every codec may be tried
  StringSource source;
  source.count = refs.size();
  source.array = refs.data();
  ByteBuffer out;
  encode_strings(source, context, out);
  const fuzz::Exact column(out.data(), out.size());
  ByteReader back(column.data(), column.size());
  std::vector<std::string_view> strings(refs.size());
  StringArena arena;
  require(decode_strings(back, refs.size(), {}, &arena, strings.data()) && back.at_end(), "what is encoded decodes");
  for (std::size_t i = 0; i < refs.size(); ++i) {
    require((strings[i].data() == nullptr) == refs[i].is_null(), "null stays null");
    require(strings[i].size() == refs[i].bytes() &&
                (strings[i].empty() || std::memcmp(strings[i].data(), refs[i].data, strings[i].size()) == 0),
            "strings come back");
  }
}

}  // namespace
}  // namespace steno

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steno;
  if (size < 4) return 0;
  const std::size_t n = load<std::uint16_t>(data + 2) + std::size_t{1};
  const fuzz::Exact bytes(data + 4, size - 4);
  const ByteReader in(bytes.data(), bytes.size());
  switch (data[0] % 6) {
    case 3:
      round_trip_ints(data[1], static_cast<IntHint>(n % 3), in);
      break;
    case 4:
      round_trip_strings(0, in);
      break;
    case 5:
      round_trip_strings(1, in);
      break;
    default:
      decode(data[0] % 6, data[1], n, in);
  }
  return 0;
}
