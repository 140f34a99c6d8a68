// The strings block (file.md §12): parts of the dictionaries that columns of many blocks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace steno::format {

// Limits of the format, of one dictionary.
inline constexpr std::uint32_t kMaxSharedStrings = 1u << 16;
inline constexpr std::size_t kMaxSharedBytes = std::size_t{1} << 22;

struct StringsPart {
  std::uint64_t dictionary = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::span<const std::uint8_t> column;  // not looked at
};

// Appends it to the payload of a block.
void append_strings_part(const StringsPart& part, ByteBuffer& out);
// Reads the next part of an untrusted payload. False: damaged.
[[nodiscard]] bool read_strings_part(ByteReader& in, StringsPart* part);

}  // namespace steno::format
