// The settings of environment variables, in the spellings that people use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steno::api {

// The value of a variable; empty if it is not set, or if the program has more rights than its caller.
std::string_view environment_value(const char* name);

// "true", "on", "yes" and "1" are true, "false", "off", "no" and "0" false, whatever the case. Others: nullopt.
std::optional<bool> parse_switch(std::string_view text);

// Returns whether two words are the same but for the case of ASCII letters.
bool is_word(std::string_view text, std::string_view word);

// A value as warnings show it: its first 200 bytes.
std::string shortened(std::string_view value);

// The text of a warning: the variable, its value (shortened), the values that it can have, and what holds instead.
std::string unknown_value(const char* name, std::string_view value, std::string_view accepted,
                          std::string_view instead);

// The sentence for a file of STENO_CONFIG that cannot be used; `why` it cannot.
std::string config_without_effect(const std::string& why);

// Returns whether STENO_SCRIBE asks for an external scribe.
bool environment_wants_external();

}  // namespace steno::api
