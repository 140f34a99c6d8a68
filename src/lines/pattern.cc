#include "lines/pattern.h"

#include "base/split.h"
#include "base/suggest.h"

namespace steno::lines {
namespace {

struct Name {
  const char* text;
  Field field;
};
constexpr Name kNames[] = {
    {"time", Field::kTime},         {"level", Field::kLevel},
    {"logger", Field::kLogger},     {"thread", Field::kThread},
    {"tid", Field::kTid},           {"file", Field::kFile},
    {"basename", Field::kBasename}, {"line", Field::kLine},
    {"function", Field::kFunction}, {"format", Field::kFormat},
    {"message", Field::kMessage},   {"args", Field::kArgs},
    {"pid", Field::kPid},           {"program", Field::kProgram},
    {"host", Field::kHost},         {"level_code", Field::kLevelCode},
    {"context", Field::kContext},   {"site", Field::kSite},
    {"sequence", Field::kSequence},
};

Status bad(std::string text) {
  return {StatusCode::kInvalidArgument, std::move(text)};
}

Status unknown_name(std::string_view name) {
  return bad("there is no field '" + std::string(name) + "'" + did_you_mean(name, pattern_names()));
}

constexpr std::string_view kArgumentOf = "arg:";
constexpr std::string_view kTimeIn = "time:";

// The field of this name, or an argument.
Result<Piece> piece_named(std::string_view name) {
  if (name.starts_with(kTimeIn)) {
    auto style = TimeStyle::parse(name.substr(kTimeIn.size()));
    if (!style.ok()) return bad("{time:…}: " + style.status().message());
    return Piece{Field::kStyledTime, "", false, std::move(style).value()};
  }
  if (name.starts_with(kArgumentOf) && name.size() > kArgumentOf.size()) {
    return Piece{Field::kArgument, std::string(name.substr(kArgumentOf.size()))};
  }
  for (const Name& known : kNames) {
    if (name == known.text) return Piece{known.field, ""};
  }
  return Piece{Field::kArgument, std::string(name), true};
}

class Parser {
 public:
  Parser(std::string_view pattern, OtherNames others) : text_(pattern), others_(others) {}

  Result<std::vector<Piece>> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      const char next = at_ < text_.size() ? text_[at_] : '\0';
      if ((c == '{' || c == '}') && next == c) {
        literal_ += c;
        ++at_;
      } else if (c == '{') {
        if (Status status = field(); !status.ok()) return status;
      } else if (c == '}') {
        return bad("a single '}'; write '}}' for a brace");
      } else if (c == '\\' && (next == 't' || next == 'n' || next == '\\')) {
        literal_ += next == 't' ? '\t' : next == 'n' ? '\n' : '\\';
        ++at_;
      } else {
        literal_ += c;
      }
    }
    end_literal();
    return std::move(pieces_);
  }

 private:
  Status field() {
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) return bad("'{' without '}'; write '{{' for a brace");
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end + 1;
    auto piece = piece_named(name);
    if (!piece.ok()) return piece.status();
    if (name.empty() || (piece->is_bare && others_ == OtherNames::kErrors)) return unknown_name(name);
    end_literal();
    pieces_.push_back(std::move(piece).value());
    return {};
  }

  void end_literal() {
    if (!literal_.empty()) pieces_.push_back({Field::kLiteral, std::move(literal_)});
    literal_.clear();
  }

  std::string_view text_;
  OtherNames others_;
  std::size_t at_ = 0;
  std::string literal_;
  std::vector<Piece> pieces_;
};

}  // namespace

Result<std::vector<Piece>> parse_pattern(std::string_view pattern, OtherNames others) {
  return Parser(pattern, others).run();
}

Result<std::vector<Piece>> parse_columns(std::string_view names) {
  std::vector<Piece> columns;
  for (const std::string_view name : split(names, ',')) {
    if (name.empty()) return bad("a name is missing; write time,level,message");
    auto piece = piece_named(name);
    if (!piece.ok()) return piece.status();
    columns.push_back(std::move(piece).value());
    Piece& column = columns.back();
    if (column.field != Field::kArgument) column.literal = column.field == Field::kStyledTime ? "time" : name;
  }
  return columns;
}

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const Name& known : kNames) names.emplace_back(known.text);
  return names;
}

std::vector<Piece> default_pattern(bool context, bool origin) {
  std::vector<Piece> pieces = {
      {Field::kTime, ""},     {Field::kLiteral, " "},  {Field::kPaddedLevel, ""},   {Field::kLiteral, " ["},
      {Field::kThread, ""},   {Field::kLiteral, "] "}, {Field::kLoggerIfNamed, ""}, {Field::kBasename, ""},
      {Field::kLiteral, ":"}, {Field::kLine, ""},      {Field::kLiteral, " "},      {Field::kMessage, ""},
  };
  if (origin) {
    pieces[3].literal = " ";
    pieces[4].field = Field::kOriginAndThread;
    pieces[5].literal = " ";
  }
  if (context) pieces.push_back({Field::kContextIfAny, ""});
  return pieces;
}

}  // namespace steno::lines
