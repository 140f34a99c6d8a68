// Records on their way from rings to sinks: copies, which need nothing of the rings any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "format/clock_block.h"
#include "format/data_writer.h"

namespace steno::sink {

// What was walked in one go. Immutable, shared by the sinks. Groups have no layout: readers take it from their site.
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

// Copies them, group by group.
std::shared_ptr<const Records> copy_records(const format::BlockInput& input);

// What has been declared since the last look: dictionary entries (file.md §5) and clock points.
struct Declarations {
  ByteBuffer entries;
  std::vector<format::ClockPoint> points;

  bool empty() const { return entries.empty() && points.empty(); }
};

}  // namespace steno::sink
