// Codecs of string columns (file.md §9.3): a folder each, described by a StringCodec. Strings are bytes here, whatever
// their unit.
//
// To add one: its bytes and a new id in file.md, a folder with its StringCodec, and a line in codecs.inc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "format/codec_trial.h"
#include "format/ints/codec.h"
#include "format/string_arena.h"
#include "format/strings/context.h"
#include "steno/detail/arg_type.h"

namespace steno::format {

// A string as it lies in a record. size == kNullString: a null pointer; `data` is valid nevertheless. At least 16 bytes
// before `data` are readable: those of its record's header.
struct StringRef {
  const std::uint8_t* data = nullptr;
  std::uint32_t size = kNullString;

  bool is_null() const { return size == kNullString; }
  std::size_t bytes() const { return is_null() ? 0 : size; }
  // Its bytes; an empty view for null.
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

// The text in place of a string of a shared dictionary that is lost (file.md §12). Its address tells it from one that
// was logged.
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
  // Facts about those strings; strings_of() comes before.
  virtual StringFacts facts_of(std::uint64_t /*dictionary*/) const { return StringFacts::unknown(); }
};

// The columns around a column that is read, and the dictionaries that it may refer to.
struct StringPlace {
  unsigned within = 0;
  const SharedDictionaries* shared = nullptr;  // nullptr: it must not
  const std::uint8_t* readable = nullptr;      // memory can be read from the column up to here; nullptr: up to its end

  StringPlace inside(CodecId codec) const { return {within | within_bit(codec), shared, readable}; }
  // Returns whether strings that end at `end` or before it have slack.
  bool has_slack(const std::uint8_t* end) const {
    return readable != nullptr && readable - end >= static_cast<std::ptrdiff_t>(kStringSlack);
  }
};

// When a codec is tried for a column, in the order of the list: the codecs of a stage are asked one after the other
// whether they take it. Those that a CodecTrial wants to look at again are compared with what the later stages make of
// it.
enum class CodecStage : std::uint8_t {
  kSpecial,  // not in turn: the later stages know when
  kLists,
  kWholes,  // after these come shared strings, shapes and dictionaries
  kTexts,
  kLast,  // one after the other, until one takes it
};

// When a writer uses a codec that takes time and may bring nothing.
struct StringTrial {
  CodecStage stage = CodecStage::kSpecial;
  // The results of trials for this column; nullptr: it is not tried, but simply used.
  CodecTrial& (*known)(const StringContext& context) = nullptr;
  std::size_t share = 1;           // it must be smaller by 1/share of the column
  std::size_t least_strings = 64;  // fewer do not pay for templates, dictionaries or the like
  std::size_t least_length = 0;    // of its strings, on average
  std::size_t least_bytes = 0;     // of the column by other codecs, for it to be compared
  bool waits = true;               // strings that are shared are first left to be until their dictionary is full
  bool takes_long = false;         // where there is no time, it is left out, even if it suited the column before
  bool brisk = true;               // it is compared with others even if there is little time
  bool with_others = false;        // it is compared whenever the column is compared anyway
  // Returns whether the strings suit the codec at all; nullptr: any do.
  bool (*fits)(const StringSource& source, const StringContext& context) = nullptr;
  // Returns whether columns are to use the codec without a comparison, if it takes them; nullptr: none are.
  bool (*is_wanted)(const StringContext& context) = nullptr;
  // Comes before it is compared with others, which took so many bytes. It may append, and cuts that off again.
  void (*prepare)(const StringSource& source, std::size_t size, const StringContext& context,
                  ByteBuffer& out) = nullptr;
};

// How the strings of a column lie there: what those ask who do not want each of them.
enum class ColumnForm : std::uint8_t {
  kOther,     // only the codec knows
  kOne,       // one for all values
  kTexts,     // the bytes of all, one after the other, and their lengths
  kDistinct,  // a column of distinct strings, and which of them each value is
  kRuns,      // a column of strings, and how often each comes again
  kShared,
  kShapes,
  kTemplates,
  kWords,
  kItems,
  kBytes,  // in hexadecimal digits
};

inline constexpr std::size_t kUnknownRows = 0;

struct StringCodec;

// A column of strings as it lies in the file: untrusted, and nothing of it decoded. All that read columns begin with
// it.
struct OpenedColumn {
  const StringCodec* codec = nullptr;
  std::size_t rows = kUnknownRows;
  unsigned within = 0;  // the columns around it, and kPieces
  ByteReader body;      // from after the codec byte on
  // Where all strings are strings of one column within: how many these are, and where it begins.
  std::size_t inner_rows = 0;
  ByteReader inner;

  ColumnForm form() const;
  // The columns around those within it, this one included.
  unsigned inside() const;
};

struct StringCodec {
  CodecId id;
  const char* name;
  // The codecs of the columns that it may lie within, at any depth: bits of within_bit().
  unsigned may_be_within;
  ColumnForm form = ColumnForm::kOther;
  StringTrial trial = {};
  // Appends the column, codec byte not included. False: not for these values; what was appended is the caller's to cut
  // off.
  bool (*encode)(const StringSource& source, const StringContext& context, ByteBuffer& out);
  // Reads n >= 1 untrusted strings, from after the codec byte; null ones get data() == nullptr, empty ones do not.
  // False: damaged. nullptr: not in this build.
  bool (*decode)(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out);

  // Finds the column within from which all strings are; nullptr: there is no such column. False: damaged.
  bool (*open)(OpenedColumn* column) = nullptr;
  // For kTexts: decodes the bytes of all strings. False: damaged, or that needs the number of rows. nullptr: they lie
  // in the column as they are.
  bool (*read_text)(const OpenedColumn& column, StringArena* arena) = nullptr;
  // For kTexts: false only if none of its strings contains `text`. nullptr: any may.
  bool (*may_contain)(const OpenedColumn& column, std::string_view text) = nullptr;
  // An upper bound, not a close one, of the bytes of a string. nullptr: there is none.
  std::size_t (*most_bytes)(const OpenedColumn& column) = nullptr;

  bool may_lie(unsigned within) const { return (within & ~kPieces & ~may_be_within) == 0; }
};

inline ColumnForm OpenedColumn::form() const {
  return codec->form;
}
inline unsigned OpenedColumn::inside() const {
  return within | within_bit(codec->id);
}

#define STENO_STRING_CODEC(id, number, descriptor) extern const StringCodec descriptor;
#define STENO_STRING_WRITER(descriptor) extern const StringCodec descriptor;
#include "format/strings/codecs.inc"

// nullptr: no such codec, or not in this build.
const StringCodec* find_string_codec(std::uint8_t id);
// Reads the codec byte of an untrusted column. nullptr: no such codec, or none whose columns may lie there. All columns
// are opened by this, so what may lie within what is tested nowhere else.
const StringCodec* open_string_codec(ByteReader& in, unsigned within);
// Opens an untrusted column. False: damaged.
[[nodiscard]] bool open_column(ByteReader in, std::size_t rows, unsigned within, OpenedColumn* column);
// No string of an untrusted column has more bytes.
std::size_t most_string_bytes(const OpenedColumn& column);

// Appends a column of strings with the codec that its values suggest. Requires source.count >= 1.
void encode_strings(const StringSource& source, const StringContext& context, ByteBuffer& out);
// Appends the column that encode_strings() makes of any number of equal strings.
void encode_constant_string(const StringRef& text, ByteBuffer& out);
// Appends one that is part of another: the texts of shaped strings.
void encode_plain_strings(const StringSource& source, const StringContext& context, ByteBuffer& out);
// Appends the distinct strings of a dictionary.
void encode_distinct_strings(const StringSource& source, const StringContext& context, ByteBuffer& out);
// Bits of the bytes of a string, on average of a few that lie apart. Requires source.count >= 1.
std::size_t sampled_bits(const StringSource& source);
[[nodiscard]] bool decode_strings(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena,
                                  std::string_view* out);

// Raw and zstd share the following. Collects the lengths' codes and appends their column; returns the sum of the bytes.
std::size_t encode_lengths(const StringSource& source, const StringContext& context, ByteBuffer& out);
// Reads that column into `codes`; false if damaged or if the strings together pass kMaxPayload.
[[nodiscard]] bool decode_lengths(ByteReader& in, std::span<std::uint64_t> codes, std::size_t* total);
// Cuts `bytes`, as many as the codes say, into views. Adds to the arena's facts what the codes say.
void cut_strings(std::span<const std::uint64_t> codes, const std::uint8_t* bytes, StringArena* arena,
                 std::string_view* out);
// Decodes the lengths of n strings, and cuts the text in the arena into them. False: the lengths are damaged, or not
// those of that text.
bool cut_text(ByteReader& in, std::size_t n, StringArena* arena, std::string_view* out);
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
