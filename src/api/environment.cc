#include "api/environment.h"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"

namespace steno::api {
namespace {

constexpr std::size_t kMostShown = 200;

}  // namespace

std::string_view environment_value(const char* name) {
  const char* const value = secure_getenv(name);
  return value != nullptr ? value : "";
}

bool is_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::optional<bool> parse_switch(std::string_view text) {
  for (const std::string_view word : {"1", "true", "on", "yes"}) {
    if (is_word(text, word)) return true;
  }
  for (const std::string_view word : {"0", "false", "off", "no"}) {
    if (is_word(text, word)) return false;
  }
  return std::nullopt;
}

std::string shortened(std::string_view value) {
  return std::string(value.substr(0, kMostShown)) + (value.size() > kMostShown ? "…" : "");
}

std::string unknown_value(const char* name, std::string_view value, std::string_view accepted,
                          std::string_view instead) {
  return std::string(name) + " is '" + shortened(value) + "', which has no effect; it can be " + std::string(accepted) +
         "; " + std::string(instead);
}

std::string config_without_effect(const std::string& why) {
  return "STENO_CONFIG has no effect: " + why;
}

bool environment_wants_external() {
  return is_word(environment_value("STENO_SCRIBE"), "external");
}

}  // namespace steno::api
