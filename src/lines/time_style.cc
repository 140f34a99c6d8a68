#include "lines/time_style.h"

#include <algorithm>

#include "lines/time_text.h"

namespace steno::lines {
namespace {

struct Directive {
  char name;
  std::size_t most;  // characters
};
constexpr Directive kDirectives[] = {
    {'Y', 6}, {'m', 2}, {'d', 2}, {'e', 2}, {'H', 2}, {'I', 2},  {'M', 2},  {'S', 2},
    {'y', 2}, {'j', 3}, {'b', 3}, {'B', 9}, {'a', 3}, {'A', 9},  {'F', 12}, {'T', 8},
    {'R', 5}, {'D', 8}, {'p', 2}, {'z', 5}, {'Z', 8}, {'s', 12}, {'u', 1},  {'%', 1},
};

Status bad_style(std::string_view text) {
  return {StatusCode::kInvalidArgument,
          "'" + std::string(text) +
              "' is no format of times; write s, ms, us, ns, relative, delta, or a pattern like " + "%H:%M:%S.%3f"};
}

}  // namespace

Result<std::shared_ptr<TimeStyle>> TimeStyle::parse(std::string_view text) {
  auto style = std::make_shared<TimeStyle>();
  constexpr std::string_view kUnits[] = {"s", "ms", "us", "ns"};
  const auto* const unit = std::find(std::begin(kUnits), std::end(kUnits), text);
  if (unit != std::end(kUnits)) {
    style->digits_ = static_cast<unsigned>(unit - std::begin(kUnits)) * 3;
  } else if (text == "relative") {
    style->kind_ = Kind::kRelative;
  } else if (text == "delta") {
    style->kind_ = Kind::kDelta;
  } else {
    if (Status status = style->parse_pattern(text); !status.ok()) return status;
  }
  return style;
}

Status TimeStyle::parse_pattern(std::string_view text) {
  kind_ = Kind::kPattern;
  plain_ = std::all_of(text.begin(), text.end(),
                       [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\' && c != ',' && c != '='; });
  std::string literal;
  std::size_t most = 0;
  const auto end_literal = [&] {
    if (!literal.empty()) pieces_.push_back({std::move(literal)});
    literal.clear();
  };
  bool any = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      literal += text[at];
      ++most;
      continue;
    }
    any = true;
    std::string_view rest = text.substr(at + 1);
    const unsigned digits = !rest.empty() && (rest[0] == '3' || rest[0] == '6' || rest[0] == '9')
                                ? static_cast<unsigned>(rest[0] - '0')
                                : 0;
    if (digits != 0) rest.remove_prefix(1);
    if (rest.empty()) return bad_style(text);
    if (rest[0] == 'f') {
      end_literal();
      pieces_.push_back({"", digits != 0 ? digits : 9});
      most += 9;
    } else {
      const auto* const found = std::find_if(std::begin(kDirectives), std::end(kDirectives),
                                             [&](const Directive& one) { return one.name == rest[0]; });
      if (found == std::end(kDirectives) || digits != 0) return bad_style(text);
      most += found->most;
      if (rest[0] == 's') {
        end_literal();
        pieces_.push_back({"", 0, true});
      } else {
        literal += '%';
        literal += rest[0];
      }
    }
    at = static_cast<std::size_t>(rest.data() - text.data());
  }
  end_literal();
  if (!any) return bad_style(text);
  if (most > TimeText::kRoom) {
    return {StatusCode::kInvalidArgument, "'" + std::string(text) + "' may take " + std::to_string(most) +
                                              " characters; a time has at most " + std::to_string(TimeText::kRoom)};
  }
  return {};
}

}  // namespace steno::lines
