// Framing of blocks (file.md §1): header, checksum, padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace steno::format {

inline constexpr std::uint32_t kBlockMagic = 0x314E5453;  // "STN1"
inline constexpr std::size_t kBlockHeaderSize = 16;
inline constexpr std::size_t kFlagsAt = 5;  // in the header
inline constexpr std::uint32_t kMaxPayload = 1u << 28;
inline constexpr std::uint32_t kFileVersion = 2;    // of a session that needs no later one
inline constexpr std::uint32_t kNewestVersion = 3;  // the file may have packed sessions (file.md §15)

enum class BlockType : std::uint8_t {
  kSession = 1,
  kDictionary = 2,
  kColumns = 3,
  kRows = 4,
  kClock = 5,
  kLoss = 6,
  kIndex = 7,
  kEnd = 8,
  kPadding = 9,
  kStrings = 10,
  kProtocol = 11,
  kPacked = 12,
};

// Whose a block is. The mark is part of the checksum, so that a block proves to be of its session: 48 bits that follow
// from the session's id, and that nobody knows who does not know the id.
struct SessionTag {
  std::uint16_t tag = 0;   // as it is in the header
  std::uint32_t mark = 0;  // 0: of version 1 of the format, which had none

  constexpr SessionTag() = default;
  constexpr SessionTag(std::uint16_t t, std::uint32_t m = 0) : tag(t), mark(m) {}  // implicit: a tag of version 1
  constexpr bool operator==(const SessionTag&) const = default;
  constexpr std::uint64_t packed() const { return std::uint64_t{mark} << 16 | tag; }
};

// In BlockHeader::flags: the block says once more what blocks before it said (file.md §11).
inline constexpr std::uint8_t kCopyFlag = 1;
// And of a data block: its writer was behind, and left codecs out that would have made it smaller (file.md §6).
inline constexpr std::uint8_t kQuickFlag = 2;

struct BlockHeader {
  BlockType type{};
  std::uint8_t flags = 0;
  std::uint16_t session_tag = 0;
  std::uint32_t length = 0;  // payload bytes, padding not counted
  std::uint32_t checksum = 0;

  bool is_copy() const { return (flags & kCopyFlag) != 0; }
  bool is_quick() const { return (flags & kQuickFlag) != 0; }
  std::size_t total_size() const { return kBlockHeaderSize + round_up(length, 8); }
};

// Opens a block at the end of `out` and returns where its header is; append the payload, then close it.
std::size_t begin_block(ByteBuffer& out, BlockType type, SessionTag session, std::uint8_t flags = 0);
// Sets flags of a block that is open.
inline void add_flags(ByteBuffer& out, std::size_t start, std::uint8_t flags) {
  out.data()[start + kFlagsAt] |= flags;
}
// Pads, fills in length and checksum. `start` is what begin_block returned.
void end_block(ByteBuffer& out, std::size_t start);

// Appends a block of a payload that is there as a whole.
void append_block(ByteBuffer& out, BlockType type, SessionTag session, std::span<const std::uint8_t> payload,
                  std::uint8_t flags = 0);

// Appends blocks of `size` bytes that say nothing (file.md §1), as that many bytes of a file: the zeros that would fill
// up the last one to a multiple of 8 are left out. Nothing if `size` is less than kLeastPadding.
inline constexpr std::size_t kLeastPadding = kBlockHeaderSize + 8;
void append_padding(ByteBuffer& out, std::size_t size, std::uint64_t session_id);

// False unless there are `size` >= header bytes at `p` with the magic and a length within the limit. Does not look at
// the payload: total_size() may go beyond `size`.
[[nodiscard]] bool parse_header(const std::uint8_t* p, std::size_t size, BlockHeader* header);
// The mark that a sound block there has; any number if it is damaged. Requires the whole block at `p`.
[[nodiscard]] std::uint32_t mark_of(const std::uint8_t* p, const BlockHeader& header);
// Requires the whole block at `p`.
[[nodiscard]] inline bool checksum_holds(const std::uint8_t* p, const BlockHeader& header, std::uint32_t mark) {
  return mark_of(p, header) == mark;
}

}  // namespace steno::format
