// Messages of one statement, many at a time. What is the same for all (what to do, the literal, a column's type,
// whether its numbers are small and its strings clean) is looked at once; then they are printed by a short list of
// steps, which are the same for all: step after step (message_tile.h), or message after message where strings are long
// or have to be looked at.
//
// It knows the common fields only: integers in decimal or hexadecimal digits, maybe with zeros before them, fixed-point
// and shortest doubles, bools, strings. And it leaves out messages: those that have something to escape, numbers that
// do not fit, or no room in MessageTexts. All of a call are left out if a value that they share is such a one, or if a
// column that is printed with zeros or in hexadecimal digits may have a negative number. All of those are for
// text::Printer, whose bytes the others are equal to.
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
#include "lines/message_steps.h"
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
  // The most of all messages together: those for which there is no room are left out.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 22;
  static constexpr std::size_t kSlack = 128;  // as many bytes after each text may be read and are anything

  ByteBuffer bytes;
  std::vector<MessageStep> steps;        // scratch
  std::vector<std::uint32_t> positions;  // scratch: of rows, by shape
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
  using Kind = MessageOp::Kind;
  class Run;

  Escape escape_ = Escape::kControls;
  std::size_t ending_ = 0;  // bytes
  std::vector<MessageOp> ops_;
};

}  // namespace steno::lines
