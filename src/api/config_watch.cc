#include "api/config_watch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/log_paths.h"
#include "api/start_options.h"
#include "base/level_rules.h"
#include "runtime/levels.h"

namespace steno::api {
namespace {

// Options as a program without options would have them, of the file: to hear what is wrong with it.
Status read_alone(const Options& options, ConfigFile* file) {
  Options read;
  read.config = options.config;
  // The program's affair, if the file does not name one.
  read.path = options.path.empty() ? "none" : escaped_path(options.path);
  read.on_warning = [](const std::string&) {};
  return complete(&read, file);
}

bool has_rule(const std::vector<LevelRule>& rules, const LevelRule& rule) {
  return std::any_of(rules.begin(), rules.end(), [&rule](const LevelRule& one) { return one.replaces(rule); });
}

// The session's level that the file asks for; none: it asks for none.
std::optional<Level> default_of(const ConfigFile& file) {
  std::optional<Level> level = file.level;
  for (const LevelRule& rule : parse_level_rules(file.levels).rules) {
    if (rule.of == LevelRule::Of::kDefault && rule.level.has_value()) level = rule.level;
  }
  return level;
}

}  // namespace

ConfigWatch::ConfigWatch(std::uint32_t slot, const Options& options, const ConfigFile* file, Level level_without)
    : slot_(slot), options_(options), level_without_(level_without) {
  if (file != nullptr) {
    file_ = *file;
  } else {
    (void)read_alone(options_, &file_);
  }
  watch_ = std::make_unique<FileWatch>(options_.config, file_.stamp, [this] { read(); });
  if (!options_.scribe_thread) return;
  if (const Status status = watch_->start(); !status.ok()) warn(options_, status.message());
}

void ConfigWatch::read() {
  ConfigFile now;
  if (const Status status = read_alone(options_, &now); !status.ok()) {
    warn(options_, status.message() + "; the previous configuration stays in effect");
    return;
  }
  take_levels(now);
  warn_of_others(now);
  file_ = std::move(now);
}

// Resets levels that are no longer in the file. Settings that did not change are left alone, because set_levels() or
// `steno ctl` may have changed the levels since.
void ConfigWatch::take_levels(const ConfigFile& now) {
  std::vector<LevelRule> rules;
  if (const auto level = default_of(now); level != default_of(file_))
    rules.push_back({.level = level.value_or(level_without_)});
  if (now.levels != file_.levels) {
    std::vector<LevelRule> fresh = parse_level_rules(now.levels).rules;
    std::erase_if(fresh, [](const LevelRule& rule) { return rule.of == LevelRule::Of::kDefault; });
    for (LevelRule& old : parse_level_rules(file_.levels).rules) {
      if (old.of == LevelRule::Of::kDefault || old.of == LevelRule::Of::kReset || has_rule(fresh, old)) continue;
      old.level.reset();
      rules.push_back(std::move(old));
    }
    rules.insert(rules.end(), fresh.begin(), fresh.end());
  }
  for (std::size_t i = 0; i < now.sinks.size() && i < file_.sinks.size(); ++i) {
    if (now.sinks[i].first != file_.sinks[i].first || now.sinks[i].second == file_.sinks[i].second) continue;
    rules.push_back({LevelRule::Of::kSink, now.sinks[i].first, 0, now.sinks[i].second});
  }
  if (rules.empty()) return;
  const std::vector<LevelRule> environment = environment_rules();
  rules.insert(rules.end(), environment.begin(), environment.end());
  runtime::Levels::instance().add(slot_, rules);
}

void ConfigWatch::warn_of_others(const ConfigFile& now) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::string> changed;
  for (const auto& [name, setting] : now.settings) {
    if (is_level_of_sink(name)) continue;
    const auto before = file_.settings.find(name);
    if (before == file_.settings.end() || before->second.value != setting.value) changed.push_back(name);
  }
  for (const auto& [name, setting] : file_.settings) {
    if (now.settings.find(name) == now.settings.end() && !is_level_of_sink(name)) changed.push_back(name);
  }
  if (changed.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < changed.size() && i < kMostNamed; ++i) list += (i != 0 ? ", " : "") + changed[i];
  if (changed.size() > kMostNamed) list += " and " + std::to_string(changed.size() - kMostNamed) + " more";
  warn(options_, options_.config + " has changed: " + list + " will take effect when the program is restarted");
}

}  // namespace steno::api
