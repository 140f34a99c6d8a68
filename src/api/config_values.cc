#include "api/config_values.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/byte_unit.h"
#include "base/level_name.h"
#include "base/suggest.h"

namespace steno::api {
namespace {

constexpr std::size_t kMostProblems = 10;

// A number and the unit after it. False: it is none.
bool parse_quantity(std::string_view text, std::uint64_t* number, std::string_view* unit) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (error != std::errc()) return false;
  *unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit->starts_with(' ')) unit->remove_prefix(1);
  return true;
}

std::string is_not(const TomlNode& node, const std::string& expected) {
  if (node.kind != TomlNode::Kind::kString) return "must be " + expected;
  return "is '" + node.string + "'; it must be " + expected;
}

}  // namespace

void ConfigProblems::add(const TomlNode& at, const std::string& what) {
  if (problems_.size() == kMostProblems) {
    ++more_;
    return;
  }
  problems_.push_back(std::to_string(at.line) + ':' + std::to_string(at.column) + ": " + what);
}

std::string ConfigProblems::text() const {
  std::string text;
  for (const std::string& problem : problems_) text += (text.empty() ? "" : "; ") + problem;
  if (more_ != 0) text += "; and " + std::to_string(more_) + " more";
  return text;
}

TakeValue take_text(std::string* to) {
  return [to](const TomlNode& node) -> std::string {
    if (node.kind != TomlNode::Kind::kString) return "must be a string";
    if (node.string.find('\0') != std::string::npos) return "must not hold a NUL";
    *to = node.string;
    return {};
  };
}

TakeValue take_bool(bool* to) {
  return [to](const TomlNode& node) -> std::string {
    if (node.kind != TomlNode::Kind::kBool) return is_not(node, "true or false");
    *to = node.boolean;
    return {};
  };
}

TakeValue take_integer(std::int64_t least, std::int64_t most, std::function<void(std::int64_t)> set) {
  return [=, set = std::move(set)](const TomlNode& node) -> std::string {
    const std::string expected = "a whole number, " + std::to_string(least) + " to " + std::to_string(most);
    if (node.kind != TomlNode::Kind::kInteger) return is_not(node, expected);
    if (node.integer < least || node.integer > most)
      return "is " + std::to_string(node.integer) + "; it must be " + expected;
    set(node.integer);
    return {};
  };
}

TakeValue take_size(std::function<void(std::uint64_t)> set) {
  return [set = std::move(set)](const TomlNode& node) -> std::string {
    constexpr const char* kExpected = "a number of bytes, or as \"64 KiB\", \"8 MiB\", \"100 MB\"";
    if (node.kind == TomlNode::Kind::kInteger) {
      if (node.integer < 0) return "is " + std::to_string(node.integer) + "; it must be " + kExpected;
      set(static_cast<std::uint64_t>(node.integer));
      return {};
    }
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t number = 0;
    std::string_view unit;
    if (node.kind == TomlNode::Kind::kString && parse_quantity(node.string, &number, &unit)) {
      const std::uint64_t bytes = byte_unit(unit);
      if (bytes != 0 && number <= kMost / bytes) {
        set(number * bytes);
        return {};
      }
    }
    return is_not(node, kExpected);
  };
}

TakeValue take_duration(std::function<void(std::chrono::milliseconds)> set, bool forever) {
  return [set = std::move(set), forever](const TomlNode& node) -> std::string {
    constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
    constexpr std::uint64_t kMost = 1'000'000'000'000'000;  // ms
    std::uint64_t number = 0;
    std::string_view unit;
    if (node.kind == TomlNode::Kind::kString) {
      if (forever && node.string == "forever") {
        set(std::chrono::milliseconds::max());
        return {};
      }
      if (parse_quantity(node.string, &number, &unit)) {
        for (const auto& [name, ms] : kUnits) {
          if (unit != name || number > kMost / ms) continue;
          set(std::chrono::milliseconds(number * ms));
          return {};
        }
      }
    }
    return is_not(node, forever ? "a time as \"250ms\", \"5s\", \"10m\", \"2h\", \"7d\", or \"forever\""
                                : "a time as \"250ms\", \"5s\", \"10m\", \"2h\", \"7d\"");
  };
}

TakeValue take_level(Level* to) {
  return [to](const TomlNode& node) -> std::string {
    if (node.kind == TomlNode::Kind::kString && parse_level(node.string, to)) return {};
    return is_not(node, "the name of a level: trace, debug, info, notice, warn, error, critical or off");
  };
}

TakeValue take_file_mode(unsigned* to) {
  return [to](const TomlNode& node) -> std::string {
    constexpr std::int64_t kMost = 0777;
    std::int64_t mode = node.kind == TomlNode::Kind::kInteger ? node.integer : -1;
    if (node.kind == TomlNode::Kind::kString) {
      const char* const last = node.string.data() + node.string.size();
      const auto [end, error] = std::from_chars(node.string.data(), last, mode, 8);
      if (error != std::errc() || end != last) mode = -1;
    }
    if (mode < 0 || mode > kMost) return is_not(node, "permissions as 0o640 or \"0640\", up to 0o777");
    *to = static_cast<unsigned>(mode);
    return {};
  };
}

std::string one_of(const std::vector<const char*>& names, const TomlNode& node, std::size_t* found) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (node.kind == TomlNode::Kind::kString && node.string == names[i]) {
      *found = i;
      return {};
    }
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  }
  return is_not(node, list);
}

void take_table(const TomlNode& table, const std::vector<ConfigKey>& keys, const std::string& where,
                ConfigProblems& problems) {
  for (const TomlNode& node : table.children) {
    const std::string& name = node.key;
    const auto key = std::find_if(keys.begin(), keys.end(), [&name](const ConfigKey& k) { return k.name == name; });
    const std::string full = where.empty() ? name : where + '.' + name;
    if (key == keys.end()) {
      std::vector<std::string> names;
      for (const ConfigKey& known : keys) names.emplace_back(known.name);
      problems.add(node, "there is no option '" + full + "'" + did_you_mean(name, names));
      continue;
    }
    const std::string problem = key->take(node);
    if (!problem.empty()) problems.add(node, full + ' ' + problem);
  }
}

const TomlNode* as_table(const TomlNode& node, const std::string& where, ConfigProblems& problems) {
  if (node.kind == TomlNode::Kind::kTable) return &node;
  problems.add(node, where + " must be a table");
  return nullptr;
}

}  // namespace steno::api
