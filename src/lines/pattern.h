// Patterns of text lines: '{time} {level} {message}'.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lines/time_style.h"
#include "steno/status.h"

namespace steno::lines {

enum class Field {
  kLiteral,
  kTime,
  kLevel,
  kLevelCode,  // its first letter
  kLogger,
  kThread,
  kTid,
  kFile,
  kBasename,
  kLine,
  kFunction,
  kFormat,
  kMessage,
  kArgs,
  kArgument,  // its name is the literal
  kContext,   // " [name: value, name: value]", or nothing
  kPid,
  kProgram,
  kHost,
  kSite,        // "src/server.cc:120", as --site takes it
  kSequence,    // the number of the record in its ring
  kStyledTime,  // "{time:%H:%M}"
  // For the default line only; without a name.
  kPaddedLevel,
  kLoggerIfNamed,
  kContextIfAny,     // " [name=value name=value]", without what spans have
  kOriginAndThread,  // "db1 store [worker-3]": LineOptions::origin, then the thread
};

struct Piece {
  Field field = Field::kLiteral;
  std::string literal;
  bool is_bare = false;              // of kArgument: a name that no field has, without "arg:"
  std::shared_ptr<TimeStyle> times;  // of kStyledTime
};

// The meaning of names in patterns that no field has.
enum class OtherNames { kErrors, kArguments };

// "{name}" is a field, "{time:%H:%M}" the time in another style (TimeStyle::parse()), "{arg:name}" an argument, or a
// field of context, "{{" and "}}" are braces, "\t", "\n", "\\" what they are in C. kInvalidArgument names what is wrong
// and what would be right.
Result<std::vector<Piece>> parse_pattern(std::string_view pattern, OtherNames others = OtherNames::kErrors);
// "time,level,qty": fields, or else arguments, without literals. kInvalidArgument: a name is missing.
Result<std::vector<Piece>> parse_columns(std::string_view names);
// The names of fields.
std::vector<std::string> pattern_names();

// The pattern by which `steno cat` prints if it is given none: 2026-11-20 22:24:43.123456789Z INFO   [worker-3]
// server.cc:120 message `context`: the line ends in the fields of context that the record has, as it does on a
// terminal. `origin`: before the thread it has what LineOptions::origin says of its process.
std::vector<Piece> default_pattern(bool context = false, bool origin = false);

}  // namespace steno::lines
