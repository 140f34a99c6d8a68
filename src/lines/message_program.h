// Messages of one statement, many at a time: field after field for all records, rather than record after record. What
// is the same for all (what to do, the literal, a column's type) is looked at once, and loops have no branch that
// depends on anything but values.
//
// It knows the common fields only: integers in decimal, fixed-point and shortest doubles, bools, strings. And it leaves
// out messages: single ones that have something to escape or numbers that do not fit; all of a call if they would take
// more than MessageTexts::kMostBytes together (one huge string is enough), or if a value that they share is such a one.
// All of those are for text::Printer, whose bytes the others are equal to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "lines/escape.h"
#include "text/printer.h"

namespace steno::lines {

// A message among MessageTexts::bytes.
struct MessageText {
  static constexpr std::uint32_t kLeftOut = UINT32_MAX;

  std::uint32_t begin = 0;
  std::uint32_t size = kLeftOut;
};

// Copies one with up to kSlack bytes after it, for which there is room: by classes of sizes, which the processor
// foresees better than sizes.
inline char* put_text(char* p, const char* text, std::size_t size) {
  if (size <= 64) {
    std::memcpy(p, text, 64);
  } else if (size <= 128) {
    std::memcpy(p, text, 128);
  } else {
    std::memcpy(p, text, size);
  }
  return p + size;
}

// Messages, in memory that is reused.
struct MessageTexts {
  // Of all messages together: a batch that would take more is left out.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 22;
  static constexpr std::size_t kSlack = 128;  // as many bytes after each text may be read and are anything

  ByteBuffer bytes;
  std::vector<char*> ends;  // scratch: of each message, so far
};

// Thread-safe, but for the texts.
class MessageProgram {
 public:
  // None: the printer has other fields, or literals that need an escape. `ending` comes after each message.
  static std::optional<MessageProgram> compile(const text::Printer& printer, Escape escape, std::string_view ending);

  // Appends to texts.bytes the messages of rows rows[k] of the columns, one an argument; found[k] says where.
  void print(const text::Column* columns, std::span<const std::uint32_t> rows, MessageTexts& texts,
             MessageText* found) const;

 private:
  using Kind = text::Printer::Field::Kind;
  struct Op {
    std::string literal;  // ends in text::kCopyStep more bytes
    std::size_t literal_size = 0;
    Kind kind = Kind::kNone;
    std::uint8_t argument = 0;
    std::uint8_t shift = 0;
    std::uint8_t precision = 0;
  };
  class Run;

  Escape escape_ = Escape::kControls;
  std::size_t ending_ = 0;  // bytes
  std::size_t room_ = 0;    // enough for literals and numbers
  std::vector<Op> ops_;
};

}  // namespace steno::lines
