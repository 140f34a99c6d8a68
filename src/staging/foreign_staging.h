// Staging of another process, live or dead: found, opened, validated (ring.md §1-4). Nothing in it is trusted.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ring/layout.h"
#include "staging/foreign_dictionary.h"
#include "staging/foreign_ring.h"
#include "steno/status.h"

namespace steno::staging {

// How a staging directory stands.
enum class State {
  kLive,       // its owner lives, or somebody recovers it now
  kOrphan,     // its owner is dead
  kUnfinished  // its owner died before the first record could be logged
};

// One staging directory, opened. Movable; unmaps and unlocks when destroyed. Not thread-safe.
//
// Files that another user may change are copied, never mapped, and bounded in number and size: the cost of looking at
// staging that he made is at most in proportion to the memory that it takes from him.
class ForeignStaging {
 public:
  enum class Access {
    kRead,   // by anyone with the rights; changes nothing, not even for a moment longer than the look at the lock
    kDrain,  // to drain for a process that lives: holds the lock of its consumer until destroyed
    kOwn,    // to recover: holds that and the one that says that its owner lives
  };
  enum class Extent {
    kSession,  // the session's file
    kRings,    // and the rings
    kAll,      // and the dictionary: for whoever wants records
  };

  // kNotFound: no staging there (any more). kFailedPrecondition: somebody else has a lock that is to be held.
  // kPermissionDenied: somebody else's. kUnsupported: another version's. kCorrupt: it contradicts itself. kIoError:
  // kOwn, and not all of it can be opened or mapped now. Rings that make no sense are left out and named in problems().
  static Result<ForeignStaging> open(const std::string& directory, Access access, Extent extent = Extent::kAll);

  ForeignStaging(ForeignStaging&&) noexcept;
  ForeignStaging& operator=(ForeignStaging&&) noexcept;
  ~ForeignStaging();

  const std::string& directory() const { return directory_; }
  State state() const { return state_; }
  uid_t owner() const { return owner_; }
  // The session as it was when it was opened; its texts are terminated.
  const ring::SessionFile& session() const { return session_; }
  // kDrain, kOwn: the mapped one, to be written.
  ring::SessionFile* shared_session() { return shared_; }
  const ring::SessionFile* shared_session() const { return shared_; }
  const std::vector<ForeignRing>& rings() const { return rings_; }
  const std::vector<std::string>& problems() const { return problems_; }
  // Returns whether the staging still has the session that was found, as far as can be seen.
  bool same_session() const;
  // Returns whether the session's process has died since it was opened, or had by then.
  bool is_orphan() const;
  // kDrain: returns true if its process is dead and no other process recovers it. From then on it is as with kOwn: all
  // facts are final and must be read again.
  bool take_over();
  // Returns whether a process drains the session.
  bool is_drained() const;
  // kDrain, kOwn: a new session begins, in another file (ring.md §4.2).
  void renew_session();
  // Returns whether rings were made since the view was opened or refreshed.
  bool has_new_rings() const;
  // For followers: reads the session's current facts, and rings created since. False: another session has begun there,
  // so the view must be opened again.
  bool refresh();
  // Takes in dictionary entries made since. After a look at the tails they have all that the records there need.
  void refresh_dictionary();
  // kDrain, kOwn: restarts sequence numbers in rings that the session has not reached (ring.md §4.2).
  void restart_rings();
  ForeignDictionary& ids() { return *ids_; }
  Access access() const { return access_; }
  int directory_fd() const { return directory_fd_; }

 private:
  ForeignStaging() = default;
  Status check_owner();
  // Returns whether nobody else can change the staging; files of this process's user may be mapped.
  bool is_ours() const;
  int open_file(const char* name, int flags) const;
  Status open_session();
  Status check_life();
  bool is_mapped_by_owner() const;
  Status take_locks();
  Status map_session();
  // A field of the session's file as it is now.
  template <class T>
  T shared(std::size_t offset, T otherwise) const;
  bool copy_session();
  Status read_dictionary();
  bool list_rings(std::vector<std::uint32_t>* ids);
  Status open_rings();
  Status open_ring(std::uint32_t id);
  Status copy_recorder(std::uint32_t id, std::uint64_t capacity);
  // To write what is the consumer's.
  bool drains() const { return access_ != Access::kRead; }

  std::string directory_;
  Access access_ = Access::kRead;
  State state_ = State::kLive;
  uid_t owner_ = 0;
  int directory_fd_ = -1;
  int session_fd_ = -1;   // where it is locked, or read
  int consumer_fd_ = -1;  // while we drain
  ring::SessionFile session_{};
  ring::SessionFile* shared_ = nullptr;  // null: not ours
  std::vector<ForeignRing> rings_;
  std::vector<std::string> problems_;
  std::unique_ptr<ForeignDictionary> ids_;
  std::uint64_t dictionary_size_ = 0;  // that was there when ids_ was read, at least
};

// Returns whether the status of open() means that the staging exists but this version of steno cannot read it: it has
// another version, or is damaged.
bool is_unreadable(const Status& status);

}  // namespace steno::staging
