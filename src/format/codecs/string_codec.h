// Codecs of string columns (file.md §9.3): one file each, behind the same functions. Strings are bytes here, whatever
// their unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "format/codecs/int_codec.h"
#include "format/string_arena.h"
#include "steno/detail/arg_type.h"

namespace steno::format {

// A string as it lies in a record. size == kNullString: a null pointer; `data` is valid nevertheless. At least 16 bytes
// before `data` are readable: those of its record's header.
struct StringRef {
  const std::uint8_t* data = nullptr;
  std::uint32_t size = kNullString;

  bool is_null() const { return size == kNullString; }
  std::size_t bytes() const { return is_null() ? 0 : size; }
  // Of null an empty one.
  std::string_view view() const { return {reinterpret_cast<const char*>(data), bytes()}; }
  // How columns of lengths spell it: 0 for null, else size + 1.
  std::uint32_t code() const { return size + 1; }
};

// A view of strings in records, or of an array.
struct StringSource {
  std::size_t count = 0;
  const std::byte* base = nullptr;
  const std::uint32_t* offsets = nullptr;   // of the records, in units of 8 bytes from `base`
  std::uint32_t slot = 0;                   // where in a record the length is
  std::uint32_t payload = 0;                // where in a record the bytes are ...
  const std::uint32_t* payloads = nullptr;  // ... if not the same in each: one a record
  const StringRef* array = nullptr;         // instead of all that

  static StringSource of(std::span<const StringRef> strings) {
    StringSource source;
    source.count = strings.size();
    source.array = strings.data();
    return source;
  }
  StringRef at(std::size_t i) const {
    if (array != nullptr) return array[i];
    const std::byte* record = base + static_cast<std::size_t>(offsets[i]) * 8;
    const std::uint32_t at = payloads != nullptr ? payloads[i] : payload;
    return {reinterpret_cast<const std::uint8_t*>(record + at), load<std::uint32_t>(record + slot)};
  }
};

class SharedColumn;

// In place of a level of zstd, 1 to 19, which is used wherever it makes a column smaller.
inline constexpr int kZstdWhereItPays = 0;  // level 1, for columns that it makes much smaller than other codecs
inline constexpr int kNoZstd = -1;

// Memory that string encoders share and keep. One per writer.
struct StringScratch {
  StringScratch();
  ~StringScratch();

  IntScratch* ints = nullptr;
  int zstd_level = kZstdWhereItPays;
  bool quick = false;     // codecs that take long are left out ...
  bool left_out = false;  // ... as one was
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> indices;
  ByteBuffer bytes;
  struct Zstd;
  std::unique_ptr<Zstd> zstd;
  struct Shapes;
  std::shared_ptr<Shapes> shapes;  // not shared: made and known in one file only
  struct Symbols;
  std::shared_ptr<Symbols> symbols;  // neither
  struct Letters;
  std::shared_ptr<Letters> letters;  // nor these
  struct Dictionaries;
  std::shared_ptr<Dictionaries> dictionaries;  // nor these
  struct Templates;
  std::shared_ptr<Templates> templates;  // nor these
  struct Words;
  std::shared_ptr<Words> words;  // nor these
  struct Paths;
  std::shared_ptr<Paths> paths;  // nor these
  struct HexTrials;
  std::shared_ptr<HexTrials> hex_trials;  // nor these
  struct Lists;
  std::shared_ptr<Lists> lists;  // nor these
  struct Runs;
  std::shared_ptr<Runs> runs;  // nor these
  // What the column that is encoded is known by, from one block to the next; 0: by nothing.
  std::uint64_t column = 0;
  unsigned within = 0;             // what it is a part of
  SharedColumn* shared = nullptr;  // of the argument whose column it is; nullptr: none
  std::size_t bits = 0;            // what a string takes if it is not shared, about
};

// While it lives, a part of the column is encoded.
class ColumnPart {
 public:
  // `part`: which one, the same in the next column of the same key.
  ColumnPart(StringScratch& scratch, std::uint64_t part) : scratch_(scratch), whole_(scratch.column) {
    if (whole_ != 0) scratch.column = (whole_ ^ (part + 1) * 0x9E3779B97F4A7C15) * 0xC2B2AE3D27D4EB4F | 1;
  }
  ~ColumnPart() { scratch_.column = whole_; }
  ColumnPart(const ColumnPart&) = delete;
  ColumnPart& operator=(const ColumnPart&) = delete;

 private:
  StringScratch& scratch_;
  std::uint64_t whole_;
};

// What an encoder keeps in StringScratch, made the first time.
template <class T>
T& made(std::shared_ptr<T>& own) {
  if (own == nullptr) own = std::make_shared<T>();
  return *own;
}

// While it lives, what is encoded is within a column of some kind, kWithin..., and none of it is shared.
class WithinColumn {
 public:
  WithinColumn(StringScratch& scratch, unsigned kind)
      : scratch_(scratch), shared_(scratch.shared), within_(scratch.within) {
    scratch.shared = nullptr;
    scratch.within |= kind;
  }
  ~WithinColumn() {
    scratch_.within = within_;
    scratch_.shared = shared_;
  }
  WithinColumn(const WithinColumn&) = delete;
  WithinColumn& operator=(const WithinColumn&) = delete;

 private:
  StringScratch& scratch_;
  SharedColumn* shared_;
  unsigned within_;
};

// Parts of those columns that have some, but for the texts of shapes.
inline constexpr std::uint64_t kDistinctPart = 1;
inline constexpr std::uint64_t kOthersPart = 2;
inline constexpr std::uint64_t kSharedPart = 3;
inline constexpr std::uint64_t kTemplatesPart = 4;
inline constexpr std::uint64_t kWordKindParts = 5;  // up to 15: one for each kind of words
inline constexpr std::uint64_t kParentsPart = 16;
inline constexpr std::uint64_t kNamesPart = 17;
inline constexpr std::uint64_t kFrontsPart = 18;
inline constexpr std::uint64_t kItemsPart = 19;
inline constexpr std::uint64_t kRunsPart = 20;
inline constexpr std::uint64_t kSamplePart = 21;

// Columns of strings may hold others, but none of their own kind at any depth: a bit each.
inline constexpr unsigned kWithinDictionary = 1;
inline constexpr unsigned kWithinShapes = 2;
inline constexpr unsigned kWithinShared = 4;
inline constexpr unsigned kWithinTemplates = 8;
inline constexpr unsigned kWithinWords = 16;
inline constexpr unsigned kWithinHex = 32;
inline constexpr unsigned kWithinLists = 64;
inline constexpr unsigned kWithinRuns = 128;
inline constexpr unsigned kWithinAny = ~0u;

// What stands for a string of a shared dictionary that is lost (file.md §12). Its address tells it from one that was
// logged.
inline constexpr char kMissingString[96] = "{!missing string}";
static_assert(sizeof kMissingString >= sizeof "{!missing string}" + StringArena::kSlack);
inline constexpr StringFacts kMissingFacts{.longest = sizeof "{!missing string}" - 1};

// The dictionaries that columns share, as a reader has them. Thread-safe.
class SharedDictionaries {
 public:
  virtual ~SharedDictionaries() = default;
  // The strings of a dictionary from its first one on; of those that are lost, views of kMissingString. Empty: nothing
  // is left of it. Stays as it is as long as *this.
  virtual std::span<const std::string_view> strings_of(std::uint64_t dictionary) const = 0;
  // Of those strings; after strings_of().
  virtual StringFacts facts_of(std::uint64_t /*dictionary*/) const { return StringFacts::unknown(); }
};

// What a column that is read is a part of, and what it may refer to.
struct StringPlace {
  unsigned within = 0;
  const SharedDictionaries* shared = nullptr;  // nullptr: it must not
  const std::uint8_t* readable = nullptr;      // memory can be read from the column up to here; nullptr: up to its end

  StringPlace inside(unsigned kind) const { return {within | kind, shared, readable}; }
  // Whether strings that end there at the latest have slack.
  bool has_slack(const std::uint8_t* end) const {
    return readable != nullptr && readable - end >= static_cast<std::ptrdiff_t>(kStringSlack);
  }
};

struct StringCodec {
  CodecId id;
  const char* name;
  // Appends the column, codec byte not included. False: not for these values; what was appended is the caller's to cut
  // off.
  bool (*encode)(const StringSource& source, StringScratch& scratch, ByteBuffer& out);
  // Reads n >= 1 untrusted strings; null ones get data() == nullptr, empty ones do not. False: damaged.
  bool (*decode)(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out);
};

extern const StringCodec kConstantStringCodec;
extern const StringCodec kStringDictionaryCodec;
extern const StringCodec kShapedStringCodec;  // to encode, find_shapes() comes first
extern const StringCodec kSharedStringCodec;  // to encode, StringScratch::shared and bits come first
extern const StringCodec kTemplateStringCodec;
extern const StringCodec kWordStringCodec;
extern const StringCodec kHexStringCodec;
extern const StringCodec kListStringCodec;
extern const StringCodec kStringRunsCodec;
extern const StringCodec kRawStringCodec;
extern const StringCodec kSymbolStringCodec;
extern const StringCodec kLetterStringCodec;
extern const StringCodec kZstdStringCodec;  // refuses everything in builds without zstd

// Appends the column by this codec. False: not for these values; what was appended is the caller's to cut off.
[[nodiscard]] bool append_column(const StringCodec& codec, const StringSource& source, StringScratch& scratch,
                                 ByteBuffer& out);

std::span<const StringCodec* const> string_codecs();
// nullptr: no such codec, or not in this build.
const StringCodec* find_string_codec(std::uint8_t id);

// Appends a column of strings with the codec that its values suggest. Requires source.count >= 1.
void encode_strings(const StringSource& source, StringScratch& scratch, ByteBuffer& out);
// Appends the column that encode_strings() makes of any number of equal strings.
void encode_constant_string(const StringRef& text, ByteBuffer& out);
// Appends one that is part of another: the texts of shaped strings.
void encode_plain_strings(const StringSource& source, StringScratch& scratch, ByteBuffer& out);
// Appends the distinct strings of a dictionary.
void encode_distinct_strings(const StringSource& source, StringScratch& scratch, ByteBuffer& out);
// Bits of the bytes of a string, on average of a few that lie apart. Requires source.count >= 1.
std::size_t sampled_bits(const StringSource& source);
[[nodiscard]] bool decode_strings(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena,
                                  std::string_view* out);

// What raw and zstd share. Collects the lengths' codes and appends their column; returns the sum of the bytes.
std::size_t encode_lengths(const StringSource& source, StringScratch& scratch, ByteBuffer& out);
// Reads that column into `codes`; false if damaged or if the strings together pass kMaxPayload.
[[nodiscard]] bool decode_lengths(ByteReader& in, std::span<std::uint64_t> codes, std::size_t* total);
// Cuts `bytes`, as many as the codes say, into views. Adds to the arena's facts what the codes say.
void cut_strings(std::span<const std::uint64_t> codes, const std::uint8_t* bytes, StringArena* arena,
                 std::string_view* out);
// Appends the bytes of all strings, `total` of them.
void append_bytes(const StringSource& source, std::size_t total, ByteBuffer& out);

// The lesser of two numbers below 2^63, in a way that compilers make no branch of.
inline std::size_t lesser(std::size_t a, std::size_t b) {
  const auto less = static_cast<std::int64_t>(a - b);
  return b + static_cast<std::size_t>(less & (less >> 63));
}

inline bool same_string(const StringRef& a, const StringRef& b) {
  if (a.size != b.size) return false;
  const std::size_t n = a.bytes();
  if (n == 0) return true;
  if (n < 8) {  // what is before them is readable, and no part of them
    return (load<std::uint64_t>(a.data + n - 8) ^ load<std::uint64_t>(b.data + n - 8)) >> 8 * (8 - n) == 0;
  }
  if (n <= 64) {  // inline: a call costs more
    std::uint64_t differ = load<std::uint64_t>(a.data + n - 8) ^ load<std::uint64_t>(b.data + n - 8);
    for (std::size_t at = 0; at + 8 < n; at += 8) {
      differ |= load<std::uint64_t>(a.data + at) ^ load<std::uint64_t>(b.data + at);
    }
    return differ == 0;
  }
  return std::memcmp(a.data, b.data, n) == 0;
}

// memcpy for sizes that are small and vary: a call costs more than the copy, and so does a branch on a size that nobody
// can guess.
inline void copy_short(std::uint8_t* to, const std::uint8_t* from, std::size_t n) {
  if (n >= 16) {
    if (n > 64) {
      std::memcpy(to, from, n);
      return;
    }
    // Four blocks, which overlap. The second and the third are no farther than the other end.
    const std::size_t last = n - 16;
    const std::size_t second = lesser(last, 16);
    std::uint8_t blocks[4][16];
    std::memcpy(blocks[0], from, 16);
    std::memcpy(blocks[1], from + second, 16);
    std::memcpy(blocks[2], from + last - second, 16);
    std::memcpy(blocks[3], from + last, 16);
    std::memcpy(to, blocks[0], 16);
    std::memcpy(to + second, blocks[1], 16);
    std::memcpy(to + last - second, blocks[2], 16);
    std::memcpy(to + last, blocks[3], 16);
  } else if (n >= 8) {
    const auto head = load<std::uint64_t>(from);
    const auto tail = load<std::uint64_t>(from + n - 8);
    store(to, head);
    store(to + n - 8, tail);
  } else if (n >= 4) {
    const auto head = load<std::uint32_t>(from);
    const auto tail = load<std::uint32_t>(from + n - 4);
    store(to, head);
    store(to + n - 4, tail);
  } else if (n != 0) {
    to[0] = from[0];
    to[n / 2] = from[n / 2];
    to[n - 1] = from[n - 1];
  }
}

}  // namespace steno::format
