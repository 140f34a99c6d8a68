// Bytes of unknown origin, made fit for a line of text, a JSON string, a CSV field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace steno::lines {

inline void put(ByteBuffer& out, std::string_view text) {
  out.put_bytes(text.data(), text.size());
}

enum class Escape {
  kRaw,       // as they are
  kControls,  // control characters but the tab as \n, \x1b: one record stays one line, and cannot pose as another
  kTerminal,  // also invalid UTF-8, and characters that are not seen for what they are (unseen.h)
};

// Appends `text`, escaped.
void append_text(std::string_view text, Escape escape, ByteBuffer& out);
// False: a byte of it may need an escape.
bool is_clean(const char* text, std::size_t size, Escape escape);
// Escapes what was appended to `out` since it had `start` bytes; nearly always nothing is to be done, and that is
// quick.
void escape_tail(ByteBuffer& out, std::size_t start, Escape escape);

// The inside of a JSON string. Always valid: what is no UTF-8 becomes U+FFFD; control characters, DEL and C1 are
// escaped.
void append_json(std::string_view text, ByteBuffer& out);
void json_escape_tail(ByteBuffer& out, std::size_t start);
// False: a byte of it may need an escape there.
bool is_json_clean(std::string_view text);

// A CSV field (RFC 4180), quoted where it must be. Always valid UTF-8 without NUL, for what reads tables refuses a file
// over one such byte: each becomes U+FFFD.
void append_csv(std::string_view text, ByteBuffer& out);
// A value of logfmt: as it is if that can be read back, else as a JSON string.
void append_logfmt_value(std::string_view text, ByteBuffer& out);
// A key of logfmt: bytes that may not stand in one become '_', and those that are not ASCII as well, unless all of the
// name is text that needs no escapes.
std::string logfmt_key(std::string name);

std::string escaped(std::string_view text, Escape escape);
std::string json_escaped(std::string_view text);

}  // namespace steno::lines
