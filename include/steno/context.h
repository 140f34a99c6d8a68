// Context: named values that all records of a thread have while a scope lasts, such as the number of the request that
// it serves. They are not part of any message; who reads the log asks for them as for arguments:
//
//   steno::ScopedContext request{"request_id", id};
//   STENO_INFO("read {bytes} bytes", n);                  // and whatever the functions log that are called here
//
//   steno cat app.steno --where 'request_id == 7'
//
// Work that goes on elsewhere, in a thread of a pool or in a coroutine that resumes, takes it along:
//
//   pool.run([here = steno::Context::capture()] {
//     steno::ScopedContext carried{here};
//     STENO_INFO("compressed {bytes} bytes", n);          // has the request_id
//   });
//
// Stored once for each change, not with each record. Thread-safe: each thread has a context of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "steno/detail/capture.h"
#include "steno/detail/config.h"

namespace steno {
namespace detail {

// `*before`: how many fields the calling thread's context had, for pop_context. `type` is a letter of types.md.
STENO_EXPORT void push_context(const char* name, char type, const void* value, std::size_t size,
                               unsigned* before) noexcept;
STENO_EXPORT void pop_context(unsigned before) noexcept;

// The calling thread's fields that are in force, in a form of the library's own: writes it to `out`, which has room for
// `room` bytes, if it fits, and returns its size. 0: there are none.
STENO_EXPORT std::size_t copy_context(char* out, std::size_t room) noexcept;
// Pushes what copy_context() wrote. Names are not copied: `copy` must stay until they are popped.
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

}  // namespace detail

// The fields of a thread's context at one time, to be set elsewhere by ScopedContext. A value: it owns names and
// values, can be copied, moved and kept, and outlives the scopes and the thread that it was captured in. It does not
// follow their later changes. Reading one from several threads is safe.
class Context {
 public:
  // No fields.
  Context() = default;

  // The fields in force in the calling thread: of those of one name the innermost. Costs a copy of them and at most one
  // allocation (about 1 KiB at most); throws what that throws. Not for signal handlers.
  static Context capture() {
    Context context;
    context.copy_.resize(detail::copy_context(nullptr, 0));
    detail::copy_context(context.copy_.data(), context.copy_.size());
    return context;
  }

  // Whether there are no fields.
  bool empty() const noexcept { return copy_.empty(); }

 private:
  friend class ScopedContext;
  std::string copy_;  // as copy_context() writes it
};

// Sets a field of the calling thread's context until the end of the scope. Scopes nest: a field of the same name hides
// the outer one meanwhile. Must be destroyed by the thread that made it, in reverse order.
//
// `name`: 1 to 63 characters; it must outlive the scope, as a literal does. Fields of other names, and of names that
// begin with `?` or `|` and a digit, which are taken (spec/types.md), are left out. `value`: whatever a statement
// takes; strings are copied. A thread has room for 16 fields, together about 900 bytes with their names; one that finds
// no room is left out. Costs a few stores, and a record in the ring when something is logged in it. Allocates nothing
// but, in a thread that has not logged yet, that thread's state. A child that is forked in the scope goes on in it. Not
// for signal handlers, though these may log in it.
class ScopedContext {
 public:
  // Sets the field `name` to `value`; it holds until the object goes.
  template <class T>
  ScopedContext(const char* name, const T& value) noexcept {
    constexpr char kType = detail::letter_of<detail::TextType<detail::Bare<T>>>();
    static_assert(!detail::is_secret<detail::Bare<T>>(), "steno: a context keeps no secrets: log them in statements");
    static_assert(kType != '?', "steno: a type that no statement takes; specialise steno::Loggable for it");
    detail::push_context_value(name, kType, detail::wire<kType, false>(detail::captured_as_text(value)), &before_);
  }
  // Sets all fields of `captured`, which must outlive the scope, unchanged and where it is, as scopes within this one
  // would: they hide the thread's fields of the same names, and its others stay in force. Those that find no room are
  // left out.
  //
  // In a coroutine such a scope must end before the next suspension: after that another thread may run, and end it. The
  // Context itself may stay in the coroutine's frame.
  explicit ScopedContext(const Context& captured) noexcept {
    detail::push_copied_context(captured.copy_.data(), captured.copy_.size(), &before_);
  }
  explicit ScopedContext(Context&&) = delete;  // it would go before the scope ends
  ~ScopedContext() { detail::pop_context(before_); }
  ScopedContext(const ScopedContext&) = delete;
  ScopedContext& operator=(const ScopedContext&) = delete;

 private:
  unsigned before_ = ~0u;  // nothing to take back
};

}  // namespace steno
