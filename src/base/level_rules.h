// Rules that enable and disable statements, in text form (steno/session.h has the grammar):
//
//   info,net.http=debug,storage.cc=off,storage.cc:120=trace,retry*=warn,sink:console=error
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steno/level.h"

namespace steno {

struct LevelRule {
  enum class Of : std::uint8_t {
    kDefault,  // the session
    kLogger,
    kFile,
    kLine,   // of a file
    kText,   // statements whose format matches a pattern
    kSink,   // what a sink shows
    kReset,  // no rule at all: all others but the default are forgotten
  };
  Of of = Of::kDefault;
  std::string name = {};  // of the logger, file or sink, or the pattern
  std::uint32_t line = 0;
  std::optional<Level> level = {};  // none: the rule for this is forgotten ("inherit")

  bool is_of_statements() const { return of == Of::kFile || of == Of::kLine || of == Of::kText; }
  // Returns whether both rules are about the same thing, so that the later one replaces the other.
  bool replaces(const LevelRule& other) const { return of == other.of && line == other.line && name == other.name; }
};

// The most that is read of one text, and the most rules that are kept of one kind.
inline constexpr std::size_t kMostRuleText = std::size_t{64} << 10;
inline constexpr std::size_t kMostRules = 4096;

struct LevelRules {
  std::vector<LevelRule> rules;
  std::vector<std::string> problems;  // a sentence for each rule that is left out; ten at most
};

// The problems as one sentence.
std::string joined(const std::vector<std::string>& problems);

// Whatever the text is, the rules that can be read are read.
LevelRules parse_level_rules(std::string_view text);

// The text of a rule for `target`, which is FILE, FILE:LINE, or else a pattern of formats: "target=level".
std::string statement_rule(std::string_view target, std::string_view level);

// Evaluates the rules for a statement: rules for its line or text take precedence over those for its file; of equal
// ones the last counts.
std::optional<Level> level_of_statement(const std::vector<LevelRule>& rules, std::string_view file, std::uint32_t line,
                                        std::string_view format);

}  // namespace steno
