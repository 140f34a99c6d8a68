// Objects owned by a thread, destroyed when it ends.
//
// Not by destructors of thread_local objects: C++ libraries over musl may have none, and libraries that are loaded by
// dlopen() get little memory for such objects. Not by a __thread pointer each, for the same reason.
#pragma once

#include <memory>

namespace steno {

// Calls destroy(object) when the calling thread ends; where the process ends first, never. Those that came last are
// called first. Throws std::bad_alloc.
// `kind`: by which find_of_thread() finds it, until then.
void at_thread_end(void (*destroy)(void* object), void* object, const void* kind = nullptr);
// The calling thread's object of that kind; nullptr: it has none.
void* find_of_thread(const void* kind);

// Deletes *own then, and forgets it; `own` is a __thread pointer of the calling thread.
template <class T>
void delete_at_thread_end(T** own) {
  at_thread_end(
      [](void* pointer) {
        T*& object = *static_cast<T**>(pointer);
        delete object;
        object = nullptr;
      },
      own);
}

// The calling thread's T, made if need be, until the thread ends. Costs some 10 ns.
template <class T>
T& of_thread() {
  static char kind;  // its address is T's
  if (void* const known = find_of_thread(&kind)) return *static_cast<T*>(known);
  auto made = std::make_unique<T>();
  at_thread_end([](void* object) { delete static_cast<T*>(object); }, made.get(), &kind);
  return *made.release();
}

}  // namespace steno
