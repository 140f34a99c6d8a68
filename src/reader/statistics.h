// The numbers of `steno stat`: who wrote the log, and what it cost.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/work_meter.h"
#include "reader/log_file.h"

namespace steno::reader {

struct ColumnStat {
  std::string name;
  char type = 0;
  std::uint64_t bytes = 0;
  std::map<std::string, std::uint64_t> codecs;  // blocks by codec
};

struct SiteStat {
  const Site* site = nullptr;  // of the first session that has it
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of its columns
  std::vector<ColumnStat> columns;
};

struct Statistics {
  std::uint64_t records = 0;   // each once
  std::uint64_t repeated = 0;  // copies of these, not counted; their bytes are
  std::array<std::uint64_t, kLevelCount> by_level{};
  std::uint64_t threads = 0;
  std::uint64_t data_blocks = 0;
  std::uint64_t quick_blocks = 0;  // of them, packed with less effort (file.md §6)
  std::uint64_t argument_bytes = 0;
  ColumnStat order;
  ColumnStat clock;
  bool has_time = false;
  std::int64_t first_wall = 0;
  std::int64_t last_wall = 0;
  std::vector<SiteStat> sites;  // most records first; one statement once (by stable_id), in whatever sessions it is

  double seconds() const {
    return has_time ? 1e-9 * static_cast<double>(static_cast<std::uint64_t>(last_wall) -
                                                 static_cast<std::uint64_t>(first_wall))
                    : 0;
  }
};

// The files of one set, as one log.
using Files = std::span<const std::unique_ptr<LogFile>>;

// Reads directories only, no column; what an index spared is checked first, by all cores. Blocks that cannot be used
// are left out.
Statistics collect_statistics(const LogFile& file, WorkMeter* meter = nullptr);
// A thread of a session that goes on in the next file counts once.
Statistics collect_statistics(Files files, WorkMeter* meter = nullptr);

// How many sessions there are, and threads that logged in them; those that several files have count once.
struct Writers {
  std::uint64_t sessions = 0;
  std::uint64_t threads = 0;
};
Writers count_writers(Files files);

}  // namespace steno::reader
