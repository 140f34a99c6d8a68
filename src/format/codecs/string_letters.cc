// letter strings: what letters there are, the places of all bytes among them, packed, then the lengths as a column
// (file.md §9.3).
#include <algorithm>
#include <bit>
#include <cstring>

#include "format/block.h"
#include "format/codecs/bitpack.h"
#include "format/codecs/known_columns.h"
#include "format/codecs/string_codec.h"
#include "format/codecs/string_texts.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastBytes = 512;  // of a text: below, little is gained
constexpr std::size_t kMostLetters = 64;  // of more, packing would save an eighth at most
constexpr std::size_t kStretch = 4096;    // bytes after which it is seen whether there are too many letters
constexpr std::size_t kMostKnown = 256;   // columns of which it is known that there are

struct LetterSet {
  std::uint8_t seen[256] = {};
  std::uint8_t list[256];  // in ascending order
  std::size_t count = 0;

  void update() {
    count = 0;
    for (unsigned c = 0; c < 256; ++c) {
      list[count] = static_cast<std::uint8_t>(c);
      count += seen[c];
    }
  }
};

unsigned width_of(std::size_t letters) {
  return static_cast<unsigned>(std::bit_width(letters - 1));
}

// False: there are too many, or only one.
bool find_letters(const std::uint8_t* text, std::size_t bytes, LetterSet* letters) {
  for (std::size_t at = 0; at < bytes; at += kStretch) {
    const std::size_t end = std::min(bytes, at + kStretch);
    for (std::size_t i = at; i < end; ++i) letters->seen[text[i]] = 1;
    letters->update();
    if (letters->count > kMostLetters) return false;
  }
  return letters->count >= 2;
}

// `text` may be read up to the end of its last mini-block.
void put_places(const std::uint8_t* text, std::size_t bytes, const LetterSet& letters, ByteBuffer& out) {
  std::uint32_t places[256] = {};
  for (std::size_t k = 0; k < letters.count; ++k) places[letters.list[k]] = static_cast<std::uint32_t>(k);
  const unsigned width = width_of(letters.count);
  alignas(64) std::uint32_t values[kMiniBlock];
  for (std::size_t at = 0; at < bytes; at += kMiniBlock) {
    for (std::size_t i = 0; i < kMiniBlock; ++i) values[i] = places[text[at + i]];
    pack(values, width, out.reserve(packed_size(kMiniBlock, width)));
    out.commit(packed_size(std::min(kMiniBlock, bytes - at), width));
  }
}

}  // namespace

struct StringScratch::Letters {
  KnownColumns<Patience, kMostKnown> known;
};

namespace {

bool encode(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < source.count; ++i) bytes += source.at(i).bytes();
  if (bytes < kLeastBytes || bytes > kMaxPayload) return false;
  if (scratch.letters == nullptr) scratch.letters = std::make_shared<StringScratch::Letters>();
  Patience& patience = scratch.letters->known.of(scratch.column);
  if (!patience.is_due()) return false;
  ByteBuffer& text = scratch.bytes;
  text.clear();
  append_bytes(source, bytes, text);
  std::memset(text.reserve(kMiniBlock), 0, kMiniBlock);
  LetterSet letters;
  if (!find_letters(text.data(), bytes, &letters)) {
    patience.failed();
    return false;
  }
  patience.worked();
  out.put_varint(bytes);
  out.put(static_cast<std::uint8_t>(letters.count));
  out.put_bytes(letters.list, letters.count);
  put_places(text.data(), bytes, letters, out);
  encode_lengths(source, scratch, out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace&, StringArena* arena, std::string_view* out) {
  std::vector<std::uint64_t> lengths;
  std::size_t bytes = 0;
  if (!read_letter_text(in, arena) || !decode_lengths(in, n, &lengths, &bytes) || bytes != arena->size()) return false;
  cut_strings(lengths, arena->data(), out);
  return true;
}

}  // namespace

bool read_letter_text(ByteReader& in, StringArena* arena) {
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
  return greatest < count;
}

bool may_spell(ByteReader in, std::string_view text) {
  (void)in.get_varint();
  const auto count = in.get<std::uint8_t>();
  const std::uint8_t* list = in.take(count);
  if (list == nullptr) return true;
  const std::string_view letters(reinterpret_cast<const char*>(list), count);
  return text.find_first_not_of(letters) == std::string_view::npos;
}

const StringCodec kLetterStringCodec{CodecId::kLetterStrings, "letter_strings", encode, decode};

}  // namespace steno::format
