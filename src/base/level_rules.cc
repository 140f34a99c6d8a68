#include "base/level_rules.h"

#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/level_name.h"
#include "base/name_match.h"

namespace steno {
namespace {

constexpr std::size_t kMostProblems = 10;
constexpr std::size_t kMostShown = 60;  // of a rule that is wrong
constexpr std::string_view kLevels = "TRACE, DEBUG, INFO, NOTICE, WARN, ERROR, CRITICAL, OFF or 0 to 7";
constexpr std::array<std::string_view, 14> kSourceEndings = {"c",   "cc",  "cpp", "cxx", "c++", "h", "hh",
                                                             "hpp", "hxx", "h++", "inc", "ipp", "m", "mm"};

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string shown(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, kMostShown)) out += static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
  return out + (text.size() > kMostShown ? "…'" : "'");
}

bool is_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(text[i]) != word[i]) return false;
  }
  return true;
}

bool is_file_name(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return true;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  for (const std::string_view ending : kSourceEndings) {
    if (is_word(name.substr(dot + 1), ending)) return true;
  }
  return false;
}

// The number after the last colon; false: there is none.
bool split_line(std::string_view text, std::string_view* file, std::uint32_t* line) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 9) return false;
  std::uint32_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  *file = text.substr(0, colon);
  *line = value;
  return true;
}

// Cuts the next rule off a text. Commas within quotes belong to it, as does a character after a backslash.
std::string_view next_rule(std::string_view* rest) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < rest->size(); ++end) {
    const char c = (*rest)[end];
    if (c == '\\') {
      ++end;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      break;
    }
  }
  if (end > rest->size()) end = rest->size();
  const std::string_view rule = rest->substr(0, end);
  rest->remove_prefix(end < rest->size() ? end + 1 : end);
  return rule;
}

// Finds the texts before and after the equals sign that divides a rule; false: there is none.
bool split_rule(std::string_view rule, std::string_view* target, std::string_view* level) {
  const std::size_t equals = rule.rfind('=');
  const std::size_t quote = rule.rfind('"');
  if (equals == std::string_view::npos || (quote != std::string_view::npos && quote > equals)) return false;
  *target = trimmed(rule.substr(0, equals));
  *level = trimmed(rule.substr(equals + 1));
  return true;
}

// A sentence about what is wrong; empty: nothing.
std::string parse_target(std::string_view target, LevelRule* rule) {
  std::string_view file;
  constexpr std::string_view kSink = "sink:";
  if (target.empty()) return "has nothing before '='; write LOGGER=LEVEL, FILE=LEVEL or FILE:LINE=LEVEL";
  if (target.front() == '"') {
    if (target.size() < 3 || target.back() != '"') return "has a pattern that is empty or lacks its closing quote";
    rule->of = LevelRule::Of::kText;
    rule->name = target.substr(1, target.size() - 2);
  } else if (target.find('*') != std::string_view::npos) {
    rule->of = LevelRule::Of::kText;
    rule->name = target;
  } else if (target == kSink) {
    return "names no sink; write sink:NAME=LEVEL";
  } else if (target.starts_with(kSink) && target.find_first_not_of("0123456789", kSink.size()) != target.npos) {
    rule->of = LevelRule::Of::kSink;
    rule->name = target.substr(kSink.size());
  } else if (split_line(target, &file, &rule->line)) {
    if (rule->line == 0) return "has line 0; lines count from 1";
    rule->of = LevelRule::Of::kLine;
    rule->name = file;
  } else {
    rule->of = is_file_name(target) ? LevelRule::Of::kFile : LevelRule::Of::kLogger;
    rule->name = target;
  }
  return {};
}

std::string parse_rule(std::string_view text, LevelRule* rule) {
  Level level{};
  if (is_word(text, "reset")) {
    rule->of = LevelRule::Of::kReset;
    return {};
  }
  std::string_view target;
  std::string_view word;
  if (!split_rule(text, &target, &word)) {
    if (!parse_level(text, &level)) return "is not a level: it can be " + std::string(kLevels) + ", or NAME=LEVEL";
    rule->level = level;
    return {};
  }
  if (std::string problem = parse_target(target, rule); !problem.empty()) return problem;
  if (is_word(word, "inherit")) return {};
  if (!parse_level(word, &level)) {
    return "has " + shown(word) + ", which is not a level: it can be " + std::string(kLevels) + ", or 'inherit'";
  }
  rule->level = level;
  return {};
}

}  // namespace

LevelRules parse_level_rules(std::string_view text) {
  LevelRules out;
  const auto complain = [&out](std::string what) {
    if (out.problems.size() < kMostProblems) out.problems.push_back(std::move(what));
  };
  if (text.size() > kMostRuleText) {
    complain("the rules have " + std::to_string(text.size()) + " bytes and are ignored; the maximum is 64 KiB");
    return out;
  }
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view next = trimmed(next_rule(&text));
    if (next.empty()) continue;
    LevelRule rule;
    const std::string problem = parse_rule(next, &rule);
    if (problem.empty() && out.rules.size() < kMostRules) {
      out.rules.push_back(std::move(rule));
    } else {
      complain("rule " + std::to_string(number) + ", " + shown(next) + ", " +
               (problem.empty() ? "is ignored; the maximum is 4096 rules" : problem));
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& problems) {
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
  return all;
}

std::string statement_rule(std::string_view target, std::string_view level) {
  std::string_view file = target;
  std::uint32_t line = 0;
  const bool has_line = split_line(target, &file, &line);
  const bool plain = target.find_first_of("\"\\,=* ") == std::string_view::npos;
  std::string rule;
  if (plain && (has_line || is_file_name(target))) {
    rule = target;
  } else {
    rule = "\"";
    for (const char c : target) {
      if (c == '"') rule += '\\';
      rule += c;
    }
    rule += '"';
  }
  return rule.append("=").append(level);
}

std::optional<Level> level_of_statement(const std::vector<LevelRule>& rules, std::string_view file, std::uint32_t line,
                                        std::string_view format) {
  std::optional<Level> of_file;
  for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
    switch (rule->of) {
      case LevelRule::Of::kLine:
        if (rule->line == line && path_ends_in(file, rule->name)) return rule->level;
        break;
      case LevelRule::Of::kText:
        if (matches_pattern(format, rule->name)) return rule->level;
        break;
      case LevelRule::Of::kFile:
        if (!of_file.has_value() && path_ends_in(file, rule->name)) of_file = rule->level;
        break;
      default:
        break;
    }
  }
  return of_file;
}

}  // namespace steno
