#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace steno {

std::uint64_t xxh3(const void* bytes, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

}  // namespace steno
