#include "lines/text_program.h"

#include <utility>

#include "lines/time_text.h"

namespace steno::lines {
namespace {

constexpr std::size_t kSlack = 2 * kCopyStep;  // after literals

const char* colour_of(Level level) {
  switch (level) {
    case Level::kTrace:
    case Level::kDebug:
      return "\x1b[2m";
    case Level::kInfo:
      return "";
    case Level::kNotice:
      return "\x1b[36m";
    case Level::kWarn:
      return "\x1b[33m";
    case Level::kError:
      return "\x1b[31m";
    case Level::kCritical:
      return "\x1b[1;31m";
  }
  return "";
}

std::string coloured(const std::string& text, Level level) {
  const std::string_view colour = colour_of(level);
  if (colour.empty()) return text;
  std::string result(colour);
  return result.append(text).append("\x1b[0m");
}

std::string padded(std::string text) {
  while (text.size() < 6) text += ' ';
  return text;
}

// Returns whether a field is the same for all records of a site and logger, in any pattern.
bool is_fixed(Field field) {
  switch (field) {
    case Field::kLiteral:
    case Field::kLevel:
    case Field::kLevelCode:
    case Field::kPaddedLevel:
    case Field::kFile:
    case Field::kSite:
    case Field::kBasename:
    case Field::kLine:
    case Field::kFunction:
    case Field::kFormat:
    case Field::kLogger:
    case Field::kLoggerIfNamed:
      return true;
    default:
      return false;
  }
}

// The field as programs have it. What lines show of the process is part of the thread's text, since a thread is of one
// process.
Field changing_field(const Piece& piece) {
  return piece.field == Field::kOriginAndThread ? Field::kThread : piece.field;
}

// Time, thread and message are all that differs from record to record, in that order, but for context at the end.
bool has_usual_fields(const std::vector<Piece>& pattern) {
  std::vector<Field> fields;
  for (const Piece& piece : pattern) {
    if (!is_fixed(piece.field)) fields.push_back(changing_field(piece));
  }
  if (!fields.empty() && fields.back() == Field::kContextIfAny) fields.pop_back();
  return fields == std::vector<Field>{Field::kTime, Field::kThread, Field::kMessage};
}

// From that value on.
bool has_context(const reader::Site& site, std::size_t first) {
  if (site.layout() == nullptr) return false;
  for (std::size_t i = first; i < site.layout()->fields.size(); ++i) {
    if (!site.presences().is_field(i)) return true;
  }
  return false;
}
bool has_context(const reader::Site& site) {
  return site.layout() != nullptr && has_context(site, site.layout()->fields.size() - site.info().context.size());
}

}  // namespace

std::size_t first_context(const reader::Site& site) {
  if (site.layout() == nullptr) return 0;
  const std::vector<std::string>& names = site.info().context;
  const bool is_span = names.size() >= 2 && names[0] == "span" && names[1] == "parent";
  return site.layout()->fields.size() - names.size() + (is_span ? 2 : 0);
}

TextPrograms::TextPrograms(const LineOptions& options) : options_(options), usual_(has_usual_fields(options.pattern)) {}

const TextProgram& TextPrograms::of(const reader::DecodedGroup& group) {
  std::vector<std::unique_ptr<TextProgram>>& programs =
      programs_.get(group.site->ordinal(), [] { return std::vector<std::unique_ptr<TextProgram>>(); });
  for (const auto& program : programs) {
    if (program->logger == group.logger) return *program;
  }
  programs.push_back(std::make_unique<TextProgram>(compile(*group.site, *group.logger)));
  return *programs.back();
}

TextProgram TextPrograms::compile(const reader::Site& site, const reader::Logger& logger) const {
  TextProgram program;
  program.logger = &logger;
  std::string literal;
  const auto add = [&](Field field) {
    program.ops.push_back(
        {static_cast<std::uint32_t>(program.literals.size()), static_cast<std::uint32_t>(literal.size()), field});
    program.literals += std::exchange(literal, {});
    const bool is_time = field == Field::kTime || field == Field::kStyledTime;
    program.room += is_time ? TimeText::kRoom : kCopyStep;
  };
  std::uint32_t styled = 0;
  for (const Piece& piece : options_.pattern) {
    if (append_fixed(piece, site, logger, literal)) continue;
    add(changing_field(piece));
    if (piece.field == Field::kStyledTime) program.ops.back().argument = styled++;
    if (piece.field == Field::kArgument) program.ops.back().argument = *site.find_argument(piece.literal);
  }
  literal += '\n';
  if (usual_ && site.printer() != nullptr && program.ops.back().field == Field::kMessage) {
    program.messages = MessageProgram::compile(*site.printer(), options_.escape, literal);
  }
  add(Field::kLiteral);
  program.room += program.literals.size() + kSlack;
  program.literals.append(kSlack, '\0');
  return program;
}

// False: the field differs from record to record.
bool TextPrograms::append_fixed(const Piece& piece, const reader::Site& site, const reader::Logger& logger,
                                std::string& out) const {
  const wire::SiteInfo& info = site.info();
  const std::string level = level_name(info.level);
  switch (piece.field) {
    case Field::kLiteral:
      out += piece.literal;
      return true;
    case Field::kLevel:
      out += options_.colour ? coloured(level, info.level) : level;
      return true;
    case Field::kLevelCode:
      out += options_.colour ? coloured(level.substr(0, 1), info.level) : level.substr(0, 1);
      return true;
    case Field::kPaddedLevel:
      out += options_.colour ? coloured(padded(level), info.level) : padded(level);
      return true;
    case Field::kFile:
      out += escaped(info.file, options_.escape);
      return true;
    case Field::kSite:
      out += escaped(info.file, options_.escape) + ":" + std::to_string(info.line);
      return true;
    case Field::kBasename:
      out += site.known() ? escaped(info.file.substr(info.file.rfind('/') + 1), options_.escape) : "?";
      return true;
    case Field::kLine:
      out += std::to_string(info.line);
      return true;
    case Field::kFunction:
      out += escaped(info.function, options_.escape);
      return true;
    case Field::kFormat:
      out += escaped(info.format, options_.escape);
      return true;
    case Field::kArgument:
      return !site.find_argument(piece.literal);  // nothing, where there is none
    case Field::kContext:
      return !has_context(site);
    case Field::kContextIfAny:
      return !has_context(site, first_context(site));
    case Field::kLogger:
    case Field::kLoggerIfNamed:
      out += escaped(logger.info.name, options_.escape);
      if (piece.field == Field::kLoggerIfNamed && !logger.info.name.empty()) out += ' ';
      return true;
    default:
      return false;
  }
}

}  // namespace steno::lines
