#include "staging/own_staging.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file_ranges.h"
#include "base/file_size_signal.h"
#include "base/kill_point.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "staging/directory.h"
#include "staging/held_locks.h"
#include "staging/log_marks.h"
#include "staging/memory.h"

namespace steno::staging {
namespace {

constexpr int kAttempts = 100;  // at what others, or signals, may disturb

// Returns whether there is nothing at a path. lstat() uses the rights that files are made with: access() would ask for
// the real user.
bool is_gone(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) != 0 && errno == ENOENT;
}

// Takes the lock that shows that the owner is alive. A process that looks for orphans may hold it for a moment, and may
// find the directory unfinished and remove it: false, and the staging must be created again.
// `*error`: it cannot be locked.
bool lock_session(int fd, int* error) {
  hold_lock(fd);
  if (!lock(fd)) {
    *error = errno;
    return false;
  }
  struct stat st {};
  return fstat(fd, &st) == 0 && st.st_nlink != 0;
}

RingMemory ring_memory(void* memory, std::uint64_t capacity, std::uint64_t most, bool in_file) {
  auto* header = static_cast<ring::RingHeader*>(memory);
  return {header, reinterpret_cast<std::byte*>(header) + ring::kHeaderBytes, capacity, most, in_file};
}

}  // namespace

void OwnStaging::note_files() {
  directory_file_ = FileIdentity::of(directory_fd_);
  session_file_ = FileIdentity::of(session_fd_);
  consumer_file_ = FileIdentity::of(consumer_fd_);
  dictionary_file_ = FileIdentity::of(dictionary_fd_);
}

OwnStaging::Borrowed OwnStaging::directory() const {
  if (directory_fd_ < 0 || directory_file_.holds(directory_fd_)) return {directory_fd_, false};
  const int fd = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || directory_file_.holds(fd)) return {fd, true};
  close(fd);
  return {-1, true};
}

OwnStaging::Borrowed OwnStaging::dictionary() const {
  if (dictionary_fd_ < 0 || dictionary_file_.holds(dictionary_fd_)) return {dictionary_fd_, false};
  const Borrowed from = directory();
  const int fd = from.fd() < 0 ? -1 : openat(from.fd(), "dictionary", O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || dictionary_file_.holds(fd)) return {fd, true};
  close(fd);
  return {-1, true};
}

bool OwnStaging::keep_locks() {
  if (directory_fd_ < 0) return true;
  bool kept = true;
  const auto keep = [&](int* fd, const FileIdentity& file, const char* name) {
    if (*fd < 0 || file.holds(*fd)) return;
    const Borrowed from = directory();
    const int again = from.fd() < 0 ? -1 : openat(from.fd(), name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (!file.holds(again) || !try_lock(again, LockKind::kExclusive)) {
      if (again >= 0) close(again);
      kept = false;
      return;
    }
    hold_lock(again);
    release_lock(std::exchange(*fd, again));  // only forgets it: it is not ours
  };
  keep(&consumer_fd_, consumer_file_, "consumer");
  keep(&session_fd_, session_file_, "session");
  return kept;
}

OwnStaging& OwnStaging::operator=(OwnStaging&& other) noexcept {
  path_ = std::exchange(other.path_, {});
  directory_fd_ = std::exchange(other.directory_fd_, -1);
  session_fd_ = std::exchange(other.session_fd_, -1);
  consumer_fd_ = std::exchange(other.consumer_fd_, -1);
  dictionary_fd_ = std::exchange(other.dictionary_fd_, -1);
  directory_file_ = other.directory_file_;
  session_file_ = other.session_file_;
  consumer_file_ = other.consumer_file_;
  dictionary_file_ = other.dictionary_file_;
  name_pid_ = other.name_pid_;
  nonce_ = other.nonce_;
  session_ = std::exchange(other.session_, nullptr);
  doorbell_ = std::exchange(other.doorbell_, nullptr);
  is_reused_ = other.is_reused_;
  has_spare_ring_ = other.has_spare_ring_;
  marks_ = std::exchange(other.marks_, {});
  marked_log_ = std::exchange(other.marked_log_, {});
  return *this;
}

Result<OwnStaging> OwnStaging::create(const std::string& directory, const std::string& log, std::string* warning) {
  warning->clear();
  std::string reasons;
  for (const std::string& root : staging_roots(directory)) {
    OwnStaging staging;
    const Status status = staging.open_in(root, log);
    if (status.ok()) {
      if (!reasons.empty()) *warning = reasons + "; staging is in " + staging.path_ + " instead";
      return staging;
    }
    reasons += (reasons.empty() ? "" : "; ") + status.message();
  }
  *warning = reasons + "; staging is in private memory: records that are not yet in the file will not survive a crash";
  auto memory = make_private(sizeof(ring::SessionFile), sizeof(ring::SessionFile));
  if (!memory.ok()) return memory.status();
  OwnStaging staging;
  staging.take_session(*memory, random_id());
  return staging;
}

Status OwnStaging::open_in(const std::string& root, const std::string& log) {
  if (!log.empty() && take_over(root, log)) return {};
  Status status;
  bool removed = true;
  for (int attempt = 0; attempt < kAttempts && removed; ++attempt) {
    removed = false;
    status = try_open_in(root, &removed);
  }
  if (!removed) return status;
  return {StatusCode::kIoError, "staging in " + root + " is removed every time it is created"};
}

Status OwnStaging::try_open_in(const std::string& root, bool* removed) {
  auto user = open_user_directory(root, true);
  if (!user.ok()) return user.status();
  name_pid_ = static_cast<std::uint32_t>(getpid());
  nonce_ = random_id();
  const std::string directory = staging_name(name_pid_, nonce_);
  const char* const name = directory.c_str();
  path_ = user_directory(root) + "/" + directory;
  if (mkdirat(*user, name, 0700) != 0) {
    const int error = errno;
    close(*user);
    return failed("cannot make " + path_, error);
  }
  (void)fchmodat(*user, name, 0700, 0);  // no link: only we can write into *user
  directory_fd_ = openat(*user, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  directory_file_ = FileIdentity::of(directory_fd_);
  if (directory_fd_ < 0) {
    *removed = errno == ENOENT;
    const Status status = failed("cannot open " + path_, errno);
    close(*user);
    return status;
  }
  close(*user);

  // Where not even that can be made, nothing below will be; and readers find it all the same.
  if (add_mark(path_, kNoLog)) marks_ = {kNoLog};
  STENO_KILL_POINT("staging.directory_made");
  auto memory = make_mapped(directory_fd_, "session", sizeof(ring::SessionFile), sizeof(ring::SessionFile),
                            sizeof(ring::SessionFile));
  if (!memory.ok()) {
    *removed = is_gone(path_);
    remove();
    return Status(memory.status().code(), path_ + ": " + memory.status().message());
  }
  STENO_KILL_POINT("staging.session_made");
  session_fd_ = openat(directory_fd_, "session", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  int error = session_fd_ < 0 && errno != ENOENT ? errno : 0;
  if (session_fd_ < 0 || !lock_session(session_fd_, &error)) {
    munmap(*memory, sizeof(ring::SessionFile));
    remove();
    *removed = error == 0;
    return error == 0 ? Status() : failed("cannot lock the session in " + path_, error);
  }
  consumer_fd_ = make_file(directory_fd_, "consumer", O_RDWR);
  if (consumer_fd_ < 0 || !lock_session(consumer_fd_, &error)) {
    if (consumer_fd_ < 0) error = errno;
    munmap(*memory, sizeof(ring::SessionFile));
    remove();
    return failed("cannot create or lock the file 'consumer' in " + path_, error);
  }
  dictionary_fd_ = make_file(directory_fd_, "dictionary", O_WRONLY);
  dictionary_file_ = FileIdentity::of(dictionary_fd_);
  if (dictionary_fd_ < 0) {
    error = errno;
    remove();
    return failed("cannot create the dictionary in " + path_, error);
  }
  note_files();
  take_session(*memory, nonce_);
  return {};
}

void OwnStaging::take_session(void* memory, std::uint64_t id) {
  session_ = static_cast<ring::SessionFile*>(memory);
  session_->magic = ring::kSessionMagic;
  session_->pid = static_cast<std::uint32_t>(getpid());
  session_->session_id = id;
}

Result<RingMemory> OwnStaging::make_ring(std::uint32_t ring_id, std::uint64_t capacity, std::uint64_t most) {
  if (directory_fd_ < 0) return make_private_ring(capacity, most);
  const Borrowed from = directory();
  if (ring_id == 0 && std::exchange(has_spare_ring_, false)) {
    auto reused = reuse_ring(capacity, most);
    if (!reused.ok()) unlinkat(from.fd(), "ring-0", 0);  // a smaller one can be made
    return reused;
  }
  auto memory = make_mapped(from.fd(), ("ring-" + std::to_string(ring_id)).c_str(), ring::kHeaderBytes + capacity,
                            ring::kHeaderBytes + most, ring::kHeaderBytes + ring::quarter_of(capacity));
  if (!memory.ok()) return Status(memory.status().code(), path_ + ": " + memory.status().message());
  return ring_memory(*memory, capacity, most, true);
}

// Only the pages of the former ring are left; its data is not zeros, which nobody reads.
Result<RingMemory> OwnStaging::reuse_ring(std::uint64_t capacity, std::uint64_t most) {
  const int fd = open_ring(0);  // not kept open: programs close descriptors that they do not know
  struct stat st {};
  const auto size = static_cast<off_t>(ring::kHeaderBytes + capacity);
  if (fd < 0) return failed("cannot open ring-0 in " + path_, errno);
  if (fstat(fd, &st) != 0 || (st.st_size > size && ftruncate(fd, size) != 0)) {
    close(fd);
    return Status(StatusCode::kIoError, path_ + ": cannot truncate ring-0");
  }
  auto memory = map_pages(fd, "ring-0", ring::kHeaderBytes + capacity, ring::kHeaderBytes + most,
                          ring::kHeaderBytes + ring::quarter_of(capacity));
  if (!memory.ok()) return Status(memory.status().code(), path_ + ": " + memory.status().message());
  std::memset(*memory, 0, ring::kHeaderBytes);
  return ring_memory(*memory, capacity, most, true);
}

Result<RingMemory> OwnStaging::make_private_ring(std::uint64_t capacity, std::uint64_t most) {
  auto memory = make_private(ring::kHeaderBytes + most, ring::kHeaderBytes + ring::quarter_of(capacity));
  if (!memory.ok()) return memory.status();
  return ring_memory(*memory, capacity, most, false);
}

void OwnStaging::begin_ring(std::uint32_t ring_id, const RingMemory& ring) {
  STENO_KILL_POINT("staging.ring_made");
  ring.header->magic = ring::kRingMagic;
  ring.header->ring_id = ring_id;
  ring.header->capacity = ring.capacity;
  ring.header->session_id = session_->session_id;
  ring::publish_ring_version(ring.header);
}

// Not kept open: threads may be more than descriptors.
int OwnStaging::open_ring(std::uint32_t ring_id) const {
  char name[16];
  snprintf(name, sizeof name, "ring-%u", ring_id);
  const Borrowed from = directory();
  return openat(from.fd(), name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

int OwnStaging::grow_ring(std::uint32_t ring_id, RingMemory* ring, std::uint64_t capacity) {
  if (ring->in_file) {
    if (directory_fd_ < 0) return ESTALE;
    const int fd = open_ring(ring_id);
    if (fd < 0) return errno;
    const std::uint64_t more =
        whole_pages(ring::kHeaderBytes + capacity) - whole_pages(ring::kHeaderBytes + ring->capacity);
    const int error = leaves_room(fd, more) ? allocate_pages(fd, ring::kHeaderBytes + capacity) : ENOSPC;
    close(fd);
    if (error != 0) return error;
    STENO_KILL_POINT("staging.ring_grown");
  }
  ring->capacity = capacity;
  return 0;
}

void OwnStaging::shrink_ring(std::uint32_t ring_id, RingMemory* ring, std::uint64_t capacity) {
  const std::uint64_t before = std::exchange(ring->capacity, capacity);
  if (!ring->in_file) {
    (void)give_back(ring->data - ring::kHeaderBytes, ring::kHeaderBytes + capacity, ring::kHeaderBytes + before);
    return;
  }
  const int fd = directory_fd_ >= 0 ? open_ring(ring_id) : -1;
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(ring::kHeaderBytes + capacity)) != 0) ring->capacity = before;
  if (fd >= 0) close(fd);
}

Status OwnStaging::append_dictionary(const ByteBuffer& entries) {
  if (dictionary_fd_ < 0) return {};
  // Where the valid part ends, not where the file does: an attempt that failed may have left something there.
  const HoldFileSizeSignal hold;
  const Borrowed to = dictionary();
  const int error = write_at(to.fd(), session_->dictionary_size, entries.size(), entries.data());
  if (error != 0) return failed("cannot extend the dictionary in " + path_, error);
  STENO_KILL_POINT("staging.dictionary_written");
  ring::publish_dictionary_size(*session_, session_->dictionary_size + entries.size());
  STENO_KILL_POINT("staging.dictionary_published");
  return {};
}

bool OwnStaging::take_consumer(std::int64_t patience_ns) {
  if (consumer_fd_ >= 0 || directory_fd_ < 0) return true;
  const Borrowed from = directory();
  const int fd = openat(from.fd(), "consumer", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  consumer_file_ = FileIdentity::of(fd);
  hold_lock(fd);
  for (std::int64_t waited = 0; !try_lock(fd, LockKind::kExclusive); waited += 1'000'000) {
    if (waited >= patience_ns) {
      release_lock(fd);
      return false;
    }
    usleep(1000);
  }
  consumer_fd_ = fd;
  ring::set_consumer_pid(*session_, 0);
  return true;
}

void OwnStaging::give_consumer() {
  if (consumer_fd_ >= 0) release_lock(std::exchange(consumer_fd_, -1));
}

std::string OwnStaging::root() const {
  const std::string user = path_.substr(0, path_.rfind('/'));
  return user.substr(0, user.rfind('/'));
}

bool OwnStaging::is_attended() const {
  return doorbell_ != nullptr && staging::is_attended(root());
}

void OwnStaging::open_doorbell() {
  if (directory_fd_ < 0) return;
  Doorbell* const bell = doorbell_ != nullptr ? doorbell_ : staging::open_doorbell(root());
  if (bell == nullptr) return;
  session_->doorbell = 1;
  __atomic_store_n(&doorbell_, bell, __ATOMIC_RELEASE);  // pairs with the load in doorbell()
}

void OwnStaging::call_for_session() {
  if (doorbell_ != nullptr) staging::call_for_session(doorbell_, name_pid_, nonce_);
}

bool OwnStaging::is_drained() const {
  if (directory_fd_ < 0) return false;
  const Borrowed from = directory();
  const int fd = openat(from.fd(), "consumer", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  const bool drained = !try_lock(fd, LockKind::kShared);
  if (!drained) unlock(fd);
  close(fd);
  return drained;
}

std::vector<std::string> OwnStaging::mark_log(const std::string& path) {
  if (directory_fd_ < 0) return {};
  if (std::exchange(marked_log_, {}) == path) return marks_;
  std::vector<std::string> keys = log_keys(path);
  for (const std::string& key : keys) {
    const bool known = std::find(marks_.begin(), marks_.end(), key) != marks_.end();
    if (!known && add_mark(path_, key)) marks_.push_back(key);
  }
  return keys;
}

void OwnStaging::forget_other_marks(const std::vector<std::string>& keys) {
  if (keys.empty()) return;  // there are no files
  const auto is_marked = [this](const std::string& key) {
    return std::find(marks_.begin(), marks_.end(), key) != marks_.end();
  };
  if (!std::all_of(keys.begin(), keys.end(), is_marked)) return;  // no room: what was there leads here
  std::erase_if(marks_, [&](const std::string& mark) {
    if (std::find(keys.begin(), keys.end(), mark) != keys.end()) return false;
    remove_mark(path_, mark);
    return true;
  });
}

void OwnStaging::remove() {
  if (directory_fd_ < 0) return;
  {
    const Borrowed there = directory();
    const int fd = std::exchange(directory_fd_, -1);  // no ring is made there any more
    if (there.fd() >= 0) remove_staging(there.fd(), path_, session_);
    directory_file_.close(fd);
  }
  give_consumer();
  if (session_fd_ >= 0) release_lock(session_fd_);
  if (is_gone(path_)) {
    for (const std::string& mark : marks_) remove_mark(path_, mark);
  }
  abandon();
}

void OwnStaging::abandon() {
  directory_file_.close(std::exchange(directory_fd_, -1));
  dictionary_file_.close(std::exchange(dictionary_fd_, -1));
  session_fd_ = consumer_fd_ = -1;  // abandon_locks() closes them
}

}  // namespace steno::staging
