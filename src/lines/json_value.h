// One argument as a JSON value.
#pragma once

#include "base/bytes.h"
#include "text/meaning.h"
#include "text/value.h"

namespace steno::lines {

// Appends it. `meaning`: of its numbers, or nullptr.
void append_json_value(const text::Value& value, const text::Meaning* meaning, ByteBuffer& out);

}  // namespace steno::lines
