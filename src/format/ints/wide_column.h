// Columns of 16-byte types (file.md §9): constant, or raw.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace steno::format {

inline constexpr std::size_t kWideSize = 16;

// Values lie at data + 8 * offsets[i]. Requires count >= 1.
void encode_wide(const std::byte* data, const std::uint32_t* offsets, std::size_t count, ByteBuffer& out);

// Reads n >= 1 untrusted values into n * kWideSize bytes. False: damaged, or a codec that is not known.
[[nodiscard]] bool decode_wide(ByteReader& in, std::size_t n, std::uint8_t* out);

}  // namespace steno::format
