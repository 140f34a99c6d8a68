// The index block (file.md §10): what a reader needs to know of the blocks before it without touching them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/block.h"
#include "format/data_writer.h"
#include "steno/status.h"

namespace steno::format {

// How many records of a block are of a statement.
struct SiteCount {
  std::uint32_t site = 0;
  std::uint32_t records = 0;

  friend bool operator==(const SiteCount&, const SiteCount&) = default;
};

// One block. The members after `length` are those of data blocks, else 0.
struct IndexEntry {
  BlockType type{};
  std::uint32_t length = 0;  // of its payload
  std::uint8_t levels = 0;   // bit n: has records of level n
  std::uint32_t records = 0;
  std::uint64_t min_clock = 0;
  std::uint64_t max_clock = 0;
  std::uint32_t first_run = 0;  // in IndexBlock::runs
  std::uint32_t runs = 0;
  std::uint32_t first_site = 0;  // in IndexBlock::sites
  std::uint32_t sites = 0;       // 0: the index does not say them

  bool is_data() const { return type == BlockType::kColumns || type == BlockType::kRows; }
  std::uint64_t total_size() const { return kBlockHeaderSize + round_up(std::uint64_t{length}, 8); }
};

// Its entries are the blocks from `begin` to `offset`, all of one session, without a gap.
struct IndexBlock {
  std::uint64_t session_id = 0;
  std::uint64_t session_offset = 0;  // of a session block with that id
  std::uint64_t begin = 0;
  std::uint64_t offset = 0;  // of the index block itself: another place means that the file has been changed
  std::vector<IndexEntry> entries;
  std::vector<Run> runs;
  std::vector<SiteCount> sites;        // of an entry in ascending order, adding up to its records
  std::vector<std::uint64_t> earlier;  // where index blocks before this one are said to lie, the last one first: a hint
};

constexpr std::size_t kMostEarlier = 64;
// A block of more statements has none of them in the index: it would be hardly smaller than the block's own directory.
constexpr std::size_t kMostSites = 256;

// Brings the counts from number `first` on into ascending order, one for each site; none are left if those are more
// than kMostSites.
void merge_sites(std::vector<SiteCount>* sites, std::size_t first);

void append_index_block(ByteBuffer& out, const IndexBlock& index, SessionTag tag);

// The four numbers at the start, unchecked: cheap to refuse what cannot be one. False: too short.
[[nodiscard]] bool peek_index_block(std::span<const std::uint8_t> payload, IndexBlock* head);

// `payload` is untrusted. Ok: its entries fill begin .. offset exactly, runs add up to records, and no clock range is
// upside down. Statements that do not add up to records, or lack for some block, count as not said of any.
Result<IndexBlock> parse_index_block(std::span<const std::uint8_t> payload);

}  // namespace steno::format
