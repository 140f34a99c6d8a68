// Objects owned by a thread, destroyed when it ends.
//
// Not by destructors of thread_local objects: C++ libraries over musl may have none, and libraries that are loaded by
// dlopen() get little memory for such objects. A __thread pointer is enough.
#pragma once

namespace steno {

// Calls destroy(object) when the calling thread ends; where the process ends first, never. Those that came last are
// called first. Throws std::bad_alloc.
void at_thread_end(void (*destroy)(void* object), void* object);

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

// What *own points to, made anew if that is nothing, until the thread ends.
template <class T>
T& of_thread(T** own) {
  if (*own == nullptr) {
    *own = new T;
    delete_at_thread_end(own);
  }
  return **own;
}

}  // namespace steno
