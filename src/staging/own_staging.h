// Making the files of a session's staging (ring.md §1-4).
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file_identity.h"
#include "ring/layout.h"
#include "staging/doorbell.h"
#include "steno/status.h"

namespace steno::staging {

// A ring in memory: its header, then its data. Not owning.
struct RingMemory {
  ring::RingHeader* header = nullptr;
  std::byte* data = nullptr;
  std::uint64_t capacity = 0;  // bytes of data that are there
  std::uint64_t most = 0;      // that they can become; addresses are reserved for them
  bool in_file = false;        // else in private memory
};

// The staging directory of one session. Owned by one process; made and used under the session's lock.
//
// Memory: mappings live until the process ends, so that a thread that logs too late never faults.
class OwnStaging {
 public:
  // Tries `directory` (if any), /dev/shm, $TMPDIR, /tmp, then private memory, which needs no file system but does not
  // survive the process. `*warning` is a sentence if a fallback was used; else empty. `log`: the log of a session with
  // an external scribe that will begin there, or empty. Vacant staging of that log is reused if there is any.
  static Result<OwnStaging> create(const std::string& directory, const std::string& log, std::string* warning);

  OwnStaging() = default;
  OwnStaging(OwnStaging&& other) noexcept { *this = std::move(other); }
  OwnStaging& operator=(OwnStaging&& other) noexcept;
  ~OwnStaging() = default;

  ring::SessionFile* session() { return session_; }
  const ring::SessionFile* session() const { return session_; }
  // Empty when in private memory.
  const std::string& path() const { return path_; }

  // Memory for a ring of `capacity`, which may grow to `most`; both are powers of two within the limits. Its first
  // quarter is populated. Several threads may be here at once, but for ring 0; nobody else knows of the ring before
  // begin_ring().
  Result<RingMemory> make_ring(std::uint32_t ring_id, std::uint64_t capacity, std::uint64_t most);
  // Does what make_ring() does, but in private memory, for when there is no room elsewhere: the ring works, but does
  // not survive the process.
  static Result<RingMemory> make_private_ring(std::uint64_t capacity, std::uint64_t most);
  // Makes it a ring of the session that there is now; its version is written last.
  void begin_ring(std::uint32_t ring_id, const RingMemory& ring);
  // Allocates pages for more data of a ring, but leaves a reserve for other threads; or gives pages at its end back.
  // The producer stores the extent in the header after growing and before shrinking.
  // An error number, or 0; ESTALE: the staging is removed. Nothing here allocates: log calls come this way.
  int grow_ring(std::uint32_t ring_id, RingMemory* ring, std::uint64_t capacity);
  void shrink_ring(std::uint32_t ring_id, RingMemory* ring, std::uint64_t capacity);

  // The right to drain (ring.md §1.2), which is this process's from create() on. Takes it back; false: somebody else
  // has had it all that time.
  bool take_consumer(std::int64_t patience_ns);
  // Whoever comes may drain from here on.
  void give_consumer();
  // Returns whether another process drains. Requires that it was given.
  bool is_drained() const;

  // Called before sessions with an external scribe: their scribe is also woken by the user's doorbell, if one can be
  // created.
  void open_doorbell();
  // Returns whether a scribe comes when the doorbell rings: for this session, or only for others of the user's.
  bool is_attended() const;
  // Calls for a session that has just begun, where there is a doorbell.
  void call_for_session();
  // nullptr: there is none. Any thread.
  Doorbell* doorbell() const { return __atomic_load_n(&doorbell_, __ATOMIC_ACQUIRE); }

  // Appends dictionary entries and publishes their size. One caller at a time. Does nothing in private memory.
  Status append_dictionary(const ByteBuffer& entries);

  // Before the first session: cuts off what an earlier process left in the file after the entries.
  void cut_dictionary();

  // A session begins that logs to the file at `path`: from now on this staging can be found by that path. Returns the
  // keys of the path (log_marks.h).
  std::vector<std::string> mark_log(const std::string& path);
  // It does, and nowhere else: `keys` are those of its log.
  void forget_other_marks(const std::vector<std::string>& keys);

  // Removes directory and files. Mappings stay valid.
  void remove();
  // Leaves directory and files to the next process that logs to the same file (ring.md §1.6). Nothing of the session
  // may be needed any more. `rings`: how many were created; `first` is ring 0, or null, and keeps pages for at most
  // `spare_bytes`, as its extent already says. Mappings stay valid and become private to this process. False: it could
  // not be offered and must be removed.
  bool vacate(std::uint32_t rings, const RingMemory* first, std::uint64_t spare_bytes);
  // Takes back what the program has closed of the locks that this process holds: without them it counts as dead. For
  // the scribe, now and then. Costs two system calls. False: it cannot, because somebody recovers or has removed the
  // staging.
  bool keep_locks();
  // In a forked child: lets go of the parent's files without touching them.
  void abandon();

 private:
  // `memory` must be zeros; the facts of a new session are stored there.
  void take_session(void* memory, std::uint64_t id);
  void note_files();
  // A descriptor for one use: ours, or one that is opened for it where the program has closed that. -1: there is none.
  class Borrowed {
   public:
    Borrowed(int fd, bool own) : fd_(fd), own_(own) {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() {
      if (own_ && fd_ >= 0) ::close(fd_);
    }
    int fd() const { return fd_; }

   private:
    const int fd_;
    const bool own_;
  };
  Borrowed directory() const;
  Borrowed dictionary() const;
  int open_ring(std::uint32_t ring_id) const;
  Result<RingMemory> reuse_ring(std::uint64_t capacity, std::uint64_t most);
  std::string root() const;
  Status open_in(const std::string& root, const std::string& log);
  // Vacant staging of that log. False: there is none.
  bool take_over(const std::string& root, const std::string& log);
  enum class Claim { kTaken, kHeld, kUseless };
  Claim claim(const Vacancy& vacancy, const std::string& user, const std::string& log);
  bool is_vacant(const std::string& log) const;
  bool begin_anew(const std::string& log);
  void let_go();
  // `*removed`: somebody took the unfinished directory for rubbish; try again.
  Status try_open_in(const std::string& root, bool* removed);

  std::string path_;
  std::uint32_t name_pid_ = 0;  // these two make its name
  std::uint64_t nonce_ = 0;
  int directory_fd_ = -1;
  int session_fd_ = -1;   // holds the lock; not the one that was mapped, which a forked child would keep open
  int consumer_fd_ = -1;  // while this process drains
  int dictionary_fd_ = -1;
  // The directory that they led to when they were opened.
  FileIdentity directory_file_;
  FileIdentity session_file_;
  FileIdentity consumer_file_;
  FileIdentity dictionary_file_;
  ring::SessionFile* session_ = nullptr;
  Doorbell* doorbell_ = nullptr;
  bool is_reused_ = false;          // a process before made it
  bool has_spare_ring_ = false;     // and ring 0, which this one has not needed yet
  std::vector<std::string> marks_;  // keys (log_marks.h)
  std::string marked_log_;          // a path whose keys are these: the session that is about to begin logs to it
};

}  // namespace steno::staging
