// Locks of staging files (ring.md §1.5), and the list of those that this process holds: of its own sessions and of
// those that it recovers.
//
// A lock belongs to the open file description, which a forked child shares: it would outlive the parent in every child.
// So the child closes these descriptors. (A mapping holds the description too: what is mapped is opened for itself.)
//
// Thread safety: any thread may call these, also while another forks.
#pragma once

namespace steno::staging {

enum class LockKind { kShared, kExclusive };

// Locks a file against both kinds of lock that others may have on it, the `flock` and the record lock, or not at all.
// For kExclusive the descriptor must be open for writing. False, with errno: EWOULDBLOCK if somebody holds it.
bool try_lock(int fd, LockKind kind);
// Locks it exclusively, as soon as nobody else holds it. False, with errno: it cannot be locked.
bool lock(int fd);
void unlock(int fd);

// Before `fd` is locked. If too many are held for the table, a child keeps the lock, until it ends or execs.
void hold_lock(int fd);
// Returns whether the descriptor is still open, and the one that was held: the program may have closed it, with the
// lock.
bool holds_lock(int fd);
// Unlocks and closes it, wherever else it is open; unless it is somebody else's by now.
void release_lock(int fd);
// In a forked child: closes what its parent held.
void abandon_locks();

}  // namespace steno::staging
