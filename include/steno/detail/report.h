// Turns what is wrong with a statement into a compile error that says it in a sentence.
//
// It names the argument at fault, counted from the format on. The last number of a failing Report, in the compiler's
// "required from" lines, is the offset in the format.
#pragma once

#include "steno/detail/capture.h"
#include "steno/detail/format_check.h"
#include "steno/detail/missing_header.h"

namespace steno::detail {

// False, but only once instantiated.
template <int>
inline constexpr bool kNever = false;

// True: the two numbers are equal; a variable, so that compilers do not explain the comparison.
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
#define STENO_DETAIL_REPORT(error, sentence) STENO_DETAIL_SENTENCES(Report, FormatError::error, sentence)
#define STENO_DETAIL_SENTENCES(report, fault, sentence)                                               \
  template <int kArgument, int kWhere>                                                                \
  struct report<fault, kArgument, kWhere> {                                                           \
    static_assert(!kIs<kArgument, 0>, "steno: first argument: " sentence);                            \
    static_assert(!kIs<kArgument, 1>, "steno: second argument: " sentence);                           \
    static_assert(!kIs<kArgument, 2>, "steno: third argument: " sentence);                            \
    static_assert(!kIs<kArgument, 3>, "steno: fourth argument: " sentence);                           \
    static_assert(!kIs<kArgument, 4>, "steno: fifth argument: " sentence);                            \
    static_assert(!kIs<kArgument, 5>, "steno: sixth argument: " sentence);                            \
    static_assert(!kIs<kArgument, 6>, "steno: seventh argument: " sentence);                          \
    static_assert(!kIs<kArgument, 7>, "steno: eighth argument: " sentence);                           \
    static_assert(kArgument < 8 || kNever<kWhere>, "steno: an argument after the eighth: " sentence); \
    static_assert(kArgument != -2 || kNever<kWhere>, "steno: an element of an argument: " sentence);  \
    static_assert(kArgument != -1 || kNever<kWhere>, "steno: " sentence);                             \
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

// An argument of unknown type: Loggables says it.
template <int kArgument, int kWhere>
struct Report<FormatError::kUnknownType, kArgument, kWhere> {
  static constexpr bool kFine = true;
};

// The advice about an argument (-2: an element of one) whose type cannot be logged.
template <Missing kMissing, int kArgument, int kWhere>
struct MissingReport;
#define STENO_DETAIL_MISSING(missing, sentence) STENO_DETAIL_SENTENCES(MissingReport, Missing::missing, sentence)
STENO_DETAIL_MISSING(kLoggable,
                     "its type cannot be logged; specialise steno::Loggable (steno/loggable.h), name its members with "
                     "STENO_STRUCT (steno/struct.h), or log steno::formatted(x) (steno/std_types.h)");
STENO_DETAIL_MISSING(kChrono, "include <steno/chrono.h> to log durations and times of std::chrono");
STENO_DETAIL_MISSING(kOtherClock, "a time of this clock is no date; log a duration: the difference of two times");
STENO_DETAIL_MISSING(kContainers,
                     "include <steno/containers.h> to log containers, arrays, std::optional, std::variant, std::pair "
                     "and std::tuple");
STENO_DETAIL_MISSING(kStdTypes,
                     "include <steno/std_types.h> to log std::error_code, std::filesystem::path, std::exception, "
                     "std::bitset and smart pointers");
STENO_DETAIL_MISSING(kNetTypes, "include <steno/net_types.h> to log network addresses");
#undef STENO_DETAIL_MISSING
#undef STENO_DETAIL_SENTENCES

// Checks that all types can be logged; an error names the first that cannot.
template <bool kAll, class... A>
struct Loggables {
  static constexpr bool kFine = true;
};
template <class... A>
constexpr int first_not_loggable() {
  const char letters[] = {letter_of<A>()...};
  int i = 0;
  while (letters[i] != '?') ++i;
  return i;
}
template <class... A>
constexpr Missing missing_at(int argument) {
  const Missing of[] = {missing_for<A>()...};
  return of[argument];
}
template <class... A>
struct Loggables<false, A...>
    : MissingReport<missing_at<A...>(first_not_loggable<A...>()), first_not_loggable<A...>(), 0> {};

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
