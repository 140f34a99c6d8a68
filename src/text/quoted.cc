#include "text/quoted.h"

#include "text/utf8.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

void append_hex(char letter, std::uint32_t number, int digits, ByteBuffer& out) {
  out.put('\\');
  out.put(letter);
  for (int i = digits - 1; i >= 0; --i) out.put("0123456789abcdef"[number >> (4 * i) & 15]);
}

// `utf8`: the character as it is.
void append_escaped(std::uint32_t code, std::string_view utf8, char quote, ByteBuffer& out) {
  const char* const short_escape = code == '\n' ? "\\n" : code == '\r' ? "\\r" : code == '\t' ? "\\t" : nullptr;
  if (short_escape != nullptr) return append(short_escape, out);
  if (code == '\\' || code == static_cast<unsigned char>(quote)) {
    out.put('\\');
    return append(utf8, out);
  }
  if (is_printable(code)) return append(utf8, out);
  if (code < 0x100) return append_hex('x', code, 2, out);
  if (code < 0x10000) return append_hex('u', code, 4, out);
  append_hex('U', code, 8, out);
}

}  // namespace

void append_quoted(std::string_view utf8, ByteBuffer& out) {
  out.put('"');
  while (!utf8.empty()) {
    std::uint32_t code = 0;
    const std::size_t size = decode_utf8(reinterpret_cast<const std::uint8_t*>(utf8.data()), utf8.size(), &code);
    if (size == 0) {
      append_hex('x', static_cast<unsigned char>(utf8[0]), 2, out);
      utf8.remove_prefix(1);
    } else {
      append_escaped(code, utf8.substr(0, size), '"', out);
      utf8.remove_prefix(size);
    }
  }
  out.put('"');
}

void append_quoted_character(std::uint32_t code, ByteBuffer& out) {
  std::uint8_t utf8[kMaxUtf8Size];
  const std::size_t size = encode_utf8(code, utf8);
  decode_utf8(utf8, size, &code);
  out.put('\'');
  append_escaped(code, {reinterpret_cast<const char*>(utf8), size}, '\'', out);
  out.put('\'');
}

void append_quoted_byte(std::uint8_t byte, ByteBuffer& out) {
  if (byte < 0x80) return append_quoted_character(byte, out);
  out.put('\'');
  append_hex('x', byte, 2, out);
  out.put('\'');
}

}  // namespace steno::text
