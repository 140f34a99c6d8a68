#include "runtime/levels.h"

#include <utility>

#include "base/early.h"
#include "base/fork_gate.h"
#include "base/name_match.h"
#include "base/never_destroyed.h"
#include "base/own_process.h"
#include "base/signal_safe_lock.h"
#include "registry/registry.h"

namespace steno::runtime {
namespace {

constexpr std::size_t kMostNames = 2 * LoggerTable::kMost;  // of loggers that a session has levels for

void store_threshold(detail::LoggerState& logger, Level level) {
  __atomic_store_n(&logger.threshold, static_cast<std::uint8_t>(level), __ATOMIC_RELAXED);
}

}  // namespace

Levels& Levels::instance() {
  static NeverDestroyed<Levels> levels;
  return *levels;
}
STENO_MAKE_EARLY(Levels::instance())

void Levels::add(std::uint32_t slot, const std::vector<LevelRule>& rules) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  add_locked(slot, rules);
}

void Levels::add_locked(std::uint32_t slot, const std::vector<LevelRule>& rules) {
  SessionLevels& session = sessions_[slot];
  bool statements_change = false;
  for (const LevelRule& rule : rules) statements_change = take(session, rule) || statements_change;
  if (statements_change) registry::Registry::instance().set_rules(of_statements_);
  apply(slot);
}

// Returns whether the rule changes the rules for statements.
bool Levels::take(SessionLevels& session, const LevelRule& rule) {
  switch (rule.of) {
    case LevelRule::Of::kDefault:
      session.level = rule.level.value_or(session.level);
      return false;
    case LevelRule::Of::kLogger:
      session.rules.set(rule.name, rule.level);
      return false;
    case LevelRule::Of::kSink:
      session.sinks.set(rule.name, rule.level);
      sink_changes_.fetch_add(1, std::memory_order_release);
      return false;
    case LevelRule::Of::kReset:
      session.rules = {};
      session.sinks = {};
      sink_changes_.fetch_add(1, std::memory_order_release);
      of_statements_.clear();
      return true;
    default:
      break;
  }
  std::erase_if(of_statements_, [&rule](const LevelRule& old) { return rule.replaces(old); });
  if (!rule.level.has_value()) return true;
  if (of_statements_.size() >= kMostRules) of_statements_.erase(of_statements_.begin());
  of_statements_.push_back(rule);
  return true;
}

// Names beyond kMostNames would be for names that no logger can have.
void Levels::Names::set(const std::string& logger, std::optional<Level> level) {
  if (!level.has_value()) {
    levels_.erase(logger);
  } else if (levels_.size() < kMostNames || levels_.contains(logger)) {
    levels_[logger] = *level;
  }
}

std::optional<Level> Levels::Names::find(std::string_view logger) const {
  const auto found = levels_.find(logger);
  return found != levels_.end() ? std::optional<Level>(found->second) : std::nullopt;
}

Level Levels::SessionLevels::level_of(std::string_view logger) const {
  while (!logger.empty()) {
    if (const auto rule = rules.find(logger)) return *rule;
    if (const auto own = made_with.find(logger)) return *own;
    const std::size_t dot = logger.rfind('.');
    if (dot == std::string_view::npos) break;
    logger = logger.substr(0, dot);
  }
  return level;
}

void Levels::apply(std::uint32_t slot, std::string_view under) {
  const SessionLevels& session = sessions_[slot];
  if (slot == 0 && under.empty()) {
    store_threshold(detail::root_logger, session.level);
    registry::Registry::instance().set_threshold(session.level);
  }
  LoggerTable* const table = LoggerTable::at(slot);
  if (table == nullptr) return;
  for (std::uint32_t id = 0; id < table->size(); ++id) {
    detail::LoggerState& logger = table->state(id);
    if (__atomic_load_n(&logger.closed, __ATOMIC_RELAXED)) continue;
    if (under.empty() || is_under(table->name(id), under)) store_threshold(logger, session.level_of(table->name(id)));
  }
}

void Levels::begin_session(std::uint32_t slot, Level level, const std::vector<LevelRule>& rules) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  SessionLevels& session = sessions_[slot];
  if (slot != 0) session = {};
  sink_changes_.fetch_add(1, std::memory_order_release);
  session.level = level;
  add_locked(slot, rules);
}

void Levels::end_session(std::uint32_t slot) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  LoggerTable::at(slot)->close_all();
}

Level Levels::level(std::uint32_t slot) const {
  const SignalSafeLock lock(mutex_);
  const auto found = sessions_.find(slot);
  return found != sessions_.end() ? found->second.level : SessionLevels().level;
}

std::optional<Level> Levels::sink_level(std::uint32_t slot, std::string_view sink) const {
  const SignalSafeLock lock(mutex_);
  const auto found = sessions_.find(slot);
  return found != sessions_.end() ? found->second.sinks.find(sink) : std::nullopt;
}

void Levels::set_logger_level(const detail::LoggerState& logger, Level level) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  if (__atomic_load_n(&logger.closed, __ATOMIC_RELAXED)) return;
  LoggerTable* const table = LoggerTable::at(logger.slot);
  const std::string name = table != nullptr && logger.id != 0 ? table->name(logger.id) : std::string();
  SessionLevels& session = sessions_[logger.slot];
  if (name.empty()) {
    session.level = level;
  } else {
    session.rules.set(name, level);
  }
  apply(logger.slot, name);
}

detail::LoggerState* Levels::logger(LoggerTable& table, const std::string& name, std::optional<Level> made_with,
                                    const Make& make) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  SessionLevels& session = sessions_[table.slot()];
  const bool has_own = made_with.has_value() && !name.empty();
  if (has_own) session.made_with.set(name, made_with);
  detail::LoggerState* logger = table.find(name);
  if (logger == nullptr) logger = make(session.level_of(name));
  if (has_own) apply(table.slot(), name);
  return logger;
}

}  // namespace steno::runtime

namespace steno::detail {

void set_logger_level(const LoggerState* logger, Level level) {
  if (!is_inside() && enter_process()) runtime::Levels::instance().set_logger_level(*logger, level);
}

}  // namespace steno::detail
