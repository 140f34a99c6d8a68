#include <steno/c.h>

extern "C" void greet(const char* who) {
  STENO_INFO("a shared library greets the {who}", who);
}
