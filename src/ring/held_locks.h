// The session files that this process has locked (ring.md §1), its own and those that it recovers.
//
// A lock belongs to the open file description, which a forked child shares: it would outlive the parent in every child.
// So the child closes these descriptors. (A mapping holds the description too: what is mapped is opened for itself.)
//
// Thread safety: any thread may call these, also while another forks.
#pragma once

namespace steno::ring {

// Before `fd` is locked. If too many are held for the table, a child keeps the lock, until it ends or execs.
void hold_lock(int fd);
// Unlocks and closes it, wherever else it is open.
void release_lock(int fd);
// In a forked child: closes what its parent held.
void abandon_locks();

}  // namespace steno::ring
