// One field of a brace format with a spec (types.md, "Text").
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "steno/detail/brace_format.h"
#include "text/number.h"
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
  // A field's numbers, once its arguments are known. -1: no precision.
  struct Sizes {
    int width = 0;
    int precision = -1;
  };

  bool resolve(std::span<const Value> values, Sizes* sizes, ByteBuffer& out) const;
  bool shows_number() const;
  void print_integer(const Value& value, const Sizes& sizes, ByteBuffer& out) const;
  void print_float(const Value& value, const Sizes& sizes, ByteBuffer& out) const;
  void print_text(const Value& value, const Sizes& sizes, ByteBuffer& out) const;
  void append_sign(bool negative, ByteBuffer& out) const;
  // Widens what `out` has from `start` on. `prefix`: the sign and what else comes before the zeros of a number.
  void widen_number(std::size_t start, std::size_t prefix, int width, ByteBuffer& out) const;
  static void widen(std::size_t start, std::size_t columns, int width, char align, std::string_view fill,
                    ByteBuffer& out);

  detail::BraceSpec spec_;
  std::string fill_;
  ArgType type_;
};

}  // namespace steno::text
