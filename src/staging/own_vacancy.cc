// OwnStaging that goes from one process to the next (ring.md §1.6).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fence.h"
#include "base/kill_point.h"
#include "ring/session_access.h"
#include "staging/directory.h"
#include "staging/held_locks.h"
#include "staging/own_staging.h"
#include "staging/vacancy.h"

namespace steno::staging {
namespace {

constexpr int kClaims = 4;                                              // offers that are tried
constexpr std::uint64_t kMostSpareDictionary = std::uint64_t{1} << 20;  // a longer one is not left

// Whoever looks whether a lock is held takes it for an instant.
bool take_vacant_lock(int fd) {
  hold_lock(fd);
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (attempt != 0) usleep(100);
    if (try_lock(fd, LockKind::kExclusive)) return true;
  }
  return false;
}

int open_own_file(int directory_fd, const char* name, int access) {
  return openat(directory_fd, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

// Makes the memory private to this process: `size` bytes, with the contents of the first `kept`. Threads may use the
// memory at any time meanwhile.
bool make_own(void* memory, std::size_t size, std::size_t kept) {
  void* const own = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (own == MAP_FAILED) return false;
  std::memcpy(own, memory, kept);
  if (mremap(own, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, memory) != MAP_FAILED) return true;
  munmap(own, size);
  return false;
}

}  // namespace

bool OwnStaging::take_over(const std::string& root, const std::string& log) {
  Doorbell* const bell = staging::open_doorbell(root);
  if (bell == nullptr) return false;
  const std::string user = user_directory(root);
  const std::uint32_t key = vacancy_key(log);
  std::uint32_t from = 0;
  Vacancy vacancy{};
  for (int i = 0; i < kClaims && claim_vacancy(bell, key, &from, &vacancy); ++i) {
    STENO_KILL_POINT("vacancy.claimed");
    const Claim claimed = claim(vacancy, user, log);
    if (claimed == Claim::kTaken && begin_anew(log)) {
      __atomic_store_n(&doorbell_, bell, __ATOMIC_RELEASE);
      return true;
    }
    // Its scribe is not done with it yet, or somebody looks at it: it is for a later one.
    if (claimed == Claim::kHeld) {
      if (Vacancy* const slot = reserve_vacancy(bell)) fill_vacancy(slot, vacancy.pid, vacancy.nonce, vacancy.key);
    }
    let_go();
  }
  close_doorbell(bell);
  return false;
}

// Opens and locks it, in the order of recovery. It is an orphan as any other until begin_anew().
OwnStaging::Claim OwnStaging::claim(const Vacancy& vacancy, const std::string& user, const std::string& log) {
  name_pid_ = vacancy.pid;
  nonce_ = vacancy.nonce;
  path_ = user + "/" + staging_name(name_pid_, nonce_);
  directory_fd_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  directory_file_ = FileIdentity::of(directory_fd_);
  struct stat st {};
  if (directory_fd_ < 0 || fstat(directory_fd_, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 0077) != 0)
    return Claim::kUseless;
  consumer_fd_ = open_own_file(directory_fd_, "consumer", O_RDWR);
  if (consumer_fd_ < 0) return Claim::kUseless;
  if (!take_vacant_lock(consumer_fd_)) return Claim::kHeld;
  session_fd_ = open_own_file(directory_fd_, "session", O_RDWR);
  if (session_fd_ < 0) return Claim::kUseless;
  if (!take_vacant_lock(session_fd_)) return Claim::kHeld;
  // Read only after taking the lock: the previous holder may have removed everything.
  if (fstat(session_fd_, &st) != 0 || st.st_nlink == 0 || st.st_size != sizeof(ring::SessionFile))
    return Claim::kUseless;
  const int fd = open_own_file(directory_fd_, "session", O_RDWR);  // not the one that has the lock (ring.md §1)
  void* memory = MAP_FAILED;
  if (fd >= 0) memory = mmap(nullptr, sizeof(ring::SessionFile), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) return Claim::kUseless;
  session_ = static_cast<ring::SessionFile*>(memory);
  return is_vacant(log) ? Claim::kTaken : Claim::kUseless;
}

bool OwnStaging::is_vacant(const std::string& log) const {
  return session_->magic == ring::kSessionMagic && session_->version == ring::kVersion &&
         session_->state == ring::kEnded && session_->vacant == 1 && log.size() < sizeof session_->log_path &&
         std::memcmp(session_->log_path, log.c_str(), log.size() + 1) == 0;
}

// Makes the staging as if it were new: from the store of `version` on it is unfinished, and rubbish if this process
// dies.
bool OwnStaging::begin_anew(const std::string& log) {
  dictionary_fd_ = open_own_file(directory_fd_, "dictionary", O_WRONLY);
  if (dictionary_fd_ < 0) return false;
  note_files();
  const int ring = open_own_file(directory_fd_, "ring-0", O_RDWR);
  if (ring < 0 && errno != ENOENT) return false;
  ring::withdraw_version(*session_);
  // Whoever reads along finds another session before anything else of it changes.
  ring::publish_session_id(*session_, random_id());
  fence<__ATOMIC_SEQ_CST>();
  STENO_KILL_POINT("vacancy.unfinished");
  const std::uint64_t id = session_->session_id;
  constexpr std::size_t kKept = offsetof(ring::SessionFile, start_wall);  // magic, version, pid, id
  std::memset(reinterpret_cast<char*>(session_) + kKept, 0, sizeof(ring::SessionFile) - kKept);
  const std::uint32_t no_version = 0;
  const bool cleared = ring < 0 || pwrite(ring, &no_version, sizeof no_version, offsetof(ring::RingHeader, version)) ==
                                       static_cast<ssize_t>(sizeof no_version);
  has_spare_ring_ = ring >= 0;
  if (ring >= 0) close(ring);
  if (!cleared) return false;
  is_reused_ = true;
  unlinkat(directory_fd_, "control", 0);
  STENO_KILL_POINT("vacancy.cleared");
  take_session(session_, id);
  if (mark_log(log) == marks_) marked_log_ = log;
  std::memcpy(session_->log_path, log.c_str(), log.size() + 1);
  return true;
}

void OwnStaging::cut_dictionary() {
  struct stat st {};
  const auto size = static_cast<off_t>(session_->dictionary_size);
  if (is_reused_ && fstat(dictionary_fd_, &st) == 0 && st.st_size > size) (void)ftruncate(dictionary_fd_, size);
}

void OwnStaging::let_go() {
  if (session_ != nullptr) munmap(std::exchange(session_, nullptr), sizeof(ring::SessionFile));
  for (int* lock : {&session_fd_, &consumer_fd_}) {
    if (*lock >= 0) release_lock(std::exchange(*lock, -1));
  }
  abandon();
  path_.clear();
  marks_.clear();
  marked_log_.clear();
  is_reused_ = has_spare_ring_ = false;
}

bool OwnStaging::vacate(std::uint32_t rings, const RingMemory* first, std::uint64_t spare_bytes) {
  if (directory_fd_ < 0 || doorbell_ == nullptr || session_->dictionary_size > kMostSpareDictionary ||
      (first != nullptr && !first->in_file)) {
    return false;
  }
  Vacancy* const slot = reserve_vacancy(doorbell_);
  if (slot == nullptr) return false;
  STENO_KILL_POINT("vacancy.reserved");
  const std::string log = session_->log_path;
  const Borrowed from = directory();
  for (std::uint32_t id = 1; id < rings; ++id) unlinkat(from.fd(), ("ring-" + std::to_string(id)).c_str(), 0);
  ring::publish_ring_count(*session_, first != nullptr ? 1 : 0);
  // Records that threads log from here on are discarded. Uses the mapping and not a descriptor: the program may have
  // closed unknown descriptors and opened its own file at that number.
  const auto take_ring = [&] {
    return first == nullptr || make_own(first->header, ring::kHeaderBytes + first->most, ring::kHeaderBytes);
  };
  const auto take_session = [&] {
    ring::store_vacant(*session_, true);
    if (make_own(session_, sizeof(ring::SessionFile), sizeof(ring::SessionFile))) return true;
    ring::store_vacant(*session_, false);
    return false;
  };
  // After take_ring(): a store into a mapping of pages that are gone is SIGBUS.
  const auto cut_ring = [&] {
    if (first == nullptr || first->capacity <= spare_bytes) return;
    const int fd = open_ring(0);
    if (fd < 0) return;
    (void)ftruncate(fd, static_cast<off_t>(ring::kHeaderBytes + spare_bytes));  // else it stays large
    close(fd);
  };
  const bool own_ring = take_ring();
  if (own_ring) cut_ring();
  if (!own_ring || !take_session()) {
    give_back_vacancy(slot);
    return false;
  }
  STENO_KILL_POINT("vacancy.left");
  const std::uint32_t pid = name_pid_;
  const std::uint64_t nonce = nonce_;
  give_consumer();
  release_lock(std::exchange(session_fd_, -1));
  abandon();
  STENO_KILL_POINT("vacancy.unlocked");
  fill_vacancy(slot, pid, nonce, vacancy_key(log));
  return true;
}

}  // namespace steno::staging
