// Values as text, one at a time: what the printer and its fields share.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "text/value.h"

namespace steno::text {

inline constexpr std::string_view kNullText = "(null)";
inline constexpr std::string_view kBadWidth = "{!width out of range}";
inline constexpr std::string_view kBadPrecision = "{!precision out of range}";

inline void append(std::string_view text, ByteBuffer& out) {
  out.put_bytes(text.data(), text.size());
}

// A string as UTF-8; a null one as "(null)".
void append_string(const Value& value, ByteBuffer& out);

// The English message of an errno value, and its name ("ENOENT"; empty if the reader's system has none). Thread-safe;
// valid until the next call in the same thread.
std::string_view errno_text(int error);
std::string_view errno_name(int error);

}  // namespace steno::text
