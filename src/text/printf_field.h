// One field of a printf format, printed to the byte as glibc does it in the C locale (wide strings: in a UTF-8 one) of
// a machine that has the value's type.
#pragma once

#include <span>

#include "base/bytes.h"
#include "steno/detail/printf_format.h"
#include "text/value.h"

namespace steno::text {

class PrintfField {
 public:
  // A field that PrintfCursor accepted for that type. %m: spec.argument is the captured errno.
  PrintfField(const detail::PrintfSpec& spec, ArgType type);

  // All arguments of the message: width and precision may be among them.
  void print(std::span<const Value> values, ByteBuffer& out) const;

 private:
  // A field's flags and numbers, once its arguments are known.
  struct Sizes {
    int width = 0;
    int precision = -1;  // none
    bool left = false;
  };

  bool resolve(std::span<const Value> values, Sizes* sizes, ByteBuffer& out) const;
  void print_integer(const Value& value, const Sizes& sizes, ByteBuffer& out) const;
  void print_pointer(const Value& value, const Sizes& sizes, ByteBuffer& out) const;
  void print_unsigned(std::uint64_t number, std::string_view sign, bool alternate, const Sizes& sizes,
                      ByteBuffer& out) const;
  static void put_number(std::string_view prefix, std::size_t zeros, std::string_view digits, bool fill_zeros,
                         const Sizes& sizes, ByteBuffer& out);
  void print_character(const Value& value, const Sizes& sizes, ByteBuffer& out) const;
  void print_string(const Value& value, const Sizes& sizes, ByteBuffer& out) const;
  void print_float(const Value& value, const Sizes& sizes, ByteBuffer& out) const;

  detail::PrintfSpec spec_;
  ArgType type_;
};

}  // namespace steno::text
