#include "runtime/slots.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "base/early.h"
#include "base/never_destroyed.h"
#include "base/signal_safe_lock.h"
#include "runtime/core.h"
#include "runtime/crash_handler.h"
#include "runtime/hooks.h"
#include "runtime/thread_hooks.h"
#include "staging/held_locks.h"

namespace steno::runtime {
namespace {

struct Slot {
  std::atomic<Core*> core{nullptr};
  Core* parents = nullptr;    // in a forked child: its parent's, of which may be read what never changes
  bool taken = false;         // by an explicit session; under slots_mutex()
  std::uint32_t orphans = 0;  // records of the parent's that its child cannot finish; counted when the child has a core
};
Slot slots[kMaxSlots];

std::mutex& slots_mutex() {
  static NeverDestroyed<std::mutex> mutex;
  return *mutex;
}
STENO_MAKE_EARLY(slots_mutex())

Core* make(std::uint32_t slot, const std::string& directory, const std::string& log) {
  Core* const core = Core::make(slot, directory, log);
  if (core == nullptr) return nullptr;
  install_thread_hooks();
  for (std::uint32_t& left = slots[slot].orphans; left != 0; --left) core->discards().add();
  slots[slot].core.store(core, std::memory_order_release);
  return core;
}

// The log of a session that nobody has begun yet, if it brings no scribe: in a forked child the parent's is carried on.
std::string log_to_come(std::uint32_t slot, const Core* parents) {
  if (parents == nullptr) return slot == 0 ? log_of_environment() : std::string();
  const ring::SessionFile& session = parents->session();
  return session.external != 0 ? std::string(session.log_path, strnlen(session.log_path, sizeof session.log_path))
                               : std::string();
}

}  // namespace

Core* core_at(std::uint32_t slot) {
  return slots[slot].core.load(std::memory_order_acquire);
}

Core* core_of_slot(std::uint32_t slot, const std::string& directory, const std::string& log) {
  if (Core* core = core_at(slot)) return core;
  const SignalSafeLock lock(slots_mutex());
  if (Core* core = core_at(slot)) return core;
  const Core* const parents = slots[slot].parents;
  if (slot != 0 && !slots[slot].taken) return nullptr;
  std::string where = directory;
  if (where.empty() && parents != nullptr) where = parents->directory();
  const char* from_environment = secure_getenv("STENO_STAGING");
  if (where.empty() && slot == 0 && from_environment != nullptr) where = from_environment;
  return make(slot, where, log.empty() ? log_to_come(slot, parents) : log);
}

Core* take_slot(const std::string& directory, const std::string& log) {
  const SignalSafeLock lock(slots_mutex());
  for (std::uint32_t slot = 1; slot < kMaxSlots; ++slot) {
    if (slots[slot].taken) continue;
    Core* core = core_at(slot);
    if (core == nullptr) core = make(slot, directory, log);
    if (core != nullptr) slots[slot].taken = true;
    return core;
  }
  return nullptr;
}

void release_slot(std::uint32_t slot) {
  const SignalSafeLock lock(slots_mutex());
  slots[slot].taken = false;
}

void count_orphan(std::uint32_t slot) {
  ++slots[slot].orphans;
}

void forget_cores() {
  new (&slots_mutex()) std::mutex;  // whoever held it does not live here
  for (Slot& slot : slots) {
    Core* const parents = slot.core.exchange(nullptr);
    if (parents == nullptr) continue;
    parents->disown();
    slot.parents = parents;
  }
  staging::abandon_locks();
  forget_crashes();
}

}  // namespace steno::runtime
