#include "reader/block_scanner.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/parallel.h"

namespace steno::reader {

using format::BlockHeader;
using format::kBlockHeaderSize;

BlockScanner::BlockScanner(std::span<const std::uint8_t> file, std::uint64_t begin, std::uint64_t end,
                           const LookAhead& ahead)
    : file_(file), offset_(begin), end_(end), budget_(kFalseStartBudget + 8 * (end - begin)), ahead_(ahead) {}

// Whether there is a header of a block that fits in.
bool BlockScanner::read_header(std::uint64_t offset, BlockHeader* header) const {
  const std::uint64_t left = end_ - offset;
  if (left < kBlockHeaderSize || !format::parse_header(file_.data() + offset, left, header)) return false;
  // The zeros that fill up the last block may be missing: they carry nothing.
  return kBlockHeaderSize + std::uint64_t{header->length} <= left;
}

bool BlockScanner::block_at(std::uint64_t offset, ScannedBlock* block) {
  if (!read_header(offset, &block->header)) return false;
  const std::uint8_t* p = file_.data() + offset;
  if (!is_hashed(offset) && !format::checksum_holds(p, block->header)) {
    budget_ -= std::min<std::uint64_t>(budget_, block->header.length);
    return false;
  }
  block->offset = offset;
  block->payload = {p + kBlockHeaderSize, block->header.length};
  return true;
}

// The blocks that lead from one to the next from here on. What is looked at ahead never overlaps, so all of it is
// hashed once more than it would be at the worst, wherever headers that lie may lead.
void BlockScanner::look_ahead() {
  hashed_.clear();
  next_hashed_ = 0;
  BlockHeader header;
  std::uint64_t at = offset_;
  while (at < end_ && at - offset_ < ahead_.window && read_header(at, &header)) {
    hashed_.push_back({at, false});
    at += header.total_size();
  }
  ahead_end_ = at;
  in_parallel(hashed_.size(), 1, ahead_.threads, [this](unsigned, std::size_t begin, std::size_t end) {
    BlockHeader found;
    for (std::size_t i = begin; i < end; ++i) {
      hashed_[i].sound =
          read_header(hashed_[i].offset, &found) && format::checksum_holds(file_.data() + hashed_[i].offset, found);
    }
  });
}

// Whether the block there is known to be sound. Offsets come in order.
bool BlockScanner::is_hashed(std::uint64_t offset) {
  while (next_hashed_ < hashed_.size() && hashed_[next_hashed_].offset < offset) ++next_hashed_;
  return next_hashed_ < hashed_.size() && hashed_[next_hashed_].offset == offset && hashed_[next_hashed_].sound;
}

std::uint64_t BlockScanner::find_next(std::uint64_t from) {
  ScannedBlock block;
  for (std::uint64_t at = from; at + kBlockHeaderSize <= end_ && budget_ != 0; at += 8) {
    if (load<std::uint32_t>(file_.data() + at) == format::kBlockMagic && block_at(at, &block)) return at;
  }
  return end_;
}

namespace {

// Less than a block header: the start of one, and what the next writer filled up to a multiple of 8.
bool is_header_start(const std::uint8_t* p, std::uint64_t size) {
  static constexpr std::uint8_t kMagic[4] = {'S', 'T', 'N', '1'};
  if (size >= kBlockHeaderSize) return false;
  const std::size_t known = std::mismatch(kMagic, kMagic + std::min<std::uint64_t>(size, 4), p).second - p;
  return known == std::min<std::uint64_t>(size, 4) ||
         (known != 0 && std::all_of(p + known, p + size, [](std::uint8_t byte) { return byte == 0; }));
}

}  // namespace

// Whether the block at `offset` begins what another writer appended: a writer that goes on does not leave a block
// behind half written.
bool BlockScanner::another_writer_at(std::uint64_t offset, int tag) const {
  BlockHeader next;
  return format::parse_header(file_.data() + offset, file_.size() - offset, &next) &&
         (next.type == format::BlockType::kSession || (tag >= 0 && next.session_tag != tag));
}

void BlockScanner::report(std::uint64_t begin, std::uint64_t end) {
  Damage damage{DamageKind::kBytes, begin, end - begin, ""};
  const std::uint8_t* p = file_.data() + begin;
  BlockHeader header;
  const bool has_header = damage.size >= kBlockHeaderSize && format::parse_header(p, damage.size, &header);
  const bool to_the_end = end == file_.size();
  if (std::all_of(p, p + damage.size, [](std::uint8_t byte) { return byte == 0; })) {
    damage.kind = DamageKind::kZeros;
    damage.reason = "only zeros, as a power loss leaves them";
  } else if (budget_ == 0 && to_the_end) {
    damage.reason = "too many false block starts; the rest of the file was given up";
  } else if (has_header && header.total_size() > damage.size) {
    if (to_the_end) {
      damage.kind = DamageKind::kTornTail;
    } else if (another_writer_at(end, header.session_tag)) {
      damage.kind = DamageKind::kCutShort;
    }
    damage.tag = header.session_tag;
    damage.reason =
        to_the_end ? "the file ends inside a block: cut short, or still being written" : "a block that was cut short";
  } else if (has_header) {
    damage.reason = "checksum does not match";
  } else if (is_header_start(p, damage.size) && (to_the_end || another_writer_at(end, -1))) {
    damage.kind = to_the_end ? DamageKind::kTornTail : DamageKind::kCutShort;
    damage.reason = to_the_end ? "the file ends inside a block header: cut short, or still being written"
                               : "a block header that was cut short";
    if (damage.size >= 8) damage.tag = load<std::uint16_t>(p + 6);
  } else {
    damage.reason = "not a block";
  }
  damage_.push_back(std::move(damage));
}

std::optional<ScannedBlock> BlockScanner::next() {
  while (offset_ < end_) {
    if (ahead_.threads > 1 && offset_ >= ahead_end_) look_ahead();
    ScannedBlock block;
    if (block_at(offset_, &block)) {
      offset_ = std::min<std::uint64_t>(offset_ + block.header.total_size(), end_);
      return block;
    }
    const std::uint64_t found = find_next(offset_ + 8);
    report(offset_, found);
    offset_ = found;
  }
  return std::nullopt;
}

}  // namespace steno::reader
