// The complete state of levels: for each session a level and rules for its loggers, and for the process rules for
// statements. Only this class derives from them the words of statements (registry) and the thresholds of loggers, for
// existing and for later ones. Levels of sinks are queried by the owner of the sinks.
//
// Thread safety: every member may be called from any thread, not from signal handlers. A fork waits until no change is
// under way, so that the child has them all.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/level_rules.h"
#include "runtime/logger_table.h"
#include "steno/level.h"
#include "steno/logger.h"

namespace steno::runtime {

class Levels {
 public:
  static Levels& instance();

  // Adds rules to those there are. Rules of statements are the process's; the others are of the slot's session.
  void add(std::uint32_t slot, const std::vector<LevelRule>& rules);
  // Those that a session begins with; in slots other than 0 an earlier session's are forgotten.
  void begin_session(std::uint32_t slot, Level level, const std::vector<LevelRule>& rules);
  // Closes the loggers of a slot.
  void end_session(std::uint32_t slot);

  Level level(std::uint32_t slot) const;
  // The level that the rules of a slot set for a sink; none: no rule. It can only change when sink_changes() changes,
  // which costs a load and is never 0.
  std::optional<Level> sink_level(std::uint32_t slot, std::string_view sink) const;
  std::uint64_t sink_changes() const { return sink_changes_.load(std::memory_order_acquire); }
  // Sets the level of an open logger, by its name.
  void set_logger_level(const detail::LoggerState& logger, Level level);

  // The open logger of that name in a table, or the one that `make` adds with the threshold it is given. `made_with`:
  // the level it is asked for with, which yields to one that was given for its name.
  using Make = std::function<detail::LoggerState*(Level threshold)>;
  detail::LoggerState* logger(LoggerTable& table, const std::string& name, std::optional<Level> made_with,
                              const Make& make);

  // In the child of a fork.
  void after_fork() { new (&mutex_) std::mutex; }

 private:
  // Levels by the names of loggers.
  class Names {
   public:
    // None: it has none any more.
    void set(const std::string& logger, std::optional<Level> level);
    std::optional<Level> find(std::string_view logger) const;

   private:
    std::map<std::string, Level, std::less<>> levels_;
  };
  struct SessionLevels {
    Level level = Level::kInfo;
    Names rules;
    Names made_with;
    Names sinks;

    Level level_of(std::string_view logger) const;
  };

  bool take(SessionLevels& session, const LevelRule& rule);
  // Sets the thresholds of a slot's loggers: of those at or below `under`, or of all.
  void apply(std::uint32_t slot, std::string_view under = {});
  void add_locked(std::uint32_t slot, const std::vector<LevelRule>& rules);

  mutable std::mutex mutex_;
  std::map<std::uint32_t, SessionLevels> sessions_;  // by slot
  std::vector<LevelRule> of_statements_;
  std::atomic<std::uint64_t> sink_changes_{1};  // pairs its increment, after the rules, with sink_changes()
};

}  // namespace steno::runtime
