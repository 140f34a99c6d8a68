#include "base/level_name.h"

#include "base/ascii.h"

namespace steno {
namespace {

struct LevelName {
  std::string_view name;
  Level level;
};
constexpr LevelName kNames[] = {
    {"trace", Level::kTrace},
    {"verbose", Level::kTrace},
    {"all", Level::kTrace},
    {"debug", Level::kDebug},
    {"info", Level::kInfo},
    {"information", Level::kInfo},
    {"informational", Level::kInfo},
    {"notice", Level::kNotice},
    {"warn", Level::kWarn},
    {"warning", Level::kWarn},
    {"err", Level::kError},
    {"error", Level::kError},
    {"crit", Level::kCritical},
    {"critical", Level::kCritical},
    {"fatal", Level::kCritical},
    {"alert", Level::kCritical},
    {"emerg", Level::kCritical},
    {"emergency", Level::kCritical},
    {"panic", Level::kCritical},
    {"off", kLevelOff},
    {"none", kLevelOff},
    {"quiet", kLevelOff},
    {"silent", kLevelOff},
    {"disabled", kLevelOff},
};

bool is_called(std::string_view text, std::string_view name) {
  if (text.size() != name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (lower(text[i]) != name[i]) return false;
  }
  return true;
}

}  // namespace

bool parse_level_name(std::string_view name, Level* level) {
  for (const LevelName& known : kNames) {
    if (!is_called(name, known.name)) continue;
    *level = known.level;
    return true;
  }
  return false;
}

bool parse_level(std::string_view text, Level* level) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() != 1 || text[0] < '0' || text[0] > '7') return parse_level_name(text, level);
  *level = static_cast<Level>(text[0] - '0');
  return true;
}

}  // namespace steno
