#include "options/format_options.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/suggest.h"
#include "input/inputs.h"
#include "lines/colour.h"
#include "lines/line_format.h"
#include "lines/pattern.h"
#include "options/option_checks.h"
#include "options/user_settings.h"
#include "output/lines_names.h"
#include "query/filter/filter.h"
#include "query/filter/time_spec.h"

namespace steno::cli {
namespace {

// The value of an option, of which "" means that it was not given; else what the user's file says.
std::string given_or(const std::string& option, const std::optional<std::string>& configured, const char* usual) {
  return !option.empty() ? option : configured.value_or(usual);
}

// The environment takes back some of the user's colours.
std::optional<std::string> configured_colour() {
  const char* const none = std::getenv("NO_COLOR");
  return none == nullptr || *none == '\0' ? user_settings().color : std::nullopt;
}

Colour colour_of(const std::string& when) {
  return when == "auto" ? Colour::kAuto : when == "always" ? Colour::kAlways : Colour::kNever;
}

}  // namespace

bool ChosenFormat::in_order() const {
  return std::any_of(times.begin(), times.end(),
                     [](const auto& style) { return style->kind() == lines::TimeStyle::Kind::kDelta; });
}

void ChosenFormat::begin(const reader::LogSet& logs) const {
  if (shows_origin) {
    line->origin = lines::origin_of(logs);
    if (!line->pattern.empty()) line->pattern = default_pattern(shows_context, line->origin.any());
  }
  const query::TimeSpan span = query::recorded_span(logs);
  if (span.empty()) return;
  for (const auto& style : times) style->set_base(span.first);
}

Result<std::shared_ptr<lines::TimeStyle>> parse_times(const std::string& text) {
  if (text.empty()) return std::shared_ptr<lines::TimeStyle>();
  auto style = lines::TimeStyle::parse(text);
  if (!style.ok()) return Status(style.status().code(), "--time-format: " + style.status().message());
  return style;
}

Result<ChosenFormat> choose_format(const FormatOptions& options, bool local, const Output& output) {
  ChosenFormat chosen;
  chosen.line = std::make_shared<LineOptions>();
  LineOptions& line = *chosen.line;
  line.zone = local ? Zone::kLocal : Zone::kUtc;
  line.escape = options.raw ? Escape::kRaw : output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  const UserSettings& user = user_settings();
  line.colour = wants_colour(colour_of(given_or(options.colour, configured_colour(), "auto")), output.is_terminal());
  const LineKind kind = line_kind_of(options.format);
  const bool is_text = kind == LineKind::kText;
  auto times = parse_times(is_text ? given_or(options.times, user.time_format, output.is_terminal() ? "ms" : "")
                                   : options.times);
  if (!times.ok()) return times.status();
  line.times = std::move(times).value();
  if (kind == LineKind::kJson) {
    line.big_integers = options.big_integers == "text" ? lines::BigIntegers::kTexts : lines::BigIntegers::kNumbers;
    line.units = true;
  }
  const char* const usual = std::getenv("STENO_FORMAT");
  const bool is_usual = options.pattern.empty() && options.context.empty() && options.columns.empty();
  const std::string names =
      is_usual && is_text && usual == nullptr ? user.columns.value_or(std::string()) : options.columns;
  const bool columns = !names.empty();
  if (kind != LineKind::kText && !columns && line.times != nullptr && !line.times->is_plain()) {
    return Status(StatusCode::kInvalidArgument, "--time-format: with --format " + options.format +
                                                    " a pattern has no spaces, commas, quotes, '=' or backslashes; "
                                                    "--columns may have any");
  }
  if (columns) {
    auto pattern = parse_columns(names);
    if (!pattern.ok()) return Status(pattern.status().code(), "--columns: " + pattern.status().message());
    line.pattern = std::move(pattern).value();
  } else if (is_text) {
    const std::string text = !is_usual ? options.pattern : usual != nullptr ? usual : user.format.value_or("");
    if (text.empty()) {
      const std::string context = given_or(options.context, user.show_context, "auto");
      chosen.shows_origin = true;
      chosen.shows_context = context == "always" || (context == "auto" && output.is_terminal());
      line.pattern = default_pattern(chosen.shows_context);
    } else {
      auto pattern = parse_pattern(text, OtherNames::kArguments);
      const std::string whose = is_usual ? "STENO_FORMAT: " : "--pattern: ";
      if (!pattern.ok()) return Status(pattern.status().code(), whose + pattern.status().message());
      line.pattern = std::move(pattern).value();
    }
  } else {
    chosen.shows_origin = true;
  }
  if (line.times != nullptr) chosen.times.push_back(line.times);
  for (const lines::Piece& piece : line.pattern) {
    if (piece.times != nullptr) chosen.times.push_back(piece.times);
  }
  chosen.make = [line_options = chosen.line, kind, columns] {
    return columns ? make_columns_format(kind, *line_options) : make_line_format(kind, *line_options);
  };
  return chosen;
}

LineKind line_kind_of(const std::string& format) {
  return format == "json"     ? LineKind::kJson
         : format == "csv"    ? LineKind::kCsv
         : format == "logfmt" ? LineKind::kLogfmt
                              : LineKind::kText;
}

void check_pattern_names(const FormatOptions& options, const reader::LogSet& logs, bool followed) {
  const bool columns = !options.columns.empty();
  const auto pattern =
      columns ? parse_columns(options.columns) : parse_pattern(options.pattern, OtherNames::kArguments);
  const std::vector<const reader::Site*> sites = query::statements_of(logs);
  if (!pattern.ok() || (sites.empty() && !followed)) return;
  for (const lines::Piece& piece : *pattern) {
    if (piece.field != lines::Field::kArgument) continue;
    std::set<std::string> names;
    bool found = false;
    for (const reader::Site* site : sites) {
      const std::vector<std::string> own = site->value_names();
      names.insert(own.begin(), own.end());
      found |= site->find_argument(piece.literal).has_value();
    }
    if (found) continue;
    const std::string option = columns ? "--columns: " : "--pattern: ";
    const std::string what = piece.is_bare ? "there is no field '" : "no statement has an argument '";
    const std::string sentence = option + what + piece.literal + "'";
    const std::vector<std::string> fields = piece.is_bare ? pattern_names() : std::vector<std::string>();
    const std::string hint = did_you_mean(piece.literal, {names.begin(), names.end()}, fields);
    // A bare name may be a slip of the pen: only "arg:" says that it is to be waited for.
    if (!followed || piece.is_bare) throw CLI::ValidationError(sentence + hint);
    complain(sentence + " yet" + hint + "; waiting for it");
  }
}

CLI::Option* add_time_format_option(CLI::App& command, std::string* text) {
  return command
      .add_option(
          "--time-format", *text,
          "Times: s, ms, us or ns (digits), relative (since the log began), delta (since the line before), or a "
          "pattern as of strftime with %3f %6f %9f for the fraction: '%H:%M:%S.%3f'")
      ->type_name("FORMAT")
      ->check(some_text("write a format of times, like %H:%M:%S.%3f"));
}

void add_format_options(CLI::App& command, FormatOptions* options, const std::string& group) {
  command.add_option("--format", options->format, "text, json (one object per line), csv, or logfmt")
      ->check(one_of({"text", "json", "csv", "logfmt"}))
      ->group(group);
  auto* pattern =
      command
          .add_option(
              "--pattern", options->pattern,
              "Layout of a line of text (default: STENO_FORMAT of the environment, or the user's file, 'steno help "
              "settings'), made of arguments {qty} and these "
              "fields: {time} {level} {level_code} "
              "{logger} "
              "{thread} {tid} {pid} {program} {host} {site} {file} {basename} {line} {function} {format} {message} "
              "{args} {context} {sequence}")
          ->check(some_text("write a layout, like '{time} {message}'"))
          ->group(group);
  command
      .add_option("--columns", options->columns,
                  "Only these fields and arguments, in any format: time,thread,qty. In text, tabs separate them")
      ->check(some_text("write names, like time,thread,message"))
      ->excludes(pattern)
      ->group(group);
  add_time_format_option(command, &options->times)->group(group);
  command
      .add_option("--show-context", options->context,
                  "Fields of context at the end of each line of text: auto (on a terminal), always, or never")
      ->check(one_of({"auto", "always", "never"}))
      ->excludes(pattern)
      ->group(group);
  command
      .add_option("--big-integers", options->big_integers,
                  "Integers beyond 2^53 in JSON: text (default), because many readers round such numbers, or number")
      ->check(one_of({"text", "number"}))
      ->group(group);
  command.add_flag("--raw", options->raw, "Do not escape control characters in text")->group(group);
  command
      .add_option("--color,--colour", options->colour, "auto (on a terminal, unless NO_COLOR is set), always, or never")
      ->check(one_of({"auto", "always", "never"}))
      ->group(group);
}

}  // namespace steno::cli
