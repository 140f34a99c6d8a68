// Framing of blocks (file.md §1): header, checksum, padding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace steno::format {

inline constexpr std::uint32_t kBlockMagic = 0x314E5453;  // "STN1"
inline constexpr std::size_t kBlockHeaderSize = 16;
inline constexpr std::uint32_t kMaxPayload = 1u << 28;
inline constexpr std::uint32_t kFileVersion = 1;

enum class BlockType : std::uint8_t {
  kSession = 1,
  kDictionary = 2,
  kColumns = 3,
  kRows = 4,
  kClock = 5,
  kLoss = 6,
  kIndex = 7,
  kEnd = 8,
};

struct BlockHeader {
  BlockType type{};
  std::uint8_t flags = 0;
  std::uint16_t session_tag = 0;
  std::uint32_t length = 0;  // payload bytes, padding not counted
  std::uint32_t checksum = 0;

  std::size_t total_size() const { return kBlockHeaderSize + round_up(length, 8); }
};

// Opens a block at the end of `out` and returns where its header is; append the payload, then close it.
std::size_t begin_block(ByteBuffer& out, BlockType type, std::uint16_t session_tag);
// Pads, fills in length and checksum. `start` is what begin_block returned.
void end_block(ByteBuffer& out, std::size_t start);

// False unless there are `size` >= header bytes at `p` with the magic and a length within the limit. Does not look at
// the payload: total_size() may go beyond `size`.
[[nodiscard]] bool parse_header(const std::uint8_t* p, std::size_t size, BlockHeader* header);
// Requires the whole block at `p`.
[[nodiscard]] bool checksum_holds(const std::uint8_t* p, const BlockHeader& header);

}  // namespace steno::format
