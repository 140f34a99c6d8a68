// The place where checkers live and die: a directory for their logs, a staging root of its own, and the commands that
// look after the dead.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ledger.h"
#include "process.h"

namespace steno::crash {

using Settings = std::vector<std::pair<std::string, std::uint64_t>>;  // of programs/checker.cc

std::string text_of(const Settings& settings);

// The counts of one run, shared with its checker.
class SharedCounts {
 public:
  explicit SharedCounts(const std::string& path);
  ~SharedCounts();
  SharedCounts(const SharedCounts&) = delete;
  SharedCounts& operator=(const SharedCounts&) = delete;
  // Returns the counts at this moment.
  Counts read() const;

 private:
  Counts* counts_ = nullptr;
};

class Arena {
 public:
  // Everything in it is removed at the end, unless STENO_CRASH_KEEP is set.
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  const std::string& directory() const { return directory_; }
  const std::string& staging_root() const { return staging_; }
  // The log that checkers write; a rotated one has FILE.* beside it.
  std::string log() const { return directory_ + "/app.steno"; }
  std::vector<std::string> log_files() const;
  // Returns the files that are not empty: the process that made an empty one died before it wrote its first block.
  std::vector<std::string> written_files() const;
  void remove_logs();

  std::string counts_path(std::uint64_t run) const { return directory_ + "/counts-" + std::to_string(run); }
  std::string said_path(const std::string& who) const { return directory_ + "/said-" + who; }

  Process start_checker(const std::string& program, std::uint64_t run, const Settings& settings,
                        std::vector<std::string> environment = {});
  Process start(std::vector<std::string> arguments, const std::string& who, std::vector<std::string> environment = {});
  // The steno command, by its arguments; what it says is in said_path(who).
  Process start_steno(std::vector<std::string> arguments, const std::string& who);

  // Directories of sessions in the staging root: of the living, and orphans.
  std::vector<std::filesystem::path> stagings() const;
  // Returns the links that lead to the stagings (ring.md §1.1).
  std::vector<std::filesystem::path> marks() const;
  // Returns whether a session has records that no file was ever named for: its process died before start(). Nobody can
  // recover those.
  static bool is_homeless(const std::filesystem::path& staging);
  // Removes a session's staging as if it had never been.
  void remove_staging(const std::filesystem::path& staging);
  // Returns the parts of staging that should be gone once everything is dead and recovered; empty: none is left.
  std::string leftovers() const;

  // All records of the log, by the public reader. A reason if it cannot be read.
  std::optional<std::string> read_lines(const std::function<void(const Line&)>& take) const;
  // Feeds the log, by the public reader or by `steno cat`, to a ledger.
  std::optional<std::string> read_log(Ledger* ledger) const;
  std::optional<std::string> cat_log(Ledger* ledger, const std::string& who = "cat");
  // Returns the end of `steno verify` on the log; its output is in said_path("verify"). nullopt: there is nothing to
  // verify.
  std::optional<End> verify_log();

 private:
  std::string directory_;
  std::string staging_;
};

}  // namespace steno::crash
