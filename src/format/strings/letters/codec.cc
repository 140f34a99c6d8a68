// letter strings: what letters there are, the places of all bytes among them, packed, then the lengths as a column
// (file.md §9.3).
#include <algorithm>
#include <bit>
#include <cstring>

#include "format/block.h"
#include "format/ints/bitpack.h"
#include "format/known_columns.h"
#include "format/multiversion.h"
#include "format/strings/codec.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastBytes = 512;  // of a text: below, little is gained
constexpr std::size_t kMostLetters = 64;  // of more, packing would save an eighth at most
constexpr std::size_t kMostRanges = 10;   // with which all bytes are compared
constexpr std::size_t kStretch = 4096;    // bytes after which it is seen whether there are too many letters
constexpr std::size_t kMostKnown = 256;   // columns whose letters are known
constexpr unsigned kMostUses = 32;        // of the same letters: a column may have fewer

// Letters that follow one another.
struct LetterRange {
  std::uint8_t first = 0;
  std::uint8_t span = 0;   // how many come after it
  std::uint8_t place = 0;  // of the first, among all letters
};

struct LetterSet {
  std::uint8_t list[kMostLetters];  // in ascending order
  std::size_t count = 0;
  LetterRange ranges[kMostLetters];
  std::size_t range_count = 0;

  // False: there are too many.
  bool set(const std::uint8_t (&seen)[256]) {
    count = range_count = 0;
    for (unsigned c = 0; c < 256; ++c) {
      if (seen[c] == 0) continue;
      if (count == kMostLetters) return false;
      if (c != 0 && seen[c - 1] != 0) {
        ++ranges[range_count - 1].span;
      } else {
        ranges[range_count++] = {static_cast<std::uint8_t>(c), 0, static_cast<std::uint8_t>(count)};
      }
      list[count++] = static_cast<std::uint8_t>(c);
    }
    return true;
  }
};

unsigned width_of(std::size_t letters) {
  return static_cast<unsigned>(std::bit_width(letters - 1));
}

// False: there are too many, or only one.
bool find_letters(const std::uint8_t* text, std::size_t bytes, LetterSet* letters) {
  std::uint8_t seen[256] = {};
  for (std::size_t at = 0; at < bytes; at += kStretch) {
    const std::size_t end = std::min(bytes, at + kStretch);
    for (std::size_t i = at; i < end; ++i) seen[text[i]] = 1;
    if (!letters->set(seen)) return false;
  }
  return letters->count >= 2;
}

// The places of letters, kMiniBlock of them. Not 0: some bytes are none of the letters.
STENO_MULTIVERSION(std::uint8_t, find_places,
                   (const std::uint8_t* text, const LetterRange* ranges, std::size_t count, std::uint8_t* places),
                   (text, ranges, count, places)) {
  std::uint8_t others[kMiniBlock];
  std::fill_n(others, kMiniBlock, std::uint8_t{255});
  std::fill_n(places, kMiniBlock, std::uint8_t{0});
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint8_t first = ranges[r].first;
    const std::uint8_t span = ranges[r].span;
    const auto shift = static_cast<std::uint8_t>(ranges[r].place - first);
    for (std::size_t i = 0; i < kMiniBlock; ++i) {
      const auto after = static_cast<std::uint8_t>(text[i] - first);
      const std::uint8_t inside = after <= span ? 255 : 0;
      places[i] |= static_cast<std::uint8_t>(text[i] + shift) & inside;
      others[i] &= static_cast<std::uint8_t>(~inside);
    }
  }
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) any |= others[i];
  return any;
}

// Finds places likewise, letter by letter: for letters in many ranges.
bool look_up_places(const std::uint8_t* text, const LetterSet& letters, std::uint8_t* places) {
  std::uint8_t place_of[256];
  std::fill_n(place_of, 256, std::uint8_t{255});
  for (std::size_t k = 0; k < letters.count; ++k) place_of[letters.list[k]] = static_cast<std::uint8_t>(k);
  bool all = true;
  for (std::size_t i = 0; i < kMiniBlock; ++i) {
    places[i] = place_of[text[i]];
    all &= places[i] != 255;
  }
  return all;
}

// `text` may be read up to the end of its last mini-block, and has a letter there. False: not all are among them.
bool put_places(const std::uint8_t* text, std::size_t bytes, const LetterSet& letters, ByteBuffer& out) {
  const unsigned width = width_of(letters.count);
  std::uint8_t places[kMiniBlock];
  alignas(64) std::uint32_t values[kMiniBlock];
  for (std::size_t at = 0; at < bytes; at += kMiniBlock) {
    const bool all = letters.range_count <= kMostRanges
                         ? find_places(text + at, letters.ranges, letters.range_count, places) == 0
                         : look_up_places(text + at, letters, places);
    if (!all) return false;
    std::copy_n(places, kMiniBlock, values);
    pack(values, width, out.reserve(packed_size(kMiniBlock, width)));
    out.commit(packed_size(std::min(kMiniBlock, bytes - at), width));
  }
  return true;
}

// Facts about the last columns of one argument, or of one part of it.
struct KnownLetters {
  LetterSet letters;
  unsigned uses = 0;  // columns since they were looked for
  Patience patience;

  void forget() {
    letters.count = 0;
    uses = 0;
    patience.forget();
  }
};

struct Letters {
  KnownColumns<KnownLetters, kMostKnown> known;
};

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < source.count; ++i) bytes += source.at(i).bytes();
  if (bytes < kLeastBytes || bytes > kMaxPayload) return false;
  KnownLetters& known = context.memory->of<Letters>().known.of(context.column);
  if (!known.patience.is_due()) return false;
  ByteBuffer& text = context.memory->bytes;
  text.clear();
  append_bytes(source, bytes, text);
  const std::size_t start = out.size();
  const auto put = [&] {
    out.put_varint(bytes);
    out.put(static_cast<std::uint8_t>(known.letters.count));
    out.put_bytes(known.letters.list, known.letters.count);
    std::memset(text.reserve(kMiniBlock), known.letters.list[0], kMiniBlock);
    return put_places(text.data(), bytes, known.letters, out);
  };
  // Mostly they are those of the column before, or some of these.
  if (known.letters.count == 0 || ++known.uses >= kMostUses || !put()) {
    out.truncate(start);
    known.uses = 0;
    if (!find_letters(text.data(), bytes, &known.letters)) {
      known.letters.count = 0;
      known.patience.failed();
      return false;
    }
    (void)put();
  }
  known.patience.worked();
  encode_lengths(source, context, out);
  return true;
}

bool read_text(ByteReader& in, StringArena* arena) {
  const std::uint64_t bytes = in.get_varint();
  const auto count = in.get<std::uint8_t>();
  const std::uint8_t* list = in.take(count);
  if (list == nullptr || count < 2 || count > kMostLetters) return false;
  const unsigned width = width_of(count);
  // A byte takes a bit at least: checked before memory is taken.
  if (bytes > kMaxPayload || bytes > in.remaining() * 8) return false;
  std::uint8_t letters[kMostLetters] = {};
  std::copy_n(list, count, letters);
  arena->resize(bytes);
  std::uint32_t greatest = 0;
  alignas(64) std::uint32_t places[kMiniBlock];
  for (std::size_t at = 0; at < bytes; at += kMiniBlock) {
    const std::size_t part = std::min<std::size_t>(kMiniBlock, bytes - at);
    if (!read_packed(in, part, width, places)) return false;
    std::uint8_t* text = arena->data() + at;
    for (std::size_t i = 0; i < part; ++i) {
      greatest = std::max(greatest, places[i]);
      text[i] = letters[places[i]];
    }
  }
  arena->add(StringFacts::of({list, count}, true));
  return greatest < count;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace&, StringArena* arena, std::string_view* out) {
  return read_text(in, arena) && cut_text(in, n, arena, out);
}

bool read_joined(const OpenedColumn& column, StringArena* arena) {
  ByteReader in = column.body;
  return read_text(in, arena);
}

bool may_contain(const OpenedColumn& column, std::string_view text) {
  ByteReader in = column.body;
  (void)in.get_varint();
  const auto count = in.get<std::uint8_t>();
  const std::uint8_t* list = in.take(count);
  if (list == nullptr) return true;
  const std::string_view letters(reinterpret_cast<const char*>(list), count);
  return text.find_first_not_of(letters) == std::string_view::npos;
}

std::size_t most_bytes(const OpenedColumn& column) {
  return column.body.remaining() * 8;  // a byte takes a bit at least
}

}  // namespace

const StringCodec kLetterStringCodec{.id = CodecId::kLetterStrings,
                                     .name = "letter_strings",
                                     .may_be_within = kAnywhere,
                                     .form = ColumnForm::kTexts,
                                     .trial = {.stage = CodecStage::kLast},
                                     .encode = encode,
                                     .decode = decode,
                                     .read_text = read_joined,
                                     .may_contain = may_contain,
                                     .most_bytes = most_bytes};

}  // namespace steno::format
