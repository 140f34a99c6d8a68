// The only text of this file is a constant, as in one_text.c.
#include <steno/log.h>

void one_text();
void one_text() {
  static constexpr char kText[] = "starting";
  const char* const text = kText;
  STENO_INFO("{}", text);
}
