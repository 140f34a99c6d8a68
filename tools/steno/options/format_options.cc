#include "options/format_options.h"

#include <cstdlib>
#include <set>

#include "base/suggest.h"
#include "input/inputs.h"
#include "lines/colour.h"
#include "lines/line_format.h"
#include "lines/pattern.h"
#include "options/option_checks.h"
#include "output/lines_names.h"
#include "query/filter/filter.h"

namespace steno::cli {
namespace {

Colour colour_of(const std::string& when) {
  return when == "auto" ? Colour::kAuto : when == "always" ? Colour::kAlways : Colour::kNever;
}

}  // namespace

Result<Printing::MakeFormat> choose_format(const FormatOptions& options, bool local, const Output& output) {
  LineOptions line;
  line.zone = local ? Zone::kLocal : Zone::kUtc;
  line.escape = options.raw ? Escape::kRaw : output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  line.colour = wants_colour(colour_of(options.colour), output.is_terminal());
  if (!options.columns.empty()) {
    auto columns = parse_columns(options.columns);
    if (!columns.ok()) return Status(columns.status().code(), "--columns: " + columns.status().message());
    line.pattern = std::move(columns).value();
    const LineKind kind = line_kind_of(options.format);
    return Printing::MakeFormat([line, kind] { return make_columns_format(kind, line); });
  }
  if (options.format == "json") return Printing::MakeFormat([line] { return make_json_format(line); });
  if (options.format == "csv") return Printing::MakeFormat([line] { return make_csv_format(line); });
  if (options.format == "logfmt") return Printing::MakeFormat([line] { return make_logfmt_format(line); });
  const char* const usual = std::getenv("STENO_FORMAT");
  const bool is_usual = options.pattern.empty() && options.context == "auto" && usual != nullptr;
  const std::string text = is_usual ? usual : options.pattern;
  if (text.empty()) {
    line.pattern = default_pattern(options.context == "always" || (options.context == "auto" && output.is_terminal()));
  } else {
    auto pattern = parse_pattern(text, OtherNames::kArguments);
    const std::string whose = is_usual ? "STENO_FORMAT: " : "--pattern: ";
    if (!pattern.ok()) return Status(pattern.status().code(), whose + pattern.status().message());
    line.pattern = std::move(pattern).value();
  }
  return Printing::MakeFormat([line] { return make_text_format(line); });
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

void add_format_options(CLI::App& command, FormatOptions* options, const std::string& group) {
  command.add_option("--format", options->format, "text, json (one object per line), csv, or logfmt")
      ->check(one_of({"text", "json", "csv", "logfmt"}))
      ->group(group);
  auto* pattern =
      command
          .add_option(
              "--pattern", options->pattern,
              "Layout of a line of text (default: STENO_FORMAT of the environment), made of arguments {qty} and these "
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
  command
      .add_option("--show-context", options->context,
                  "Fields of context at the end of each line of text: auto (on a terminal), always, or never")
      ->check(one_of({"auto", "always", "never"}))
      ->excludes(pattern)
      ->group(group);
  command.add_flag("--raw", options->raw, "Do not escape control characters in text")->group(group);
  command
      .add_option("--color,--colour", options->colour, "auto (on a terminal, unless NO_COLOR is set), always, or never")
      ->check(one_of({"auto", "always", "never"}))
      ->group(group);
}

}  // namespace steno::cli
