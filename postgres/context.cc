// <steno/context.h> for C: what ScopedContext does, without its scope.
#include <steno/context.h>

#include <cstring>

extern "C" void steno_set_context(const char* const* names, const char* const* values, int count) {
  steno::detail::pop_context(0);
  for (int i = 0; i < count; ++i) {
    if (values[i] == nullptr || *values[i] == '\0') continue;
    unsigned before = 0;
    steno::detail::push_context(names[i], static_cast<char>(steno::ArgType::kString), values[i], std::strlen(values[i]),
                                &before);
  }
}
