#include "options/user_settings.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "api/toml_tree.h"
#include "base/suggest.h"
#include "lines/pattern.h"
#include "lines/time_style.h"

namespace steno::cli {
namespace {

UserSettings the_settings;

using TomlKind = api::TomlNode::Kind;

// Empty: it is right; else what is wrong with the value.
std::string check_format(const std::string& text) {
  const auto pattern = lines::parse_pattern(text, lines::OtherNames::kArguments);
  return pattern.ok() ? "" : pattern.status().message();
}
std::string check_columns(const std::string& text) {
  const auto columns = lines::parse_columns(text);
  return columns.ok() ? "" : columns.status().message();
}
std::string check_time_format(const std::string& text) {
  const auto style = lines::TimeStyle::parse(text);
  return style.ok() ? "" : style.status().message();
}
std::string check_when(const std::string& text) {
  return text == "auto" || text == "always" || text == "never" ? "" : R"(write "auto", "always" or "never")";
}
std::string check_nothing(const std::string& /*text*/) {
  return "";
}

struct Setting {
  const char* name;
  std::optional<std::string> UserSettings::*value;
  std::string (*check)(const std::string& text);
  const char* example;
};
constexpr Setting kSettings[] = {
    {"format", &UserSettings::format, check_format, R"("{time} {level} {message}")"},
    {"columns", &UserSettings::columns, check_columns, R"("time,thread,message")"},
    {"time_format", &UserSettings::time_format, check_time_format, R"("ms")"},
    {"show_context", &UserSettings::show_context, check_when, R"("always")"},
    {"color", &UserSettings::color, check_when, R"("never")"},
    {"pager", &UserSettings::pager, check_nothing, R"("less -FRX", or "" for none)"},
};

Status setting_error(const std::string& path, const api::TomlNode& node, const std::string& what) {
  return {StatusCode::kInvalidArgument,
          path + ":" + std::to_string(node.line) + ":" + std::to_string(node.column) + ": " + what};
}

Status take_setting(const std::string& path, const api::TomlNode& node, UserSettings* out) {
  for (const Setting& setting : kSettings) {
    if (node.key != setting.name) continue;
    std::string text = node.string;
    if (node.kind == TomlKind::kArray && setting.value == &UserSettings::columns) {
      text.clear();
      for (const api::TomlNode& one : node.children) text += (text.empty() ? "" : ",") + one.string;
    } else if (node.kind != TomlKind::kString) {
      return setting_error(path, node, node.key + " is a text; write " + node.key + " = " + setting.example);
    }
    if (const std::string wrong = setting.check(text); !wrong.empty()) {
      return setting_error(path, node, node.key + ": " + wrong);
    }
    out->*setting.value = text;
    return {};
  }
  std::vector<std::string> names;
  for (const Setting& setting : kSettings) names.emplace_back(setting.name);
  return setting_error(path, node, "there is no setting '" + node.key + "'" + did_you_mean(node.key, names));
}

}  // namespace

std::string user_settings_path() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return std::string(config) + "/steno/steno.toml";  // else it does not count
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/steno/steno.toml" : "";
}

Status read_user_settings() {
  the_settings = {};
  const std::string path = user_settings_path();
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return {StatusCode::kInvalidArgument, path + ": cannot be read: " + std::strerror(errno)};
  }
  std::string text;
  char piece[4096];
  do {
    file.read(piece, sizeof piece);
    text.append(piece, static_cast<std::size_t>(file.gcount()));
  } while (file);
  if (file.bad()) return {StatusCode::kInvalidArgument, path + ": cannot be read: " + std::strerror(errno)};
  auto tree = api::parse_toml(text);
  if (!tree.ok()) return {tree.status().code(), path + ":" + tree.status().message()};
  UserSettings found;
  for (const api::TomlNode& node : tree->children) {
    if (Status status = take_setting(path, node, &found); !status.ok()) return status;
  }
  if (found.format && found.columns) {
    return {StatusCode::kInvalidArgument, path + ": format and columns cannot both be set; remove one of them"};
  }
  the_settings = std::move(found);
  return {};
}

const UserSettings& user_settings() {
  return the_settings;
}

}  // namespace steno::cli
