// Copies of records on their way from rings to sinks; they stay valid when the rings are released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "format/clock_block.h"
#include "format/data_writer.h"

namespace steno::sink {

// The records of one walk. Immutable, and shared by the sinks. Groups have no layout: readers take that from the site.
struct Records {
  ByteBuffer bytes;
  std::vector<format::Run> runs;
  std::vector<format::Group> groups;
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> clocks;
  std::vector<std::uint32_t> offsets;

  format::BlockInput input() const;
  std::size_t memory() const;
};

// Makes copies, and reuses the memory of those that no sink needs any more. Thread-safe.
class RecordsPool {
 public:
  RecordsPool() : spare_(std::make_shared<Spare>()) {}

  // Copies the records group by group. The copy may outlive the pool.
  std::shared_ptr<const Records> copy(const format::BlockInput& input);
  // Frees the memory that is not in use.
  void trim();

 private:
  static constexpr std::size_t kMostSpare = 32;
  struct Spare {
    std::mutex mutex;
    std::vector<std::unique_ptr<Records>> records;
  };

  std::unique_ptr<Records> take();

  const std::shared_ptr<Spare> spare_;
};

// Dictionary entries (file.md §5) and clock points that are new since the last look.
struct Declarations {
  ByteBuffer entries;
  std::vector<format::ClockPoint> points;

  bool empty() const { return entries.empty() && points.empty(); }
};

}  // namespace steno::sink
