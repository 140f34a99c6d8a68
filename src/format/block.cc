#include "format/block.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/checksum.h"
#include "format/session_block.h"

namespace steno::format {
namespace {

constexpr std::size_t kChecksumAt = 12;

// The checksum covers the header too, by being seeded with what identifies the block.
std::uint32_t checksum_of(const std::uint8_t* header, std::uint32_t length) {
  const auto seed = load<std::uint64_t>(header + 4);
  return static_cast<std::uint32_t>(xxh3(header + kBlockHeaderSize, length, seed));
}

}  // namespace

std::size_t begin_block(ByteBuffer& out, BlockType type, SessionTag session, std::uint8_t flags) {
  const std::size_t start = out.size();
  out.put(kBlockMagic);
  out.put(static_cast<std::uint8_t>(type));
  out.put(flags);
  out.put(session.tag);
  out.put(std::uint32_t{0});  // length: end_block
  out.put(session.mark);      // the checksum comes to it
  return start;
}

void end_block(ByteBuffer& out, std::size_t start) {
  const std::size_t length = out.size() - start - kBlockHeaderSize;
  assert(length <= kMaxPayload);
  // Relative to the block, not to the buffer, which may hold several.
  const std::size_t padding = round_up(length, 8) - length;
  if (padding != 0) std::memset(out.grow(padding), 0, padding);
  std::uint8_t* header = out.data() + start;
  store(header + 8, static_cast<std::uint32_t>(length));
  const std::uint32_t checksum = checksum_of(header, static_cast<std::uint32_t>(length));
  store(header + kChecksumAt, checksum ^ load<std::uint32_t>(header + kChecksumAt));
}

void append_block(ByteBuffer& out, BlockType type, SessionTag session, std::span<const std::uint8_t> payload,
                  std::uint8_t flags) {
  const std::size_t start = begin_block(out, type, session, flags);
  out.put_bytes(payload.data(), payload.size());
  end_block(out, start);
}

void append_padding(ByteBuffer& out, std::size_t size, std::uint64_t session_id) {
  constexpr std::size_t kMost = kBlockHeaderSize + kMaxPayload;
  while (size >= kLeastPadding) {
    const std::size_t here = size <= kMost ? size : std::min(kMost, size - round_up(kLeastPadding, 8)) / 8 * 8;
    const std::size_t start = begin_block(out, BlockType::kPadding, session_tag(session_id));
    out.put(session_id);
    std::memset(out.grow(here - kLeastPadding), 0, here - kLeastPadding);
    end_block(out, start);
    out.truncate(start + here);
    size -= here;
  }
}

bool parse_header(const std::uint8_t* p, std::size_t size, BlockHeader* header) {
  if (size < kBlockHeaderSize || load<std::uint32_t>(p) != kBlockMagic) return false;
  header->type = static_cast<BlockType>(p[4]);
  header->flags = p[kFlagsAt];
  header->session_tag = load<std::uint16_t>(p + 6);
  header->length = load<std::uint32_t>(p + 8);
  header->checksum = load<std::uint32_t>(p + kChecksumAt);
  return header->length <= kMaxPayload;
}

std::uint32_t mark_of(const std::uint8_t* p, const BlockHeader& header) {
  return checksum_of(p, header.length) ^ header.checksum;
}

}  // namespace steno::format
