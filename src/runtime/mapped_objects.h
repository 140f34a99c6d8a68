// Objects that are made where the heap may not be used, because a signal handler may have interrupted malloc.
//
// Their room is mapped for many at a time: where each is mapped alone, threads that begin at once queue for the lock of
// the address space. It is kept until the process ends, for objects to come. Thread safety: the caller's lock.
#pragma once

#include <cstddef>
#include <new>

namespace steno::runtime {

// Zeros, or nullptr. Leak checkers look into it.
void* map_objects(std::size_t bytes);

template <class T>
class MappedObjects {
 public:
  // nullptr: memory is out.
  T* make() {
    void* const room = take_room();
    return room != nullptr ? new (room) T : nullptr;
  }
  // Room for one, which the caller makes there with placement new, without the lock if he likes: the first store into a
  // page waits for the system. nullptr: memory is out.
  void* take_room() {
    Place* place = free_;
    if (place != nullptr) {
      free_ = place->next;
    } else {
      if (fresh_left_ == 0 && !map_more()) return nullptr;
      --fresh_left_;
      place = fresh_++;
    }
    return place;
  }
  void remove(T* object) {
    object->~T();
    free_ = new (object) Place{free_};
  }
  // In a forked child, where the list may be half changed: starts with an empty one and leaves the objects alone.
  void forget() { *this = {}; }

 private:
  union Place {
    Place* next;
    alignas(T) unsigned char object[sizeof(T)];
  };
  static constexpr std::size_t kAtOnce = 1024;

  bool map_more() {
    fresh_ = static_cast<Place*>(map_objects(kAtOnce * sizeof(Place)));
    if (fresh_ != nullptr) fresh_left_ = kAtOnce;
    return fresh_ != nullptr;
  }

  Place* free_ = nullptr;
  Place* fresh_ = nullptr;
  std::size_t fresh_left_ = 0;
};

}  // namespace steno::runtime
