// XXH3-64, the checksum of the format (file.md §1).
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno {

std::uint64_t xxh3(const void* bytes, std::size_t size, std::uint64_t seed = 0);

}  // namespace steno
