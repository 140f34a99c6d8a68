#include "options/format_options.h"

#include <set>

#include "base/suggest.h"
#include "input/inputs.h"
#include "lines/colour.h"
#include "lines/line_format.h"
#include "lines/pattern.h"
#include "options/option_checks.h"
#include "output/lines_names.h"
#include "query/filter.h"

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
  if (options.format == "json") return Printing::MakeFormat([line] { return make_json_format(line); });
  if (options.format == "csv") return Printing::MakeFormat([line] { return make_csv_format(line); });
  if (options.format == "logfmt") return Printing::MakeFormat([line] { return make_logfmt_format(line); });
  if (options.pattern.empty()) {
    line.pattern = default_pattern();
  } else {
    auto pattern = parse_pattern(options.pattern);
    if (!pattern.ok()) return Status(pattern.status().code(), "--pattern: " + pattern.status().message());
    line.pattern = std::move(pattern).value();
  }
  return Printing::MakeFormat([line] { return make_text_format(line); });
}

void check_pattern_names(const FormatOptions& options, const reader::LogSet& logs, bool followed) {
  const auto pattern = lines::parse_pattern(options.pattern);
  const std::vector<const reader::Site*> sites = query::statements_of(logs);
  if (options.pattern.empty() || !pattern.ok() || (sites.empty() && !followed)) return;
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
    const std::string sentence = "--pattern: no statement has an argument '" + piece.literal + "'";
    const std::string hint = did_you_mean(piece.literal, {names.begin(), names.end()});
    if (!followed) throw CLI::ValidationError(sentence + hint);
    complain(sentence + " yet" + hint + "; waiting for it");
  }
}

void add_format_options(CLI::App& command, FormatOptions* options, const std::string& group) {
  command.add_option("--format", options->format, "text, json (one object per line), csv, or logfmt")
      ->check(one_of({"text", "json", "csv", "logfmt"}))
      ->group(group);
  command
      .add_option(
          "--pattern", options->pattern,
          "Layout of a line of text, made of these fields: {time} {level} {level_code} {logger} {thread} {tid} {file} "
          "{basename} {line} {function} {format} {message} {args} {arg:NAME} {context} {pid} {program} {host}")
      ->check(some_text("write a layout, like '{time} {message}'"))
      ->group(group);
  command.add_flag("--raw", options->raw, "Do not escape control characters in text")->group(group);
  command
      .add_option("--color,--colour", options->colour, "auto (on a terminal, unless NO_COLOR is set), always, or never")
      ->check(one_of({"auto", "always", "never"}))
      ->group(group);
}

}  // namespace steno::cli
