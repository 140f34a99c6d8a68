// Turns what is wrong with a statement into a compile error that says it in a sentence.
//
// It names the argument at fault, counted from the format on. The last number of a failing Report, in the compiler's
// "required from" lines, is the offset in the format.
#pragma once

#include "steno/detail/format_check.h"

namespace steno::detail {

// False, but only once instantiated.
template <int>
inline constexpr bool kNever = false;

// Whether a number is another one; as a variable, so that compilers do not explain the comparison.
template <int kNumber, int kOther>
inline constexpr bool kIs = kNumber == kOther;

template <FormatError kError, int kArgument, int kWhere>
struct Report {
  static_assert(kNever<kWhere>, "steno: bad log statement");
  static constexpr bool kFine = true;  // one error is enough
};

template <int kArgument, int kWhere>
struct Report<FormatError::kNone, kArgument, kWhere> {
  static constexpr bool kFine = true;
};

// Not a macro for each line: compilers print each expansion.
#define STENO_DETAIL_REPORT(error, sentence)                                                          \
  template <int kArgument, int kWhere>                                                                \
  struct Report<FormatError::error, kArgument, kWhere> {                                              \
    static_assert(!kIs<kArgument, 0>, "steno: first argument: " sentence);                            \
    static_assert(!kIs<kArgument, 1>, "steno: second argument: " sentence);                           \
    static_assert(!kIs<kArgument, 2>, "steno: third argument: " sentence);                            \
    static_assert(!kIs<kArgument, 3>, "steno: fourth argument: " sentence);                           \
    static_assert(!kIs<kArgument, 4>, "steno: fifth argument: " sentence);                            \
    static_assert(!kIs<kArgument, 5>, "steno: sixth argument: " sentence);                            \
    static_assert(!kIs<kArgument, 6>, "steno: seventh argument: " sentence);                          \
    static_assert(!kIs<kArgument, 7>, "steno: eighth argument: " sentence);                           \
    static_assert(kArgument < 8 || kNever<kWhere>, "steno: an argument after the eighth: " sentence); \
    static_assert(kArgument >= 0 || kNever<kWhere>, "steno: " sentence);                              \
    static constexpr bool kFine = true;                                                               \
  }
STENO_DETAIL_REPORT(kTooFewArguments, "the format wants it, and it is missing");
STENO_DETAIL_REPORT(kTooManyArguments, "the format does not use it");
STENO_DETAIL_REPORT(kArgumentLimit, "more than 64 arguments");
STENO_DETAIL_REPORT(kFieldLimit, "more than 256 fields");
STENO_DETAIL_REPORT(kFormatTooLong, "the format is longer than 1 MiB");
STENO_DETAIL_REPORT(kUnmatchedBrace, "unmatched brace: write {{ or }} for a literal one");
STENO_DETAIL_REPORT(kBadName, "after '{' comes a name, an index, ':' or '}'");
STENO_DETAIL_REPORT(kBadArgumentIndex, "there is no argument of that index");
STENO_DETAIL_REPORT(kMixedIndexing, "indexed fields cannot be mixed with automatic or named ones");
STENO_DETAIL_REPORT(kBadSpec, "malformed field");
STENO_DETAIL_REPORT(kNumberTooBig, "width or precision above 4096");
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
STENO_DETAIL_REPORT(kSecretSpec, "the field of a secret takes fill, alignment and width only");
#undef STENO_DETAIL_REPORT

template <bool... kLoggable>
struct Loggables {
  static_assert((kLoggable && ...),
                "steno: an argument's type cannot be logged; specialise steno::Loggable for it (steno/loggable.h)");
  static constexpr bool kFine = true;
};

template <bool kNone>
struct NoSecrets {
  static_assert(kNone, "steno: a printf statement keeps no secrets: write the statement with a brace format");
  static constexpr bool kFine = true;
};

template <bool kPrintable>
struct Pointers {
  static_assert(kPrintable, "steno: brace formats print void pointers only; cast the pointer to const void*");
  static constexpr bool kFine = true;
};

}  // namespace steno::detail
