#include <steno/log.h>

#include <string>

void greet(const std::string& who) {
  STENO_INFO("a shared library greets the {who}", who);
}
