// How commands print records.
#pragma once

#include <string>

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
  std::string colour = "auto";
  std::string context = "auto";
  bool raw = false;
};

// --format --pattern --columns --show-context --raw --colour, in that group of the help. `options` must outlive the
// parser.
void add_format_options(CLI::App& command, FormatOptions* options, const std::string& group);
// Makes formats, one a thread; kInvalidArgument: what is wrong with the pattern. Without one, STENO_FORMAT of the
// environment is the pattern of text.
Result<Printing::MakeFormat> choose_format(const FormatOptions& options, bool local, const Output& output);

// "text", "json" and so on, as --format has it.
LineKind line_kind_of(const std::string& format);

// A usage error if --pattern or --columns names an argument that no statement of the logs has. While they are followed
// one with "arg:" may come yet: this is reported instead.
void check_pattern_names(const FormatOptions& options, const reader::LogSet& logs, bool followed);

}  // namespace steno::cli
