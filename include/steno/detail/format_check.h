// The parts that the two format grammars share: errors, the result of a check, the cursor they are built on.
//
// This constexpr code checks a literal format where the statement is compiled, and parses it again when a reader prints
// it (src/text), so the two can never disagree. Kept cheap to evaluate: plain loops over characters, no templates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "steno/detail/arg_type.h"
#include "steno/detail/config.h"

namespace steno::detail {

inline constexpr int kMaxArguments = 64;                  // of one statement
inline constexpr int kMaxFields = 256;                    // of one format
inline constexpr int kMaxFormatNumber = 4096;             // a literal width or precision (of a string: any precision)
inline constexpr std::size_t kMaxFormatLength = 1 << 20;  // bytes

enum class FormatError : unsigned char {
  kNone,
  kTooFewArguments,       // a field or `*` has no argument left
  kTooManyArguments,      // an argument is never used
  kArgumentLimit,         // more than kMaxArguments
  kFieldLimit,            // more than kMaxFields
  kFormatTooLong,         // more than kMaxFormatLength
  kUnmatchedBrace,        // `{` without `}`, or `}` alone
  kBadName,               // what follows `{` is no name, number, `:` or `}`
  kBadArgumentIndex,      // {7} or %7$d and no such argument
  kMixedIndexing,         // {0} with {} or {name}; %1$d with %d
  kBadSpec,               // malformed after `:`, or after `%`
  kNumberTooBig,          // width or precision above kMaxFormatNumber
  kBadWidthArgument,      // the width is taken from an argument that is not an integer (printf: of at most 32 bits)
  kBadPrecisionArgument,  // likewise
  kNeedsNumber,           // `+`, `-`, ` `, `#`, `0` or `L` on an argument that is no number
  kNeedsSigned,           // a sign on an unsigned integer or bool
  kSpecNotForType,        // the presentation letter does not go with the argument's type
  kPrecisionNotForType,   // a precision on an integer, character, bool or pointer
  kUnknownConversion,     // % and a letter that printf does not know
  kBadLength,             // a length modifier (hh h l ll L q j z t) that the conversion does not take
  kPercentN,              // %n writes memory
  kWrongType,             // the conversion does not go with the argument's type
  kConflictingUse,        // one argument as string and as pointer, or with precisions from different places
  kUnknownType,           // a letter that types.md does not know, or errno where none can be (untrusted files)
  kSecretSpec,            // the spec does not go with the string that stands for a secret
  kErrnoMismatch,         // %m without a captured errno, or the other way round (untrusted files)
};

STENO_DETAIL_BEGIN_QUIET
constexpr const char* describe(FormatError error) {
  switch (error) {
    case FormatError::kNone:
      return "no error";
    case FormatError::kTooFewArguments:
      return "the format has more fields than there are arguments";
    case FormatError::kTooManyArguments:
      return "an argument is not used by the format";
    case FormatError::kArgumentLimit:
      return "more than 64 arguments";
    case FormatError::kFieldLimit:
      return "more than 256 fields";
    case FormatError::kFormatTooLong:
      return "the format is longer than 1 MiB";
    case FormatError::kUnmatchedBrace:
      return "unmatched brace: write {{ or }} for a literal one";
    case FormatError::kBadName:
      return "after '{' comes a name, an index, ':' or '}'";
    case FormatError::kBadArgumentIndex:
      return "there is no argument of that index";
    case FormatError::kMixedIndexing:
      return "indexed fields cannot be mixed with automatic or named ones";
    case FormatError::kBadSpec:
      return "malformed field";
    case FormatError::kNumberTooBig:
      return "width or precision above 4096";
    case FormatError::kBadWidthArgument:
      return "the argument that gives the width is not an integer that fits";
    case FormatError::kBadPrecisionArgument:
      return "the argument that gives the precision is not an integer that fits";
    case FormatError::kNeedsNumber:
      return "sign, '#', '0' and 'L' need a number";
    case FormatError::kNeedsSigned:
      return "a sign needs a signed argument";
    case FormatError::kSpecNotForType:
      return "the presentation letter does not go with the argument's type";
    case FormatError::kPrecisionNotForType:
      return "no precision on integers, characters, bool and pointers";
    case FormatError::kUnknownConversion:
      return "unknown conversion after '%'";
    case FormatError::kBadLength:
      return "the length modifier does not go with the conversion";
    case FormatError::kPercentN:
      return "%n is not supported: it writes memory";
    case FormatError::kWrongType:
      return "the conversion does not go with the argument's type";
    case FormatError::kConflictingUse:
      return "one argument is used in two ways that exclude each other";
    case FormatError::kSecretSpec:
      return "the field of a secret takes fill, alignment and width only";
    case FormatError::kUnknownType:
      return "an argument of unknown type";
    case FormatError::kErrnoMismatch:
      return "%m and the captured errno do not go together";
  }
  return "unknown error";
}

// The facts that a statement must know of its format before it can capture its arguments.
struct FormatCheck {
  FormatError error = FormatError::kNone;
  int where = 0;            // offset in the format
  int argument = -1;        // the one at fault, or -1
  bool uses_errno = false;  // %m: an 'E' follows the arguments' types
  // The types as logged: those given, but 'p' for a string that is printed by %p.
  char types[kMaxArguments] = {};
  // Per string argument, how much of it printf may look at (it need not be terminated after that). Read by the
  // functions below.
  int bounds[kMaxArguments] = {};

  constexpr explicit operator bool() const { return error == FormatError::kNone; }
  // The precision of `%.5s`, or -1.
  constexpr int literal_bound(int i) const { return bounds[i] > 0 ? bounds[i] - 1 : -1; }
  // The index of the int argument that holds the precision of `%.*s`, or -1. Negative at run time: no bound.
  constexpr int bound_argument(int i) const { return bounds[i] < 0 ? -bounds[i] - 1 : -1; }
};

// Groups of types that the grammars tell apart; bits, so that one can ask for several.
enum TypeTraits : unsigned {
  kTraitBool = 1,
  kTraitChar = 2,          // char, UTF-16 and UTF-32 units
  kTraitInteger = 4,       // the integers proper
  kTraitSigned = 8,        // with kTraitInteger
  kTraitPromoted = 16,     // int or unsigned int once promoted, characters and bool too
  kTraitLong = 32,         // integers of 64 bits
  kTraitFloat = 64,        // any floating point
  kTraitLongDouble = 128,  // with kTraitFloat
  kTraitPointer = 256,
  kTraitString = 512,  // any string
  kTraitWide = 1024,   // with kTraitString or kTraitChar: not bytes
};

constexpr unsigned type_traits(char letter) {
  switch (static_cast<ArgType>(letter)) {
    case ArgType::kBool:
      return kTraitBool | kTraitPromoted;
    case ArgType::kChar:
      return kTraitChar | kTraitPromoted;
    case ArgType::kI8:
    case ArgType::kI16:
    case ArgType::kI32:
      return kTraitInteger | kTraitSigned | kTraitPromoted;
    case ArgType::kU8:
    case ArgType::kU16:
    case ArgType::kU32:
      return kTraitInteger | kTraitPromoted;
    case ArgType::kI64:
      return kTraitInteger | kTraitSigned | kTraitLong;
    case ArgType::kU64:
      return kTraitInteger | kTraitLong;
    case ArgType::kI128:
      return kTraitInteger | kTraitSigned;
    case ArgType::kU128:
      return kTraitInteger;
    case ArgType::kF32:
    case ArgType::kF64:
      return kTraitFloat;
    case ArgType::kF80:
    case ArgType::kF128:
      return kTraitFloat | kTraitLongDouble;
    case ArgType::kPointer:
      return kTraitPointer;
    case ArgType::kChar16:
    case ArgType::kChar32:
      return kTraitChar | kTraitPromoted | kTraitWide;
    case ArgType::kString:
      return kTraitString;
    case ArgType::kString16:
    case ArgType::kString32:
      return kTraitString | kTraitWide;
    case ArgType::kErrno:
      return 0;  // no argument stands for it
  }
  return 0;
}

// Walks a format piece by piece. Derived cursors add next(), which finds the next literal or field, and false at the
// end or at the first error; `error` tells which. Views the format and the types.
STENO_DETAIL_END_QUIET
struct FormatCursor {
  const char* format;
  const char* types;
  int length;
  int count;               // arguments
  int position = 0;        // of what is parsed next
  int fields = 0;          // so far
  int next_argument = 0;   // for automatic numbering
  std::uint64_t used = 0;  // a bit an argument
  bool automatic = false;  // seen {} or {name}, or %d
  bool manual = false;     // seen {0}, or %1$d

  // The piece that next() found: [begin, end) of the format. A literal's range is text to copy as it is.
  bool is_field = false;
  int begin = 0;
  int end = 0;

  FormatError error = FormatError::kNone;
  int error_at = 0;
  int error_argument = -1;

  constexpr FormatCursor(const char* format_chars, std::size_t format_length, const char* type_letters,
                         std::size_t argument_count)
      : format(format_chars),
        types(type_letters),
        length(format_length <= kMaxFormatLength ? static_cast<int>(format_length) : 0),
        count(argument_count <= static_cast<std::size_t>(kMaxArguments) ? static_cast<int>(argument_count) : 0) {
    if (format_length > kMaxFormatLength) fail(FormatError::kFormatTooLong, 0);
    if (argument_count > static_cast<std::size_t>(kMaxArguments)) fail(FormatError::kArgumentLimit, 0);
    for (int i = 0; i < count; ++i) {
      if (type_traits(types[i]) == 0) fail(FormatError::kUnknownType, 0, i);
    }
  }

  // The first error stays. Always false.
  constexpr bool fail(FormatError what, int at, int argument = -1) {
    if (error == FormatError::kNone) {
      error = what;
      error_at = at;
      error_argument = argument;
    }
    return false;
  }

  constexpr bool begin_field() {
    is_field = true;
    return ++fields <= kMaxFields || fail(FormatError::kFieldLimit, position);
  }

  // The byte at i, or -1 after the end.
  constexpr int at(int i) const { return i < length ? static_cast<unsigned char>(format[i]) : -1; }
  constexpr int here() const { return at(position); }
  static constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }
  constexpr unsigned traits(int argument) const { return type_traits(types[argument]); }

  // The number at the current position, which is a digit there; saturates above any that is allowed.
  constexpr int read_number() {
    std::int64_t value = 0;
    for (; is_digit(here()); ++position) {
      value = value * 10 + (here() - '0');
      if (value > 0x7FFFFFFF) value = 0x7FFFFFFF;
    }
    return static_cast<int>(value);
  }

  constexpr bool use(int argument, int where) {
    if (argument >= count) return fail(FormatError::kBadArgumentIndex, where, argument);
    used |= std::uint64_t{1} << argument;
    return true;
  }
  constexpr bool use_next(int* argument, int where) {
    if (manual) return fail(FormatError::kMixedIndexing, where);
    automatic = true;
    if (next_argument >= count) return fail(FormatError::kTooFewArguments, where, next_argument);
    *argument = next_argument++;
    return use(*argument, where);
  }
  constexpr bool use_index(int index, int* argument, int where) {
    if (automatic) return fail(FormatError::kMixedIndexing, where);
    manual = true;
    *argument = index;
    return use(index, where);
  }

  // At the end of the format: an argument that no field uses is an error. Always false.
  constexpr bool finish() {
    if (error != FormatError::kNone) return false;
    for (int i = 0; i < count; ++i) {
      if ((used >> i & 1) == 0) return fail(FormatError::kTooManyArguments, length, i);
    }
    return false;
  }

  // Copies the outcome; the cursor is at its end.
  constexpr void report(FormatCheck* check) const {
    check->error = error;
    check->where = error_at;
    check->argument = error_argument;
    for (int i = 0; i < count; ++i) check->types[i] = types[i];
  }
};

}  // namespace steno::detail
