// The C locale for one thread and one scope, whatever the program chose with setlocale().
#pragma once

#include <locale.h>

namespace steno::text {

// Never freed: it is needed until the last message of the process is printed.
inline locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(0));
  return locale;
}

class CLocale {
 public:
  CLocale() : previous_(uselocale(c_locale())) {}
  ~CLocale() { uselocale(previous_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  locale_t previous_;
};

}  // namespace steno::text
