// Puts the records of several looks at the rings in the order of time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "format/data_writer.h"
#include "reader/decoded_block.h"
#include "reader/slab.h"
#include "sink/records.h"

namespace steno::sink {

// Not thread-safe. Memory: that of the records that are held.
class TimeOrder {
 public:
  // Adds the records of those groups for which `wanted` returns true. They were found at `look` (monotonic ns).
  using Wanted = std::function<bool(const reader::DecodedGroup&)>;
  void add(std::shared_ptr<const Records> records, const reader::Session& session, std::uint64_t offset,
           std::int64_t look, const Wanted& wanted);
  // Returns, in order, the records with a clock value up to `ticks` and those that were found at `look` or earlier, and
  // all that are older than any of these. The slices are valid until the next call of any function.
  std::span<const reader::Slice> take(std::uint64_t ticks, std::int64_t look);

  bool empty() const { return items_.empty(); }

 private:
  struct Item {
    std::uint64_t ticks;  // not the wall time, which is known better later
    std::int64_t look;
    std::uint64_t block;  // number
    const reader::Thread* thread;
    std::uint32_t record;
  };
  struct Block {
    std::unique_ptr<reader::DecodedBlock> decoded;
    std::shared_ptr<const Records> records;  // what it views
    std::size_t left = 0;                    // items that refer to it
  };

  void release(std::size_t items);
  Block& block(std::uint64_t number) { return blocks_[number - first_block_]; }

  std::vector<Item> items_;  // sorted
  std::size_t taken_ = 0;    // how many of these take() has returned; they are released at the next call
  std::deque<Block> blocks_;
  std::uint64_t first_block_ = 0;
  std::vector<std::unique_ptr<reader::DecodedBlock>> spare_;
  std::vector<std::uint8_t> wanted_;  // by group
  std::vector<reader::Slice> slices_;
};

}  // namespace steno::sink
