#include "runtime/format_types.h"

#include <bit>
#include <cstdint>

#include "steno/detail/capture.h"
#include "steno/detail/printf_format.h"

namespace steno::runtime {
namespace {

using detail::FormatCheck;
using detail::FormatError;
using detail::kMaxArguments;
using detail::PrintfCursor;
using detail::PrintfLength;
using detail::PrintfSpec;

// The type that a conversion takes from the arguments of a call, after promotion.
char letter_of(const PrintfSpec& spec) {
  const bool is_long = spec.length >= PrintfLength::kLong;
  switch (spec.conversion) {
    case 'd':
      return is_long ? 'l' : 'i';
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return is_long ? 'm' : 'j';
    case 'c':
      return is_long ? 'w' : 'c';
    case 's':
      return is_long ? 'W' : 'S';
    case 'p':
      return 'p';
    default:
      return spec.length == PrintfLength::kLongDouble ? detail::letter_of<long double>() : 'd';
  }
}

// Types that a call passes alike, and prints alike where they are used in two ways: as the plain integer.
char plain(char letter) {
  return letter == 'm' ? 'l' : letter == 'j' || letter == 'c' || letter == 'w' ? 'i' : letter;
}

// Each argument's type where all uses of it agree, else plain. Requires letters that the format can be read with.
void refine(std::string_view format, char* letters) {
  char wished[kMaxArguments] = {};
  const auto wish = [&](int argument, char letter) {
    if (argument < 0) return;
    wished[argument] = wished[argument] == 0 || wished[argument] == letter ? letter : plain(letter);
  };
  PrintfCursor cursor(format.data(), format.size(), letters, kMaxArguments);
  while (cursor.next()) {
    if (!cursor.is_field) continue;
    wish(cursor.spec.width_argument, 'i');
    wish(cursor.spec.precision_argument, 'i');
    if (cursor.spec.conversion != 'm') wish(cursor.spec.argument, letter_of(cursor.spec));
  }
  for (int i = 0; i < kMaxArguments; ++i) {
    if (wished[i] != 0 && plain(wished[i]) == plain(letters[i])) letters[i] = wished[i];
  }
}

}  // namespace

// The parser of formats checks types but does not infer them. So it is first given integers, and where it refuses one,
// the type that this field needs.
detail::FormatCheck infer_types(std::string_view format, int* count) {
  char letters[kMaxArguments];
  std::fill_n(letters, kMaxArguments, 'i');
  std::uint64_t inferred = 0;
  for (;;) {
    PrintfCursor cursor(format.data(), format.size(), letters, kMaxArguments);
    while (cursor.next()) {
    }
    *count = static_cast<int>(std::bit_width(cursor.used));
    if (cursor.error == FormatError::kNone || cursor.error == FormatError::kTooManyArguments) break;
    // An argument of a wrong type is there.
    const bool wrong = cursor.error == FormatError::kWrongType;
    const std::uint64_t bit = wrong ? std::uint64_t{1} << cursor.error_argument : 0;
    if (!wrong || (inferred & bit) != 0) {
      FormatCheck check;
      cursor.report(&check);
      return check;
    }
    inferred |= bit;
    letters[cursor.error_argument] = letter_of(cursor.spec);
  }
  refine(format, letters);
  return detail::check_printf(format.data(), format.size(), letters, static_cast<std::size_t>(*count));
}

}  // namespace steno::runtime
