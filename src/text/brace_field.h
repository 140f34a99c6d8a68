// One field of a brace format with a spec, printed by {fmt}.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "steno/detail/brace_format.h"
#include "text/value.h"

namespace steno::text {

class BraceField {
 public:
  // A field that BraceCursor accepted, of that format and type.
  BraceField(const detail::BraceSpec& spec, std::string_view format, ArgType type);

  // All arguments of the message: width and precision may be among them.
  void print(std::span<const Value> values, ByteBuffer& out) const;
  // Another value instead of the argument, of the field's type.
  void print_other(const Value& value, std::span<const Value> values, ByteBuffer& out) const;

 private:
  void print_value_with_spec(const Value& value, int width, int precision, ByteBuffer& out) const;

  std::string spec_;  // for {fmt}: argument 0 is the value, 1 the width, 2 the precision
  int argument_;
  int width_argument_;
  int precision_argument_;
  ArgType type_;
  bool as_text_ = false;    // UTF-16 and UTF-32 units: as a character, not as a number
  bool escape_ = false;     // those with `?`
  bool hex_float_ = false;  // {fmt} leaves these to snprintf, and so to the locale
};

}  // namespace steno::text
