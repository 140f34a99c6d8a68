#include "logfile/closed_name.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace steno::logfile {
namespace {

constexpr std::size_t kMostDigits = 18;
constexpr std::string_view kTimeShape = "0000-00-00T00-00-00";
constexpr std::size_t kDateSize = 10;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? !is_digit(text[i]) : text[i] != shape[i]) return false;
  }
  return true;
}

Status refused(std::string_view pattern, const std::string& why) {
  return {StatusCode::kInvalidArgument, "rotation.name is '" + std::string(pattern) + "'; " + why};
}

}  // namespace

Result<ClosedName> ClosedName::parse(std::string_view pattern, std::string_view live) {
  const std::size_t dot = live.rfind('.');
  const bool has_dot = dot != std::string_view::npos && dot != 0;
  const std::string stem(live.substr(0, has_dot ? dot : live.size()));
  const std::string ext(has_dot ? live.substr(dot) : std::string_view());
  ClosedName name;
  bool placed = false;  // what tells names apart that would be the same
  bool differs = false;
  for (std::string_view rest = pattern; !rest.empty();) {
    const std::size_t brace = std::min(rest.find_first_of("{}"), rest.size());
    if (brace != 0) name.pieces_.push_back({Field::kText, std::string(rest.substr(0, brace))});
    rest.remove_prefix(brace);
    if (rest.empty()) break;
    const std::size_t end = rest.find('}');
    const std::string_view field = end != std::string_view::npos ? rest.substr(0, end + 1) : rest;
    rest.remove_prefix(field.size());
    if (field == "{stem}") {
      name.pieces_.push_back({Field::kText, stem});
    } else if (field == "{ext}") {
      if (!placed) name.pieces_.push_back({Field::kAgain, {}});
      placed = true;
      name.pieces_.push_back({Field::kText, ext});
    } else if (field == "{time}" || field == "{date}") {
      name.pieces_.push_back({field == "{time}" ? Field::kTime : Field::kDate, {}});
      differs = true;
    } else if (field == "{n}") {
      name.pieces_.push_back({Field::kNumber, {}});
      differs = true;
    } else if (field == "{pid}") {
      name.pieces_.push_back({Field::kPid, {}});
    } else {
      return refused(pattern, "its only fields can be {stem}, {ext}, {time}, {date}, {n} and {pid}");
    }
  }
  if (!placed) name.pieces_.push_back({Field::kAgain, {}});
  if (pattern.find("{stem}") == std::string_view::npos)
    return refused(pattern, "it needs {stem}, which distinguishes the logs of a directory");
  if (!differs) return refused(pattern, "it needs {time}, {date} or {n}, which distinguish closed files");
  if (pattern.find('/') != std::string_view::npos)
    return refused(pattern, "it must not contain '/': closed files stay in the directory of the log");
  return name;
}

bool ClosedName::has_number() const {
  return std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return p.field == Field::kNumber; });
}

std::string ClosedName::make(const std::string& time, std::uint64_t number, std::uint32_t again) const {
  std::string name;
  for (const Piece& piece : pieces_) {
    switch (piece.field) {
      case Field::kText:
        name += piece.text;
        break;
      case Field::kTime:
        name += time;
        break;
      case Field::kDate:
        name += time.substr(0, kDateSize);
        break;
      case Field::kNumber:
        name += std::to_string(number);
        break;
      case Field::kPid:
        name += std::to_string(getpid());
        break;
      case Field::kAgain:
        if (again >= 2) name += "_" + std::to_string(again);
        break;
    }
  }
  return name;
}

bool ClosedName::matches(std::string_view name, std::uint64_t* number) const {
  *number = 0;
  return matches(0, name, number);
}

bool ClosedName::matches(std::size_t piece, std::string_view rest, std::uint64_t* number) const {
  if (piece == pieces_.size()) return rest.empty();
  const Piece& here = pieces_[piece];
  const auto go_on = [&](std::size_t taken) { return matches(piece + 1, rest.substr(taken), number); };
  std::size_t start = 0;
  switch (here.field) {
    case Field::kText:
      return rest.starts_with(here.text) && go_on(here.text.size());
    case Field::kTime:
      return has_shape(rest, kTimeShape) && go_on(kTimeShape.size());
    case Field::kDate:
      return has_shape(rest, kTimeShape.substr(0, kDateSize)) && go_on(kDateSize);
    case Field::kAgain:
      if (go_on(0)) return true;
      if (!rest.starts_with('_')) return false;
      start = 1;
      break;
    case Field::kNumber:
    case Field::kPid:
      break;
  }
  for (std::size_t end = start; end < rest.size() && is_digit(rest[end]) && end - start < kMostDigits; ++end) {
    if (!go_on(end + 1)) continue;
    if (here.field == Field::kNumber) std::from_chars(rest.data() + start, rest.data() + end + 1, *number);
    return true;
  }
  return false;
}

}  // namespace steno::logfile
