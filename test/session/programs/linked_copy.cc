// A library with a copy of steno of its own that is linked: LINKED_COPY is its name, alpha or beta.
#include <steno/log.h>

#include "linked_copy.h"

#define STENO_TEST_JOIN(a, b) a##b
#define STENO_TEST_LOG(name) STENO_TEST_JOIN(name, _log)
#define STENO_TEST_TEXT(name) #name
#define STENO_TEST_NAME(name) STENO_TEST_TEXT(name)

void STENO_TEST_LOG(LINKED_COPY)(int process, int number) {
  STENO_INFO("{copy} {process} {number}", STENO_TEST_NAME(LINKED_COPY), process, number);
}

// When the process ends, the program's own copy has ended already.
namespace {
struct Last {
  ~Last() { STENO_INFO("{copy} last", STENO_TEST_NAME(LINKED_COPY)); }
} last;
}  // namespace
