// Turns what is wrong with a statement into a compile error that says it in a sentence.
//
// A failing Report<error, argument, where> also shows, in the compiler's "required from" lines, the index of the
// argument at fault
// (-1: none in particular) and the offset in the format.
#pragma once

#include "steno/detail/format_check.h"

namespace steno::detail {

// False, but only once instantiated.
template <FormatError>
inline constexpr bool kNever = false;

template <FormatError kError, int kArgument, int kWhere>
struct Report {
  static_assert(kNever<kError>, "steno: bad log statement");
  static constexpr bool kFine = true;  // one error is enough
};

template <int kArgument, int kWhere>
struct Report<FormatError::kNone, kArgument, kWhere> {
  static constexpr bool kFine = true;
};

#define STENO_DETAIL_REPORT(error, sentence)             \
  template <int kArgument, int kWhere>                   \
  struct Report<FormatError::error, kArgument, kWhere> { \
    static_assert(kArgument == -2, "steno: " sentence);  \
    static constexpr bool kFine = true;                  \
  }
STENO_DETAIL_REPORT(kTooFewArguments, "the format has more fields than there are arguments");
STENO_DETAIL_REPORT(kTooManyArguments, "an argument is not used by the format");
STENO_DETAIL_REPORT(kArgumentLimit, "more than 64 arguments");
STENO_DETAIL_REPORT(kFormatTooLong, "the format is longer than 1 MiB");
STENO_DETAIL_REPORT(kUnmatchedBrace, "unmatched brace: write {{ or }} for a literal one");
STENO_DETAIL_REPORT(kBadName, "after '{' comes a name, an index, ':' or '}'");
STENO_DETAIL_REPORT(kBadArgumentIndex, "there is no argument of that index");
STENO_DETAIL_REPORT(kMixedIndexing, "indexed fields cannot be mixed with automatic or named ones");
STENO_DETAIL_REPORT(kBadSpec, "malformed field");
STENO_DETAIL_REPORT(kNumberTooBig, "width or precision above 1048576");
STENO_DETAIL_REPORT(kBadWidthArgument, "the argument that gives the width is not an integer that fits");
STENO_DETAIL_REPORT(kBadPrecisionArgument, "the argument that gives the precision is not an integer that fits");
STENO_DETAIL_REPORT(kNeedsNumber, "sign, '#', '0' and 'L' need a number");
STENO_DETAIL_REPORT(kNeedsSigned, "a sign needs a signed argument");
STENO_DETAIL_REPORT(kSpecNotForType, "the presentation letter does not go with the argument's type");
STENO_DETAIL_REPORT(kPrecisionNotForType, "no precision on integers, characters, bool and pointers");
STENO_DETAIL_REPORT(kUnknownConversion, "unknown conversion after '%'");
STENO_DETAIL_REPORT(kBadLength, "the length modifier does not go with the conversion");
STENO_DETAIL_REPORT(kPercentN, "%n is not supported: it writes memory");
STENO_DETAIL_REPORT(kWrongType, "the conversion does not go with the argument's type");
STENO_DETAIL_REPORT(kConflictingUse, "one argument is used in two ways that exclude each other");
#undef STENO_DETAIL_REPORT

template <bool... kLoggable>
struct Loggables {
  static_assert((kLoggable && ...),
                "steno: an argument's type cannot be logged; specialise steno::Loggable for it (steno/loggable.h)");
  static constexpr bool kFine = true;
};

template <bool kPrintable>
struct Pointers {
  static_assert(kPrintable, "steno: brace formats print void pointers only; cast the pointer to const void*");
  static constexpr bool kFine = true;
};

}  // namespace steno::detail
