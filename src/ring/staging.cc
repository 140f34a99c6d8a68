#include "ring/staging.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file_size_signal.h"
#include "base/kill_point.h"
#include "ring/held_locks.h"
#include "ring/log_marks.h"
#include "ring/staging_memory.h"

namespace steno::ring {
namespace {

constexpr int kAttempts = 100;  // at what others, or signals, may disturb

// set_mode() for a directory that we may not even open. By way of /proc, which follows no link.
void make_usable(const std::string& path) {
  const int fd = open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  struct stat st {};
  if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0700) != 0700)
    (void)chmod(("/proc/self/fd/" + std::to_string(fd)).c_str(), (st.st_mode & 0077) | 0700);
  close(fd);
}

// Whether there is nothing at a path. With the rights that files are made with: access() would ask for the real user.
bool is_gone(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) != 0 && errno == ENOENT;
}

// Takes the lock that says that the owner lives. Whoever looks for orphans may hold it for a moment, and may find the
// directory unfinished and remove it: false, and the staging is to be made anew.
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
  auto* header = static_cast<RingHeader*>(memory);
  return {header, reinterpret_cast<std::byte*>(header) + kHeaderBytes, capacity, most, in_file};
}

}  // namespace

std::vector<std::string> staging_roots(const std::string& directory) {
  const char* tmpdir = secure_getenv("TMPDIR");  // not a caller's, where we have rights that he has not
  std::vector<std::string> roots;
  for (const std::string& root :
       {directory, std::string("/dev/shm"), std::string(tmpdir != nullptr ? tmpdir : ""), std::string("/tmp")}) {
    if (!root.empty() && std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  }
  return roots;
}

std::string user_directory(const std::string& root) {
  return user_directory(root, geteuid());
}

std::string user_directory(const std::string& root, uid_t user) {
  return root + "/steno-" + std::to_string(user);
}

Result<int> open_user_directory(const std::string& root, bool make) {
  const std::string path = user_directory(root);
  if (make && mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("cannot make " + path, errno);
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = open(path.c_str(), kFlags);
  if (fd < 0 && errno == EACCES && make) {
    make_usable(path);
    fd = open(path.c_str(), kFlags);
  }
  if (fd < 0) return failed("cannot open " + path, errno);
  struct stat st {};
  if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 0077) != 0) {
    close(fd);
    return Status(StatusCode::kPermissionDenied, st.st_uid != geteuid()
                                                     ? path + " belongs to user " + std::to_string(st.st_uid)
                                                     : path + " is open to others: chmod 700 it");
  }
  if (make) (void)set_mode(fd, 0700);
  return fd;
}

void remove_staging(int directory_fd, const std::string& path, SessionFile* session) {
  std::vector<std::string> keys;
  if (session != nullptr) {
    const std::string log(session->log_path, strnlen(session->log_path, sizeof session->log_path));
    if (!log.empty()) keys = log_keys(log);
    __atomic_store_n(&session->state, kRemoving, __ATOMIC_RELEASE);
  }
  DIR* listing = fdopendir(openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return;
  bool all = true;
  while (const dirent* entry = readdir(listing)) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "session") == 0) continue;
    all &= unlinkat(directory_fd, entry->d_name, 0) == 0 || errno == ENOENT;
    STENO_KILL_POINT("staging.file_removed");
  }
  closedir(listing);
  if (!all) return;
  STENO_KILL_POINT("staging.rings_removed");
  unlinkat(directory_fd, "session", 0);
  STENO_KILL_POINT("staging.session_removed");
  if (rmdir(path.c_str()) != 0) return;
  STENO_KILL_POINT("staging.directory_removed");
  keys.emplace_back(kNoLog);
  for (const std::string& key : keys) remove_mark(path, key);
}

std::uint64_t random_id() {
  std::uint64_t id = 0;
  while (id == 0) {
    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id) {
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      id = (static_cast<std::uint64_t>(now.tv_nsec) << 32 | static_cast<std::uint32_t>(getpid())) * 0x9E3779B97F4A7C15u;
    }
  }
  return id;
}

std::string staging_name(std::uint32_t pid, std::uint64_t nonce) {
  char name[32];
  snprintf(name, sizeof name, "%u-%016llx", pid, static_cast<unsigned long long>(nonce));
  return name;
}

Staging& Staging::operator=(Staging&& other) noexcept {
  path_ = std::exchange(other.path_, {});
  directory_fd_ = std::exchange(other.directory_fd_, -1);
  session_fd_ = std::exchange(other.session_fd_, -1);
  consumer_fd_ = std::exchange(other.consumer_fd_, -1);
  dictionary_fd_ = std::exchange(other.dictionary_fd_, -1);
  name_pid_ = other.name_pid_;
  nonce_ = other.nonce_;
  session_ = std::exchange(other.session_, nullptr);
  doorbell_ = std::exchange(other.doorbell_, nullptr);
  is_reused_ = other.is_reused_;
  has_spare_ring_ = other.has_spare_ring_;
  marks_ = std::exchange(other.marks_, {});
  return *this;
}

Result<Staging> Staging::create(const std::string& directory, const std::string& log, std::string* warning) {
  warning->clear();
  std::string reasons;
  for (const std::string& root : staging_roots(directory)) {
    Staging staging;
    const Status status = staging.open_in(root, log);
    if (status.ok()) {
      if (!reasons.empty()) *warning = reasons + "; staging is in " + staging.path_ + " instead";
      return staging;
    }
    reasons += (reasons.empty() ? "" : "; ") + status.message();
  }
  *warning = reasons + "; staging is in private memory: records not yet on file will not survive a crash";
  auto memory = make_private(sizeof(SessionFile), sizeof(SessionFile));
  if (!memory.ok()) return memory.status();
  Staging staging;
  staging.take_session(*memory, random_id());
  return staging;
}

Status Staging::open_in(const std::string& root, const std::string& log) {
  if (!log.empty() && take_over(root, log)) return {};
  Status status;
  bool removed = true;
  for (int attempt = 0; attempt < kAttempts && removed; ++attempt) {
    removed = false;
    status = try_open_in(root, &removed);
  }
  if (!removed) return status;
  return {StatusCode::kIoError, "staging in " + root + " is removed each time it is made"};
}

Status Staging::try_open_in(const std::string& root, bool* removed) {
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
  auto memory = make_mapped(directory_fd_, "session", sizeof(SessionFile), sizeof(SessionFile), sizeof(SessionFile));
  if (!memory.ok()) {
    *removed = is_gone(path_);
    remove();
    return Status(memory.status().code(), path_ + ": " + memory.status().message());
  }
  STENO_KILL_POINT("staging.session_made");
  session_fd_ = openat(directory_fd_, "session", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  int error = session_fd_ < 0 && errno != ENOENT ? errno : 0;
  if (session_fd_ < 0 || !lock_session(session_fd_, &error)) {
    munmap(*memory, sizeof(SessionFile));
    remove();
    *removed = error == 0;
    return error == 0 ? Status() : failed("cannot lock the session in " + path_, error);
  }
  consumer_fd_ = make_file(directory_fd_, "consumer", O_RDWR);
  if (consumer_fd_ < 0 || !lock_session(consumer_fd_, &error)) {
    if (consumer_fd_ < 0) error = errno;
    munmap(*memory, sizeof(SessionFile));
    remove();
    return failed("cannot make or lock the consumer's file in " + path_, error);
  }
  dictionary_fd_ = make_file(directory_fd_, "dictionary", O_WRONLY);
  if (dictionary_fd_ < 0) {
    error = errno;
    remove();
    return failed("cannot make the dictionary in " + path_, error);
  }
  take_session(*memory, nonce_);
  return {};
}

void Staging::take_session(void* memory, std::uint64_t id) {
  session_ = static_cast<SessionFile*>(memory);
  session_->magic = kSessionMagic;
  session_->pid = static_cast<std::uint32_t>(getpid());
  session_->session_id = id;
}

Result<RingMemory> Staging::make_ring(std::uint32_t ring_id, std::uint64_t capacity, std::uint64_t most) {
  if (directory_fd_ < 0) return make_private_ring(capacity, most);
  if (ring_id == 0 && std::exchange(has_spare_ring_, false)) {
    auto reused = reuse_ring(capacity, most);
    if (!reused.ok()) unlinkat(directory_fd_, "ring-0", 0);  // a smaller one can be made
    return reused;
  }
  auto memory = make_mapped(directory_fd_, ("ring-" + std::to_string(ring_id)).c_str(), kHeaderBytes + capacity,
                            kHeaderBytes + most, kHeaderBytes + quarter_of(capacity));
  if (!memory.ok()) return Status(memory.status().code(), path_ + ": " + memory.status().message());
  return ring_memory(*memory, capacity, most, true);
}

// Of the ring before only the pages are left; its data is not zeros, which nobody reads.
Result<RingMemory> Staging::reuse_ring(std::uint64_t capacity, std::uint64_t most) {
  const int fd = open_ring(0);  // not kept open: programs close descriptors that they do not know
  struct stat st {};
  const auto size = static_cast<off_t>(kHeaderBytes + capacity);
  if (fd < 0) return failed("cannot open ring-0 in " + path_, errno);
  if (fstat(fd, &st) != 0 || (st.st_size > size && ftruncate(fd, size) != 0)) {
    close(fd);
    return Status(StatusCode::kIoError, path_ + ": cannot cut ring-0");
  }
  auto memory =
      map_pages(fd, "ring-0", kHeaderBytes + capacity, kHeaderBytes + most, kHeaderBytes + quarter_of(capacity));
  if (!memory.ok()) return Status(memory.status().code(), path_ + ": " + memory.status().message());
  std::memset(*memory, 0, kHeaderBytes);
  return ring_memory(*memory, capacity, most, true);
}

Result<RingMemory> Staging::make_private_ring(std::uint64_t capacity, std::uint64_t most) {
  auto memory = make_private(kHeaderBytes + most, kHeaderBytes + quarter_of(capacity));
  if (!memory.ok()) return memory.status();
  return ring_memory(*memory, capacity, most, false);
}

void Staging::begin_ring(std::uint32_t ring_id, const RingMemory& ring) {
  STENO_KILL_POINT("staging.ring_made");
  ring.header->magic = kRingMagic;
  ring.header->ring_id = ring_id;
  ring.header->capacity = ring.capacity;
  ring.header->session_id = session_->session_id;
  __atomic_store_n(&ring.header->version, kVersion, __ATOMIC_RELEASE);
}

// Not kept open: threads may be more than descriptors.
int Staging::open_ring(std::uint32_t ring_id) const {
  char name[16];
  snprintf(name, sizeof name, "ring-%u", ring_id);
  return openat(directory_fd_, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

int Staging::grow_ring(std::uint32_t ring_id, RingMemory* ring, std::uint64_t capacity) {
  if (ring->in_file) {
    if (directory_fd_ < 0) return ESTALE;
    const int fd = open_ring(ring_id);
    if (fd < 0) return errno;
    const int error = leaves_room(fd, capacity - ring->capacity) ? allocate_pages(fd, kHeaderBytes + capacity) : ENOSPC;
    close(fd);
    if (error != 0) return error;
    STENO_KILL_POINT("staging.ring_grown");
  }
  ring->capacity = capacity;
  return 0;
}

void Staging::shrink_ring(std::uint32_t ring_id, RingMemory* ring, std::uint64_t capacity) {
  const std::uint64_t before = std::exchange(ring->capacity, capacity);
  if (!ring->in_file) {
    (void)madvise(ring->data + capacity, before - capacity, MADV_DONTNEED);
    return;
  }
  const int fd = directory_fd_ >= 0 ? open_ring(ring_id) : -1;
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(kHeaderBytes + capacity)) != 0) ring->capacity = before;
  if (fd >= 0) close(fd);
}

Status Staging::append_dictionary(const ByteBuffer& entries) {
  if (dictionary_fd_ < 0) return {};
  const std::uint8_t* p = entries.data();
  std::size_t left = entries.size();
  // Where the valid part ends, not where the file does: an attempt that failed may have left something there.
  const HoldFileSizeSignal hold;
  auto at = static_cast<off_t>(session_->dictionary_size);
  while (left != 0) {
    const ssize_t n = pwrite(dictionary_fd_, p, left, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed("cannot extend the dictionary in " + path_, errno);
    p += n;
    at += n;
    left -= static_cast<std::size_t>(n);
  }
  STENO_KILL_POINT("staging.dictionary_written");
  __atomic_store_n(&session_->dictionary_size, session_->dictionary_size + entries.size(), __ATOMIC_RELEASE);
  STENO_KILL_POINT("staging.dictionary_published");
  return {};
}

bool Staging::take_consumer(std::int64_t patience_ns) {
  if (consumer_fd_ >= 0 || directory_fd_ < 0) return true;
  const int fd = openat(directory_fd_, "consumer", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  hold_lock(fd);
  for (std::int64_t waited = 0; !try_lock(fd, LockKind::kExclusive); waited += 1'000'000) {
    if (waited >= patience_ns) {
      release_lock(fd);
      return false;
    }
    usleep(1000);
  }
  consumer_fd_ = fd;
  __atomic_store_n(&session_->consumer_pid, 0u, __ATOMIC_RELAXED);
  return true;
}

void Staging::give_consumer() {
  if (consumer_fd_ >= 0) release_lock(std::exchange(consumer_fd_, -1));
}

std::string Staging::root() const {
  const std::string user = path_.substr(0, path_.rfind('/'));
  return user.substr(0, user.rfind('/'));
}

bool Staging::is_attended() const {
  return doorbell_ != nullptr && ring::is_attended(root());
}

void Staging::open_doorbell() {
  if (directory_fd_ < 0) return;
  Doorbell* const bell = doorbell_ != nullptr ? doorbell_ : ring::open_doorbell(root());
  if (bell == nullptr) return;
  session_->doorbell = 1;
  __atomic_store_n(&doorbell_, bell, __ATOMIC_RELEASE);  // pairs with the load in doorbell()
}

void Staging::call_for_session() {
  if (doorbell_ != nullptr) ring::call_for_session(doorbell_, name_pid_, nonce_);
}

bool Staging::is_drained() const {
  if (directory_fd_ < 0) return false;
  const int fd = openat(directory_fd_, "consumer", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  const bool drained = !try_lock(fd, LockKind::kShared);
  release_lock(fd);
  return drained;
}

void Staging::mark_log(const std::string& path) {
  if (directory_fd_ < 0) return;
  for (const std::string& key : log_keys(path)) {
    const bool known = std::find(marks_.begin(), marks_.end(), key) != marks_.end();
    if (!known && add_mark(path_, key)) marks_.push_back(key);
  }
}

void Staging::forget_other_marks(const std::string& path) {
  const std::vector<std::string> keys = log_keys(path);
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

void Staging::remove() {
  if (directory_fd_ < 0) return;
  const int directory = std::exchange(directory_fd_, -1);  // no ring is made there any more
  remove_staging(directory, path_, session_);
  close(directory);
  give_consumer();
  if (session_fd_ >= 0) release_lock(session_fd_);
  if (is_gone(path_)) {
    for (const std::string& mark : marks_) remove_mark(path_, mark);
  }
  abandon();
}

void Staging::abandon() {
  for (int* fd : {&directory_fd_, &dictionary_fd_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
  session_fd_ = consumer_fd_ = -1;  // ring::abandon_locks() closes them
}

}  // namespace steno::ring
