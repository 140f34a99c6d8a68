// The context of the C API, over that of C++.
#include "steno/context.h"

#include <cstdint>
#include <cstring>

#include "steno/c.h"

namespace {

steno_context_scope set_field(const char* name, char type, const void* value, std::size_t size) noexcept {
  steno_context_scope scope = {~0u};  // nothing to take back
  steno::detail::push_context(name, type, value, size, &scope.before);
  return scope;
}

}  // namespace

extern "C" {

steno_context_scope steno_context_set_bool(const char* name, bool value) {
  return set_field(name, 'b', &value, sizeof value);
}
steno_context_scope steno_context_set_integer(const char* name, std::int64_t value) {
  return set_field(name, 'l', &value, sizeof value);
}
steno_context_scope steno_context_set_unsigned(const char* name, std::uint64_t value) {
  return set_field(name, 'm', &value, sizeof value);
}
steno_context_scope steno_context_set_real(const char* name, double value) {
  return set_field(name, 'd', &value, sizeof value);
}
steno_context_scope steno_context_set_string(const char* name, const char* value) {
  return set_field(name, 'S', value, value != nullptr ? std::strlen(value) : steno::detail::kNullBytes);
}
steno_context_scope steno_context_set_bytes(const char* name, const char* data, std::size_t size) {
  return set_field(name, 'S', data, data != nullptr ? size : steno::detail::kNullBytes);
}
void steno_context_clear(steno_context_scope scope) {
  steno::detail::pop_context(scope.before);
}
}
