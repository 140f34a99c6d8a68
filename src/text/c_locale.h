// The C locale, whatever the program chose with setlocale().
#pragma once

#include <locale.h>

namespace steno::text {

// Never freed: it is needed until the last message of the process is printed.
inline locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(0));
  return locale;
}

}  // namespace steno::text
