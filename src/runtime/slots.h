// The cores of a process: one for each session that may run at the same time. Slot 0 is the default session's, and its
// core is made by the first log call; the others are taken and given back by explicit sessions.
//
// Cores are never destroyed, so a thread that logs too late still finds one. A forked child does not use its parent's
// cores: its first log call to a slot that was in use creates a new one.
//
// Thread safety: any thread may call these; core_at() in signal handlers too.
#pragma once

#include <cstdint>
#include <string>

namespace steno::runtime {

class Core;

inline constexpr std::uint32_t kMaxSlots = 64;

// The core of a slot; nullptr if there is none yet.
Core* core_at(std::uint32_t slot);
// Does what core_at() does, but creates the core if needed: for the default slot always, for others in a forked child
// whose parent used the slot. Staging is in `directory` if that is not empty, else where the parent's was, else where
// the environment says. `log`: the log of a session with an external scribe that will begin there; vacant staging may
// then be reused (ring.md §1.6). nullptr: the slot is unused, or there is no memory.
Core* core_of_slot(std::uint32_t slot, const std::string& directory = "", const std::string& log = "");
// A free slot's core, made if need be; nullptr when all are taken. Give it back with release_slot().
Core* take_slot(const std::string& directory, const std::string& log);
void release_slot(std::uint32_t slot);

// In a forked child: a record of that slot was being written by the thread that forked, and is lost here.
void count_orphan(std::uint32_t slot);
// In a forked child: forgets all cores without touching what the parent still uses. Its threads are gone but the
// calling one.
void forget_cores();

}  // namespace steno::runtime
