// When what a scribe wrote is forced to the disk (Options::sync).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "logfile/output_file.h"
#include "steno/level.h"

namespace steno::logfile {

struct SyncPolicy {
  bool never = true;
  std::optional<Level> at_once = std::nullopt;             // after records of that level and above
  std::optional<std::int64_t> interval_ns = std::nullopt;  // at most every so often
};

// The schedule of one file. Not thread-safe.
class SyncSchedule {
 public:
  explicit SyncSchedule(const SyncPolicy& policy);

  // Something was written: records, of which the most severe has this level, or blocks that belong to records.
  void wrote(std::optional<Level> top = std::nullopt);
  // After how many ns run() will have something to do, if nothing more is written; INT64_MAX: it will not.
  std::int64_t due_in() const;
  // Forces the file to the disk, if that is due; `all`: if anything was written since the last time. Says by `warn`
  // when the disk begins to refuse, and when it has ended to.
  void run(OutputFile& file, bool all, const std::function<void(const std::string&)>& warn);

 private:
  const SyncPolicy policy_;
  std::int64_t last_;
  bool written_ = false;  // since then
  bool soon_ = false;     // and not to wait
  bool failing_ = false;
};

}  // namespace steno::logfile
