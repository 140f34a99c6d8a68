#include "text/value_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <string.h>

#include "base/early.h"
#include "text/c_locale.h"
#include "text/float_text.h"
#include "text/number.h"
#include "text/printer.h"
#include "text/utf8.h"

// Only the GNU library has the names of errors, and only it defines the macro with its version.
#ifdef __GLIBC_PREREQ
#define STENO_HAS_ERRNO_NAMES __GLIBC_PREREQ(2, 32)
#else
#define STENO_HAS_ERRNO_NAMES 0
#endif

namespace steno::text {
namespace {

// For types whose text has no useful bound, or that are rare.
template <class T>
void append_formatted(const T& value, ByteBuffer& out) {
  fmt::memory_buffer buffer;
  fmt::format_to(fmt::appender(buffer), FMT_COMPILE("{}"), value);
  out.put_bytes(buffer.data(), buffer.size());
}

template <class T>
void append_number(T value, ByteBuffer& out, char* (*write)(T, char*)) {
  auto* p = reinterpret_cast<char*>(out.reserve(kMaxNumberSize));
  out.commit(static_cast<std::size_t>(write(value, p) - p));
}

void append_shortest(const Value& value, ByteBuffer& out) {
  ByteBuffer digits;
  if (append_float(value, {}, digits).negative) out.put('-');
  out.put_bytes(digits.data(), digits.size());
}

STENO_MAKE_EARLY(c_locale())

}  // namespace

void append_string(const Value& value, ByteBuffer& out) {
  if (value.string.data() == nullptr) {
    append(kNullText, out);
  } else {
    append_utf8(value.string, unit_size(value.type), out);
  }
}

std::string_view errno_text(int error) {
  const char* text = strerror_l(error, c_locale());
  return text != nullptr ? text : "unknown error";
}

std::string_view errno_name(int error) {
#if STENO_HAS_ERRNO_NAMES
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : "";
#else
  (void)error;
  return "";
#endif
}

void print_value(const Value& value, ByteBuffer& out) {
  switch (value.type) {
    case ArgType::kBool:
      append(value.bits != 0 ? "true" : "false", out);
      return;
    case ArgType::kChar:
      out.put(static_cast<char>(value.bits));
      return;
    case ArgType::kI8:
    case ArgType::kI16:
    case ArgType::kI32:
    case ArgType::kI64:
      append_number<std::int64_t>(static_cast<std::int64_t>(value.bits), out, write_decimal);
      return;
    case ArgType::kU8:
    case ArgType::kU16:
    case ArgType::kU32:
    case ArgType::kU64:
      append_number<std::uint64_t>(value.bits, out, write_decimal);
      return;
    case ArgType::kI128:
      append_formatted(static_cast<Int128>(to_uint128(value)), out);
      return;
    case ArgType::kU128:
      append_formatted(to_uint128(value), out);
      return;
    case ArgType::kF32:
      append_number<float>(load<float>(&value.bits), out, write_shortest);
      return;
    case ArgType::kF64:
      append_number<double>(load<double>(&value.bits), out, write_shortest);
      return;
    case ArgType::kF80:
    case ArgType::kF128:
      append_shortest(value, out);
      return;
    case ArgType::kPointer:
      append_formatted(reinterpret_cast<const void*>(value.bits), out);
      return;
    case ArgType::kChar16:
    case ArgType::kChar32:
      out.commit(encode_utf8(static_cast<std::uint32_t>(value.bits), out.reserve(kMaxUtf8Size)));
      return;
    case ArgType::kString:
    case ArgType::kString16:
    case ArgType::kString32:
      append_string(value, out);
      return;
    case ArgType::kErrno:
      append(errno_text(static_cast<int>(value.bits)), out);
      return;
  }
  append("{!unknown type}", out);
}

}  // namespace steno::text
