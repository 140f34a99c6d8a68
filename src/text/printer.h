// Prints messages: a format is compiled once per site, then run for each record.
//
// Brace formats print what std::format prints, with a few differences, printf formats what glibc prints in the C locale
// (wide text as in a UTF-8 one); always so, whatever libraries, locale and processor the reader has (types.md, "Text").
// The grammars are those that statements are compiled with (steno/detail/brace_format.h, printf_format.h). Formats are
// data from files: a bad one is an error at compile, never undefined behaviour. Widths are bounded, and the precisions
// of numbers (kMaxPad), and a message ends with
// "{!message too long}" once it has passed 16 MiB, so that no format can ask for gigabytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "steno/status.h"
#include "text/cursor.h"
#include "text/meaning.h"
#include "text/presence.h"
#include "text/value.h"
#include "wire/dictionary.h"

namespace steno::text {

inline constexpr int kMaxPad = 4096;
// A field that repeats arguments can make a message far longer than what was logged: none gets longer than this, save
// by its last field.
inline constexpr std::size_t kMaxMessage = std::size_t{16} << 20;

class Printer {
 public:
  Printer();
  Printer(Printer&&) noexcept;
  Printer& operator=(Printer&&) noexcept;
  ~Printer();

  // `types` as in types.md, %m's 'E' among them; `meanings`, if not null, must outlive the printer: of those of them
  // that have one, for brace formats; `presences`, only used here: of those that may be absent, likewise. kCorrupt if
  // the format does not parse or does not fit the types.
  static Result<Printer> compile(wire::Style style, std::string_view format, std::string_view types,
                                 const Meanings* meanings = nullptr, const Presences* presences = nullptr);

  // Appends the message in UTF-8 (strings 'S' are copied as they are). There must be a value for each of the types,
  // each with its type, and for the fields of presences; more are not printed. Thread-safe. Never fails, memory
  // permitting: a field that cannot be printed (a negative width from an argument) prints as "{!reason}".
  void print(std::span<const Value> values, ByteBuffer& out) const;

  // Prints from columns, one an argument: value `row` of each. Writes at p and returns the end.
  char* print_row(const Column* columns, std::size_t row, char* p, Cursor& out) const;
  // True: whatever the values are, all it prints are the characters from ' ' to '~'.
  bool plain() const;

  // The pieces that print() puts together, in order, for those who look for a text without printing messages: a
  // literal, then what an argument prints.
  struct Field {
    enum class Kind : std::uint8_t {
      kNone,      // the literal only
      kSigned,    // an integer in decimal, in as many digits as it has (number.h, signed_bits)
      kUnsigned,  // the same (unsigned_bits)
      kFixed,     // as write_fixed()
      kDigits,    // an integer in `digits` digits at least, zeros before it
      kString,    // bytes as they are; kNullText for null
      kValue,     // as print_value()
      kOther,     // other arguments may have a say in it
    };
    std::string_view literal;
    Kind kind = Kind::kNone;
    std::uint8_t argument = 0;
    std::uint8_t shift = 0;
    std::uint8_t precision = 0;
    // For kDigits.
    std::uint8_t digits = 0;
    char ten = 0;            // 'a' or 'A': in hexadecimal digits; 0: in decimal ones
    bool is_signed = false;  // negative numbers are as kOther
  };
  std::vector<Field> fields() const;
  // Appends what field i prints, without the literal.
  void print_field(std::size_t i, std::span<const Value> values, ByteBuffer& out) const;

  // Per argument: the field's name in the format, else its number ("0", "1", ...); "errno" for 'E'. For JSON and
  // columns.
  const std::vector<std::string>& names() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Appends one value as `{}` would print it; the text for CSV and for `args`.
void print_value(const Value& value, ByteBuffer& out);

// Appends UTF-16 or UTF-32 units as UTF-8; what is no scalar value becomes U+FFFD. Trailing partial units are ignored.
void append_utf8(std::string_view bytes, unsigned unit_size, ByteBuffer& out);

}  // namespace steno::text
