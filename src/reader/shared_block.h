// A data block that is decoded once, whoever needs it first, and kept while anyone does.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "reader/decode_failure.h"
#include "reader/decoded_block.h"
#include "reader/log_set.h"
#include "reader/row_filter.h"

namespace steno::reader {

struct ReadOptions {
  DecodeOptions decode;
  bool sort = true;                       // false: file after file, block after block, run after run
  const RowFilter* filter = nullptr;      // must outlive the reading
  bool keep_all = false;                  // deliver what the filter does not want as well, and say so: for context
  std::uint32_t slab_records = 1u << 16;  // about as many are ordered at a time
  std::uint64_t most_bytes = UINT64_MAX;  // that blocks hold decoded at a time; one that would need more fails
  unsigned jobs = 1;                      // threads that ask the filter which blocks can match
};

class BlockPool;

// Thread-safe. decode_clocks() comes first, then prepare(); then everything but load_columns() may be read by all.
class SharedBlock {
 public:
  SharedBlock(BlockPool& pool, const LogFile& file, const BlockEntry& entry);
  ~SharedBlock();
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  const LogFile& file() const { return file_; }
  const BlockEntry& entry() const { return entry_; }
  const DecodedBlock& block() const { return *decoded_; }

  // Each does its work at the first call and then says how that went; false: the block cannot be used, and the pool
  // knows why.
  bool decode_clocks();
  bool prepare();
  // With ReadOptions::keep_all the columns are left until somebody wants to print a record.
  bool load_columns();

  // Per record, in the order of the block: the tick it is sorted by within its ring, which never goes back.
  std::span<const std::uint64_t> sort_ticks() const { return sort_ticks_; }
  // Per record whether it is wanted; empty: all are.
  std::span<const std::uint8_t> keep() const { return keep_; }
  bool none_wanted() const { return none_wanted_; }

 private:
  friend class BlockPool;
  enum class State { kNew, kClocks, kReady, kColumns, kFailed };

  bool advance(State to);
  Status step(State to);
  Status select();
  void straighten();

  BlockPool& pool_;
  const LogFile& file_;
  const BlockEntry& entry_;
  std::unique_ptr<DecodedBlock> decoded_;
  std::uint64_t counted_ = 0;  // bytes, by the pool
  std::mutex mutex_;
  State state_ = State::kNew;
  std::span<const std::uint64_t> sort_ticks_;
  std::vector<std::uint64_t> own_sort_ticks_;
  std::vector<std::uint8_t> keep_;
  bool none_wanted_ = false;
};

// The state that the blocks of one reading share: the memory of those that are done with, and the failures.
// Thread-safe.
class BlockPool {
 public:
  explicit BlockPool(const ReadOptions& options) : options_(options) { spare_.reserve(kMostSpare); }

  const ReadOptions& options() const { return options_; }
  std::shared_ptr<SharedBlock> open(const LogFile& file, const BlockEntry& entry) {
    return std::make_shared<SharedBlock>(*this, file, entry);
  }
  std::size_t blocks_held() const;
  // In the order of the files, whatever they were found in.
  std::vector<DecodeFailure> failures(const LogSet& logs) const;

 private:
  friend class SharedBlock;

  static constexpr std::size_t kMostSpare = 8;

  std::unique_ptr<DecodedBlock> take();
  void give_back(std::unique_ptr<DecodedBlock> block, std::uint64_t counted);
  // For a step of any block, of what all that are under way may hold.
  std::uint64_t bytes_left(SharedBlock::State step) const;
  void count(std::uint64_t* counted, std::uint64_t bytes);
  void add_failure(const LogFile& file, const BlockEntry& entry, const Status& status);

  const ReadOptions options_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<DecodedBlock>> spare_;
  std::size_t held_ = 0;
  std::atomic<std::uint64_t> bytes_{0};
  std::vector<DecodeFailure> failures_;
};

}  // namespace steno::reader
