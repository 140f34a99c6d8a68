#include "reader/block_scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/parallel.h"
#include "format/session_block.h"

namespace steno::reader {

using format::BlockHeader;
using format::kBlockHeaderSize;

BlockScanner::BlockScanner(std::span<const std::uint8_t> file, std::uint64_t begin, std::uint64_t end,
                           const LookAhead& ahead)
    : file_(file), offset_(begin), end_(end), budget_(kFalseStartBudget + 8 * (end - begin)), ahead_(ahead) {}

// Returns whether there is the header of a block at `offset` that fits into the rest of the file.
bool BlockScanner::read_header(std::uint64_t offset, BlockHeader* header) const {
  const std::uint64_t left = end_ - offset;
  if (left < kBlockHeaderSize || !format::parse_header(file_.data() + offset, left, header)) return false;
  // The zeros that fill up the last block may be missing: they carry nothing.
  return kBlockHeaderSize + std::uint64_t{header->length} <= left;
}

bool BlockScanner::block_at(std::uint64_t offset, ScannedBlock* block) {
  if (!read_header(offset, &block->header)) return false;
  const std::uint8_t* p = file_.data() + offset;
  const Hashed* hashed = hashed_at(offset);
  block->tag = {block->header.session_tag, hashed != nullptr ? hashed->mark : format::mark_of(p, block->header)};
  block->offset = offset;
  block->payload = {p + kBlockHeaderSize, block->header.length};
  if (is_known(*block)) return true;
  budget_ -= std::min<std::uint64_t>(budget_, block->header.length);
  return false;
}

namespace {

constexpr char kMagic[] = {'S', 'T', 'N', '1'};

// The first magic from there on; `end`: there is none.
std::uint64_t find_magic(std::span<const std::uint8_t> file, std::uint64_t from, std::uint64_t end) {
  if (from >= end) return end;
  const void* found = memmem(file.data() + from, end - from, kMagic, sizeof kMagic);
  return found != nullptr ? static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(found) - file.data()) : end;
}

bool magic_at(std::span<const std::uint8_t> file, std::uint64_t at) {
  return file.size() - at >= sizeof kMagic && std::memcmp(file.data() + at, kMagic, sizeof kMagic) == 0;
}

// Whose a block says to be that has the session's whole id in it.
std::optional<format::SessionTag> own_tag(format::BlockType type, std::span<const std::uint8_t> payload) {
  if (type == format::BlockType::kSession && payload.size() >= 16) {
    return format::session_tag(load<std::uint64_t>(payload.data() + 8), load<std::uint32_t>(payload.data()));
  }
  const bool begins_with_id =
      type == format::BlockType::kIndex || type == format::BlockType::kPadding || type == format::BlockType::kPacked;
  if (begins_with_id && payload.size() >= 8) {
    return format::session_tag(load<std::uint64_t>(payload.data()));
  }
  return {};
}

}  // namespace

bool BlockScanner::is_known(const ScannedBlock& block) {
  if (own_tag(block.header.type, block.payload) == block.tag) {
    know(block.tag);
    return true;
  }
  if (block.header.type == format::BlockType::kSession) return false;
  if (known_.contains(block.tag.packed())) return true;
  if (!learned_) learn_sessions();
  return known_.contains(block.tag.packed());
}

// Finds out which sessions have blocks in the file, wherever they are.
void BlockScanner::learn_sessions() {
  learned_ = true;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> tags;  // with the checksum: a copy of a block proves nothing
  std::uint64_t budget = budget_;
  BlockHeader header;
  for (std::uint64_t at = find_magic(file_, 0, file_.size()); at < file_.size();) {
    std::uint64_t next = at + 1;
    if (format::parse_header(file_.data() + at, file_.size() - at, &header) &&
        kBlockHeaderSize + std::uint64_t{header.length} <= file_.size() - at && header.length <= budget) {
      budget -= header.length;
      const format::SessionTag tag = {header.session_tag, format::mark_of(file_.data() + at, header)};
      if (own_tag(header.type, file_.subspan(at + kBlockHeaderSize, header.length)) == tag) know(tag);
      tags.emplace_back(tag.packed(), header.checksum);
      // Only a block that is proved leads to the next: a length that lies may lead past some.
      if (known_.contains(tag.packed())) next = at + header.total_size();
    }
    at = find_magic(file_, next, file_.size());
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  for (std::size_t i = 1; i < tags.size(); ++i) {
    if (tags[i].first == tags[i - 1].first) known_.insert(tags[i].first);
  }
}

// The blocks that lead from one to the next from here on. What is looked at ahead never overlaps, so all of it is
// hashed once more than it would be at the worst, wherever headers that lie may lead.
void BlockScanner::look_ahead() {
  hashed_.clear();
  next_hashed_ = 0;
  BlockHeader header;
  std::uint64_t at = offset_;
  while (at < end_ && at - offset_ < ahead_.window && read_header(at, &header)) {
    hashed_.push_back({at, 0});
    at += header.total_size();
  }
  ahead_end_ = at;
  in_parallel(hashed_.size(), 1, ahead_.threads, [this](unsigned, std::size_t begin, std::size_t end) {
    BlockHeader found;
    for (std::size_t i = begin; i < end; ++i) {
      if (read_header(hashed_[i].offset, &found)) {
        hashed_[i].mark = format::mark_of(file_.data() + hashed_[i].offset, found);
      }
    }
  });
}

// The facts known of the block there. Offsets come in order.
const BlockScanner::Hashed* BlockScanner::hashed_at(std::uint64_t offset) {
  while (next_hashed_ < hashed_.size() && hashed_[next_hashed_].offset < offset) ++next_hashed_;
  return next_hashed_ < hashed_.size() && hashed_[next_hashed_].offset == offset ? &hashed_[next_hashed_] : nullptr;
}

std::uint64_t BlockScanner::find_next(std::uint64_t from) {
  ScannedBlock block;
  for (std::uint64_t at = find_magic(file_, from, end_); at < end_ && budget_ != 0;
       at = find_magic(file_, at + 1, end_)) {
    if (block_at(at, &block)) return at;
  }
  return end_;
}

namespace {

// Less than a block header: the start of one, and what the next writer filled up to a multiple of 8.
bool is_header_start(const std::uint8_t* p, std::uint64_t size) {
  if (size >= kBlockHeaderSize) return false;
  const std::size_t known = std::mismatch(kMagic, kMagic + std::min<std::uint64_t>(size, 4), p).second - p;
  return known == std::min<std::uint64_t>(size, 4) ||
         (known != 0 && std::all_of(p + known, p + size, [](std::uint8_t byte) { return byte == 0; }));
}

}  // namespace

// Returns whether the block at `offset` begins what another writer appended: a writer that goes on does not leave a
// block behind half written.
bool BlockScanner::another_writer_at(std::uint64_t offset, int tag) const {
  BlockHeader next;
  return format::parse_header(file_.data() + offset, file_.size() - offset, &next) &&
         ((next.type == format::BlockType::kSession && !next.is_copy()) || (tag >= 0 && next.session_tag != tag));
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
      // The next block may lie where this one's filling would be: if that was not written, which puts the next one off
      // its place, or if a byte of it was removed.
      const std::uint64_t filled = std::min<std::uint64_t>(offset_ + block.header.total_size(), end_);
      const bool aligned = offset_ % 8 == 0;
      offset_ = std::min<std::uint64_t>(offset_ + kBlockHeaderSize + block.header.length, filled);
      while (offset_ < filled && (file_[offset_] == 0 || (aligned && !magic_at(file_, offset_)))) ++offset_;
      return block;
    }
    const std::uint64_t found = find_next(offset_ + 1);
    report(offset_, found);
    offset_ = found;
  }
  return std::nullopt;
}

}  // namespace steno::reader
