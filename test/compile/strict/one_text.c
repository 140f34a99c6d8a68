// The only text of this file is a constant: compilers see its size, and what is read beyond it.
#include <steno/c.h>

void one_text(void);
void one_text(void) {
  STENO_INFO("{}", "starting");
}
