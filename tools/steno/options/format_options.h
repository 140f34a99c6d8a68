// How commands print records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "lines/line_format.h"
#include "output/output.h"
#include "output/printing.h"
#include "reader/log_set.h"
#include "steno/status.h"

namespace steno::cli {

struct FormatOptions {
  std::string format = "text";
  std::string pattern;
  std::string columns;
  std::string colour;   // empty: not given
  std::string context;  // likewise
  std::string times;
  bool raw = false;
  std::string big_integers = "text";
};

// --format --pattern --columns --time-format --show-context --raw --colour --big-integers, in that group of the help.
// `options` must outlive the parser.
void add_format_options(CLI::App& command, FormatOptions* options, const std::string& group);
// The look of lines.
struct ChosenFormat {
  Printing::MakeFormat make;  // one a thread; after begin()
  std::vector<std::shared_ptr<lines::TimeStyle>> times;
  std::shared_ptr<LineOptions> line;  // as make() takes it
  bool shows_origin = false;          // where processes differ: nobody has said what lines contain
  bool shows_context = false;

  // Returns whether lines depend on those before: one thread must make them all.
  bool in_order() const;
  // Relative times count from the first record of the logs, once they have one. Lines show host and program where the
  // logs are of several.
  void begin(const reader::LogSet& logs) const;
};

// kInvalidArgument: what is wrong with the pattern, or the format of times. Without a pattern, STENO_FORMAT of the
// environment is that of text, else the user's file has it (user_settings.h). On a terminal times have milliseconds
// unless others are asked for.
Result<ChosenFormat> choose_format(const FormatOptions& options, bool local, const Output& output);

// --time-format, as text: parsed by parse_times().
CLI::Option* add_time_format_option(CLI::App& command, std::string* text);
// nullptr: an empty text. kInvalidArgument: what is wrong with it.
Result<std::shared_ptr<lines::TimeStyle>> parse_times(const std::string& text);

// "text", "json" and so on, as --format has it.
LineKind line_kind_of(const std::string& format);

// A usage error if --pattern or --columns names an argument that no statement of the logs has. While they are followed
// one with "arg:" may come yet: this is reported instead.
void check_pattern_names(const FormatOptions& options, const reader::LogSet& logs, bool followed);

}  // namespace steno::cli
