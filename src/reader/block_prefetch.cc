#include "reader/block_prefetch.h"

#include <algorithm>

namespace steno::reader {
namespace {

// A gap up to this is cheaper to read than to ask for another range.
constexpr std::uint64_t kGap = std::uint64_t{1} << 12;

std::uint64_t size_of(const BlockEntry& block) {
  return format::kBlockHeaderSize + std::uint64_t{block.length};
}

}  // namespace

Status BlockPrefetch::read(const LogFile& file, std::span<const BlockEntry* const> blocks) {
  file_ = nullptr;
  ranges_.clear();
  if (!file.is_remote()) return {};
  for (const BlockEntry* block : blocks) {
    const std::uint64_t begin = block->header_offset();
    if (begin >= file.size()) continue;  // not of the file
    if (!ranges_.empty() && begin <= ranges_.back().offset + ranges_.back().size + kGap) {
      ranges_.back().size = begin + size_of(*block) - ranges_.back().offset;
    } else {
      ranges_.push_back({begin, size_of(*block), 0});
    }
  }
  std::uint64_t bytes = 0;
  for (Range& range : ranges_) {
    range.at = bytes;
    bytes += range.size;
  }
  bytes_.resize(bytes);
  std::vector<ByteSource::Range> wanted;
  for (const Range& range : ranges_) wanted.push_back({range.offset, range.size, bytes_.data() + range.at});
  if (Status status = file.read(wanted); !status.ok()) return status;
  file_ = &file;
  return {};
}

std::span<const std::uint8_t> BlockPrefetch::find(const LogFile& file, const BlockEntry& block) const {
  if (file_ != &file) return {};
  const std::uint64_t begin = block.header_offset();
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                      [](std::uint64_t offset, const Range& range) { return offset < range.offset; });
  if (after == ranges_.begin()) return {};
  const Range& range = *(after - 1);
  if (begin + size_of(block) > range.offset + range.size) return {};
  return std::span(bytes_).subspan(range.at + (begin - range.offset), size_of(block));
}

}  // namespace steno::reader
