#include "ring/release.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/fence.h"

namespace steno::ring {

Release restarted(const Release& last) {
  return {.position = last.position, .drops = last.drops, .announced = last.announced, .discards = last.discards};
}

void publish(RingHeader* header, Release release, const wire::ThreadInfo& thread) {
  release.thread = thread.index;
  release.thread_slot = last_release(header).thread_slot % 2;
  const ThreadSlot& known = header->threads[release.thread_slot];
  const std::string_view name(thread.name.data(), std::min(thread.name.size(), kThreadName));
  if (known.index != thread.index || known.tid != thread.tid || known.name_size != name.size() ||
      std::memcmp(known.name, name.data(), name.size()) != 0) {
    release.thread_slot ^= 1;
    ThreadSlot& slot = header->threads[release.thread_slot];
    fence<__ATOMIC_RELEASE>();  // as in store_release
    slot.tid = thread.tid;
    slot.index = thread.index;
    slot.name_size = static_cast<std::uint32_t>(name.size());
    std::memcpy(slot.name, name.data(), name.size());
  }
  store_release(header, release);
}

}  // namespace steno::ring
