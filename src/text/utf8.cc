#include "text/utf8.h"

#include "text/printer.h"

namespace steno::text {
namespace {

void append_utf16(const char* units, std::size_t count, ByteBuffer& out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t code = load<std::uint16_t>(units + 2 * i);
    if (code >= 0xD800 && code <= 0xDBFF && i + 1 < count) {
      const std::uint32_t low = load<std::uint16_t>(units + 2 * (i + 1));
      if (low >= 0xDC00 && low <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        ++i;
      }
    }
    out.commit(encode_utf8(code, out.reserve(kMaxUtf8Size)));
  }
}

void append_utf32(const char* units, std::size_t count, ByteBuffer& out) {
  for (std::size_t i = 0; i < count; ++i) {
    out.commit(encode_utf8(load<std::uint32_t>(units + 4 * i), out.reserve(kMaxUtf8Size)));
  }
}

}  // namespace

void append_utf8(std::string_view bytes, unsigned unit_size, ByteBuffer& out) {
  switch (unit_size) {
    case 2:
      append_utf16(bytes.data(), bytes.size() / 2, out);
      break;
    case 4:
      append_utf32(bytes.data(), bytes.size() / 4, out);
      break;
    default:
      out.put_bytes(bytes.data(), bytes.size());
      break;
  }
}

}  // namespace steno::text
