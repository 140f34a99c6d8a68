// The text of a record's message.
#pragma once

#include <span>

#include "base/bytes.h"
#include "reader/decoded_block.h"
#include "text/value.h"

namespace steno::reader {

// The message of the protocol's own site "dropped" (ring.md §4.1), with a time in place of ticks.
void append_drops(std::span<const text::Value> values, ByteBuffer& out);

// Appends it; where it cannot be printed, what is known in its place: "{!why} format".
inline void append_message(const DecodedGroup& group, std::span<const text::Value> values, ByteBuffer& out) {
  if (group.drops) return append_drops(values, out);
  if (group.printer != nullptr) {
    group.printer->print(values, out);
    return;
  }
  const std::string& problem = group.site->problem();
  out.put_bytes("{!", 2);
  out.put_bytes(problem.data(), problem.size());
  out.put_bytes("}", 1);
  const std::string& format = group.site->info().format;
  if (!format.empty()) out.put_bytes(" ", 1);
  out.put_bytes(format.data(), format.size());
}

}  // namespace steno::reader
