// When what was written is forced to the disk (as Options::sync), for a scribe of other processes.
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

// Of one file. Not thread-safe.
class SyncSchedule {
 public:
  explicit SyncSchedule(const SyncPolicy& policy);

  // Records were written, the most severe of which is of that level.
  void wrote(Level top);
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
