// A static object that is never destroyed, because threads may need it while the process ends:
//
//     Registry& Registry::instance() {
//       static NeverDestroyed<Registry> registry;
//       return *registry;
//     }
//     STENO_MAKE_EARLY(Registry::instance())
#pragma once

#include <new>

namespace steno {

template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() { new (storage_) T; }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;
  T& operator*() { return *std::launder(reinterpret_cast<T*>(storage_)); }

 private:
  alignas(T) unsigned char storage_[sizeof(T)];
};

}  // namespace steno
