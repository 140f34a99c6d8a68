// Context: named values that are attached to all records of a thread while a scope lasts, such as the id of a request.
// They are not part of the message; readers use them like arguments:
//
//   steno::ScopedContext request{"request_id", id};
//   STENO_INFO("read {bytes} bytes", n);                  // and everything logged by functions called here
//
//   steno cat app.steno --where 'request_id == 7'
//
// To carry the context to work that continues elsewhere (in a thread of a pool, or in a resumed coroutine):
//
//   pool.run([here = steno::Context::capture()] {
//     steno::ScopedContext carried{here};
//     STENO_INFO("compressed {bytes} bytes", n);          // has the request_id
//   });
//
// Stored once per change, not with each record. Thread-safe: each thread has its own context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "steno/detail/capture.h"
#include "steno/detail/config.h"

namespace steno {
namespace detail {

// `*before` receives the number of fields before the call, for pop_context. `type` is a letter of types.md.
STENO_EXPORT void push_context(const char* name, char type, const void* value, std::size_t size,
                               unsigned* before) noexcept;
STENO_EXPORT void pop_context(unsigned before) noexcept;

// Serialises the calling thread's current fields, in an internal form, to `out` if they fit into `room` bytes. Returns
// the size. 0: there are none.
STENO_EXPORT std::size_t copy_context(char* out, std::size_t room) noexcept;
// Pushes the fields that copy_context() wrote. Names are not copied: `copy` must stay unchanged until they are popped.
STENO_EXPORT void push_copied_context(const char* copy, std::size_t size, unsigned* before) noexcept;

template <class T>
inline void push_context_value(const char* name, char type, Scalar<T> value, unsigned* before) noexcept {
  push_context(name, type, &value.value, sizeof value.value, before);
}
inline void push_context_value(const char* name, char type, Bytes value, unsigned* before) noexcept {
  push_context(name, type, value.data, value.size, before);
}
inline void push_context_value(const char* name, char type, Terminated value, unsigned* before) noexcept {
  push_context_value(name, type, c_string(value.data, kUnbounded), before);
}

// A value as a context keeps it: without its meaning, as text where it has that.
template <class T>
decltype(auto) context_value(const T& value) {
  if constexpr (kIsByteArray<Bare<T>>) {
    std::string list = "[";
    for (const auto byte : value) list += (list.size() == 1 ? "" : ", ") + std::to_string(byte);
    list += ']';
    return list;
  } else {
    return captured_as_text(value);
  }
}
template <class T>
using ContextType = Bare<decltype(context_value(std::declval<const T&>()))>;

}  // namespace detail

// A snapshot of a thread's context, which ScopedContext can set elsewhere. It owns its names and values, can be copied
// and moved, and may outlive the scopes and the thread that it was captured in. It does not reflect later changes.
// Several threads may read it at the same time.
class Context {
 public:
  // No fields.
  Context() = default;

  // The current fields of the calling thread; of several with the same name, the innermost. Costs a copy and at most
  // one allocation (up to about 1 KiB); throws what that throws. Not for signal handlers.
  static Context capture() {
    Context context;
    context.copy_.resize(detail::copy_context(nullptr, 0));
    detail::copy_context(context.copy_.data(), context.copy_.size());
    return context;
  }

  // Returns whether there are no fields.
  bool empty() const noexcept { return copy_.empty(); }

 private:
  friend class ScopedContext;
  std::string copy_ = {};  // as copy_context() writes it
};

// Sets a field of the calling thread's context until the end of the scope. Scopes nest: a field of the same name hides
// the outer one meanwhile. Must be destroyed by the thread that made it, in reverse order.
//
// `name`: 1 to 63 characters; it must outlive the scope, as a literal does. Fields with other names are ignored, and so
// are names that begin with `?` or `|` and a digit, which are reserved (spec/types.md). `value`: any type that a
// statement takes; strings are copied. A thread has room for 16 fields, together about 900 bytes with their names; a
// field that does not fit is ignored. Costs a few stores, and a record in the ring when something is logged in the
// scope. Allocates only the thread's state, in a thread that has not logged yet. A child forked in the scope keeps the
// context. Not for signal handlers, but they may log while it is set.
class ScopedContext {
 public:
  // Sets the field `name` to `value` until the object is destroyed.
  template <class T, std::enable_if_t<!detail::kIsValue<T>, int> = 0>
  ScopedContext(const char* name, const T& value) noexcept {
    set(name, value);
  }
  template <class T, std::enable_if_t<detail::kIsValue<T>, int> = 0>
  ScopedContext(const char* name, T value) noexcept {
    set(name, value);
  }
  // Sets all fields of `captured`, which must outlive the scope without being changed or moved. They hide the thread's
  // fields of the same names; its other fields stay set. Fields that do not fit are ignored.
  //
  // In a coroutine the scope must end before the next suspension, because another thread may resume the coroutine. The
  // Context itself may stay in the coroutine's frame.
  explicit ScopedContext(const Context& captured) noexcept {
    detail::push_copied_context(captured.copy_.data(), captured.copy_.size(), &before_);
  }
  explicit ScopedContext(Context&&) = delete;  // the temporary would be destroyed before the scope ends
  ~ScopedContext() { detail::pop_context(before_); }
  ScopedContext(const ScopedContext&) = delete;
  ScopedContext& operator=(const ScopedContext&) = delete;

 private:
  template <class T>
  void set(const char* name, const T& value) noexcept {
    constexpr char kType = detail::letter_of<detail::ContextType<T>>();
    static_assert(!detail::is_secret<detail::Bare<T>>(), "steno: a context keeps no secrets: log them in statements");
    static_assert(kType != '?', "steno: a type that no statement takes; specialise steno::Loggable for it");
    detail::push_context_value(name, kType, detail::wire<kType, false>(detail::context_value(value)), &before_);
  }

  unsigned before_ = ~0u;  // nothing to undo
};

}  // namespace steno
