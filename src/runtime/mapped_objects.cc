#include "runtime/mapped_objects.h"

#include <sys/mman.h>

// LeakSanitizer's, if the program is under it, which does not look into mapped memory by itself.
extern "C" __attribute__((weak, visibility("default"))) void __lsan_register_root_region(const void*, std::size_t);

namespace steno::runtime {

void* map_objects(std::size_t bytes) {
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(room, bytes);
  return room;
}

}  // namespace steno::runtime
