// Thresholds of loggers beside a model that derives each of them anew from all that was ever set.
#include "runtime/levels.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace steno::runtime {
namespace {

using Of = LevelRule::Of;

// Models a session's levels. Rules go before levels that loggers were asked for with; the nearest name above counts,
// and the session's level where there is none.
struct LevelsModel {
  Level level = Level::kInfo;
  std::map<std::string, Level> rules;
  std::map<std::string, Level> made_with;
  std::map<std::string, Level> sinks;

  Level threshold(const std::string& name) const {
    for (std::size_t size = name.size(); size != 0 && size != std::string::npos;) {
      const std::string above = name.substr(0, size);
      if (const auto rule = rules.find(above); rule != rules.end()) return rule->second;
      if (const auto own = made_with.find(above); own != made_with.end()) return own->second;
      size = above.rfind('.');
    }
    return level;
  }
  void set(const LevelRule& rule) {
    const auto change = [&rule](std::map<std::string, Level>& levels) {
      if (rule.level.has_value()) {
        levels[rule.name] = *rule.level;
      } else {
        levels.erase(rule.name);
      }
    };
    if (rule.of == Of::kDefault) level = rule.level.value_or(level);
    if (rule.of == Of::kLogger) change(rules);
    if (rule.of == Of::kSink) change(sinks);
    if (rule.of == Of::kReset) {
      rules.clear();
      sinks.clear();
    }
  }
};

class LevelsTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSlot = 40;  // no session's
  static constexpr const char* kNames[] = {"a", "a.b", "a.b.c", "a.bc", "ab", "b", "b.a", "b.a.b.c", "c.d"};
  static constexpr const char* kSinks[] = {"console", "app.log"};

  std::size_t below(std::size_t n) { return random_() % n; }
  Level any_level() { return static_cast<Level>(below(8)); }
  std::optional<Level> any_level_or_none() { return below(4) == 0 ? std::nullopt : std::optional<Level>(any_level()); }
  std::string any_name() { return kNames[below(std::size(kNames))]; }

  LevelRule any_rule() {
    switch (below(8)) {
      case 0:
        return {Of::kDefault, "", 0, any_level_or_none()};
      case 1:
        return {Of::kReset, "", 0, std::nullopt};
      case 2:
        return {Of::kSink, kSinks[below(2)], 0, any_level_or_none()};
      default:
        return {Of::kLogger, any_name(), 0, any_level_or_none()};
    }
  }
  std::vector<LevelRule> any_rules() {
    std::vector<LevelRule> rules(below(4));
    for (LevelRule& rule : rules) {
      rule = any_rule();
      model_.set(rule);
    }
    return rules;
  }

  void change() {
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        const std::string name = any_name();
        const std::optional<Level> made_with = any_level_or_none();
        if (made_with.has_value()) model_.made_with[name] = *made_with;
        const detail::LoggerState* const found = table_.find(name);
        const detail::LoggerState* const logger =
            levels_.logger(table_, name, made_with, [&](Level threshold) { return table_.add(name, threshold); });
        ASSERT_TRUE(found == nullptr || found == logger) << name;
        break;
      }
      case 3:
      case 4: {
        const std::uint32_t id = static_cast<std::uint32_t>(below(table_.size()));
        const Level level = any_level();
        const bool open = !table_.state(id).closed;
        if (open && id == 0) model_.level = level;
        if (open && id != 0) model_.rules[table_.name(id)] = level;
        levels_.set_logger_level(table_.state(id), level);
        break;
      }
      case 5:
        if (below(10) == 0) {
          levels_.end_session(kSlot);
          closed_ = table_.size();
          model_ = {any_level(), {}, {}, {}};
          const Level level = model_.level;
          levels_.begin_session(kSlot, level, any_rules());
          break;
        }
        [[fallthrough]];
      default:
        levels_.add(kSlot, any_rules());
    }
  }

  void check() {
    EXPECT_EQ(levels_.level(kSlot), model_.level);
    for (std::uint32_t id = 0; id < closed_; ++id) {
      EXPECT_TRUE(table_.state(id).closed);
      EXPECT_EQ(static_cast<Level>(table_.state(id).threshold), kLevelOff) << "it refuses everything for good";
    }
    for (std::uint32_t id = closed_; id < table_.size(); ++id) {
      EXPECT_EQ(static_cast<Level>(table_.state(id).threshold), model_.threshold(table_.name(id))) << table_.name(id);
    }
    for (const char* sink : kSinks) {
      const auto rule = model_.sinks.find(sink);
      const auto expected = rule == model_.sinks.end() ? std::nullopt : std::optional<Level>(rule->second);
      EXPECT_EQ(levels_.sink_level(kSlot, sink), expected) << sink;
      if (last_sinks_.contains(sink) && last_sinks_[sink] != expected) {
        EXPECT_NE(levels_.sink_changes(), last_changes_) << "a sink would not look again";
      }
      last_sinks_[sink] = expected;
    }
    last_changes_ = levels_.sink_changes();
  }

  std::mt19937 random_{11};
  Levels& levels_ = Levels::instance();
  LoggerTable& table_ = *LoggerTable::of(kSlot);
  LevelsModel model_;
  std::uint32_t closed_ = 0;  // loggers of sessions that ended
  std::map<std::string, std::optional<Level>> last_sinks_;
  std::uint64_t last_changes_ = 0;
};

TEST_F(LevelsTest, ThresholdsFollowFromAllThatWasSet) {
  levels_.begin_session(kSlot, Level::kInfo, {});
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    change();
    check();
  }
  EXPECT_GT(closed_, 0u);
}

}  // namespace
}  // namespace steno::runtime
