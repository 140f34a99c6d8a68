// <steno/context.h> for C: what ScopedContext does, without its scope.
#include <steno/context.h>

#include <cstring>

// In place of what the calling thread's context was.
extern "C" void steno_set_context(const char* const* names, const char* const* values, int count) {
  steno::detail::pop_context(0);
  for (int i = 0; i < count; ++i) {
    // Those that a process has not are there, too: statements of all processes have the same columns then.
    const char* const value = values[i] != nullptr ? values[i] : "";
    unsigned before = 0;
    steno::detail::push_context(names[i], static_cast<char>(steno::ArgType::kString), value, std::strlen(value),
                                &before);
  }
}
