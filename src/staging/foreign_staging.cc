#include "staging/foreign_staging.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/fence.h"
#include "base/file_ranges.h"
#include "base/kill_point.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "staging/foreign_file.h"
#include "staging/held_locks.h"
#include "staging/mapped_by.h"
#include "staging/session_names.h"

namespace steno::staging {
namespace {

constexpr std::size_t kCreatorsPart =
    offsetof(ring::RingHeader, tail);  // of a ring's header; of it only the capacity changes
constexpr std::uint32_t kMaxRings = 1u << 16;
constexpr int kLooks = 100;                                        // at a file that changes
constexpr std::uint64_t kMostDictionary = std::uint64_t{1} << 28;  // bytes that are looked at
constexpr std::size_t kMostNamesOfOthers = 4096;                   // files in one directory

Status not_opened(const std::string& what, int error) {
  const StatusCode code = error == ENOENT || error == ENOTDIR                   ? StatusCode::kNotFound
                          : error == EACCES || error == EPERM || error == ELOOP ? StatusCode::kPermissionDenied
                                                                                : StatusCode::kIoError;
  return {code, what + ": " + strerror(error)};
}

// Returns whether nobody else holds the lock; `keep`: it is ours then. A look takes a shared lock for an instant only,
// so a lock that is to be kept is tried more than once.
bool take_lock(int fd, bool keep) {
  for (int retries = keep ? 4 : 0;; --retries) {
    if (try_lock(fd, keep ? LockKind::kExclusive : LockKind::kShared)) {
      if (!keep) unlock(fd);
      return true;
    }
    if (retries == 0) return false;  // also where it cannot be locked: nobody knows that its owner is dead
    usleep(500);
  }
}

// "ring-17" is 17.
bool parse_ring_name(std::string_view name, std::uint32_t* id) {
  constexpr std::string_view kPrefix = "ring-";
  if (!name.starts_with(kPrefix)) return false;
  const char* end = name.data() + name.size();
  const auto [p, error] = std::from_chars(name.data() + kPrefix.size(), end, *id);
  return error == std::errc() && p == end && *id < kMaxRings;
}

}  // namespace

ForeignStaging::ForeignStaging(ForeignStaging&& other) noexcept {
  *this = std::move(other);
}

ForeignStaging& ForeignStaging::operator=(ForeignStaging&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(access_, other.access_);
  std::swap(state_, other.state_);
  std::swap(owner_, other.owner_);
  std::swap(directory_fd_, other.directory_fd_);
  std::swap(session_fd_, other.session_fd_);
  std::swap(consumer_fd_, other.consumer_fd_);
  std::swap(session_, other.session_);
  std::swap(shared_, other.shared_);
  std::swap(rings_, other.rings_);
  std::swap(problems_, other.problems_);
  std::swap(ids_, other.ids_);
  std::swap(dictionary_size_, other.dictionary_size_);
  return *this;
}

ForeignStaging::~ForeignStaging() {
  if (shared_ != nullptr) munmap(shared_, sizeof(ring::SessionFile));
  if (session_fd_ >= 0) release_lock(session_fd_);
  if (consumer_fd_ >= 0) release_lock(consumer_fd_);
  if (directory_fd_ >= 0) close(directory_fd_);
}

Result<ForeignStaging> ForeignStaging::open(const std::string& directory, Access access, Extent extent) {
  ForeignStaging view;
  view.directory_ = directory;
  view.access_ = access;
  view.directory_fd_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (view.directory_fd_ < 0) return not_opened("cannot open " + directory, errno);
  if (Status status = view.check_owner(); !status.ok()) return status;
  if (Status status = view.open_session(); !status.ok()) return status;
  if (view.state_ == State::kUnfinished || extent == Extent::kSession) return view;
  if (extent == Extent::kAll) {
    if (Status status = view.read_dictionary(); !status.ok()) return status;
  }
  if (Status status = view.open_rings(); !status.ok()) return status;
  return view;
}

// Staging that others could have made or changed is no staging: its records would be shown as ours.
Status ForeignStaging::check_owner() {
  struct stat st {};
  if (fstat(directory_fd_, &st) != 0) return not_opened("cannot look at " + directory_, errno);
  owner_ = st.st_uid;
  if ((owner_ != geteuid() && geteuid() != 0) || (st.st_mode & 0077) != 0) {
    return {StatusCode::kPermissionDenied, directory_ + " belongs to another user or is accessible to others"};
  }
  return {};
}

bool ForeignStaging::is_ours() const {
  return owner_ == geteuid();
}

int ForeignStaging::open_file(const char* name, int flags) const {
  return open_staging_file(directory_fd_, owner_, name, flags);
}

// The consumer's lock first: a process that holds it must not wait for the other.
Status ForeignStaging::take_locks() {
  struct stat st {};
  if (fstat(session_fd_, &st) != 0) return not_opened("cannot look at " + directory_, errno);
  if (drains() && st.st_uid != geteuid()) {
    return {StatusCode::kPermissionDenied,
            directory_ + " belongs to user " + std::to_string(st.st_uid) + ": recover it as that user"};
  }
  if (drains()) {
    // There is none where staging is unfinished, half removed, or another version's.
    consumer_fd_ = open_file("consumer", O_RDWR);
    if (consumer_fd_ >= 0) hold_lock(consumer_fd_);
    if (consumer_fd_ >= 0 && !take_lock(consumer_fd_, true))
      return {StatusCode::kFailedPrecondition, directory_ + ": another process drains it"};
  }
  const bool own = access_ == Access::kOwn;
  if (own) hold_lock(session_fd_);
  const bool free = take_lock(session_fd_, own);
  if (own && !free) {
    return {StatusCode::kFailedPrecondition,
            directory_ + ": its process is alive, or another process is recovering it"};
  }
  state_ = free ? State::kOrphan : State::kLive;
  return {};
}

Status ForeignStaging::open_session() {
  session_fd_ = open_file("session", drains() ? O_RDWR : O_RDONLY);
  if (session_fd_ < 0) return not_opened("cannot open the session of " + directory_, errno);
  if (Status status = take_locks(); !status.ok()) return status;
  struct stat st {};
  // Read only after taking the lock: the previous holder may have removed everything, or extended the file to its full
  // size.
  if (fstat(session_fd_, &st) != 0 || st.st_nlink == 0) {
    return {StatusCode::kNotFound, directory_ + " has just been recovered"};
  }
  if (st.st_size < static_cast<off_t>(sizeof session_)) {
    if (state_ == State::kOrphan) state_ = State::kUnfinished;
    return {};
  }
  if (Status status = map_session(); !status.ok()) return status;
  const auto version = shared<std::uint32_t>(offsetof(ring::SessionFile, version), 0);
  if (!copy_session()) return {StatusCode::kIoError, "cannot read the session of " + directory_};
  if (version == 0) {
    if (state_ == State::kOrphan) state_ = State::kUnfinished;
    return {};
  }
  if (session_.magic != ring::kSessionMagic)
    return {StatusCode::kCorrupt, directory_ + ": its session file is damaged"};
  if (version != ring::kVersion) {
    return {StatusCode::kUnsupported, directory_ + ": staging has version " + std::to_string(version) +
                                          ", but this steno " + "supports version " + std::to_string(ring::kVersion) +
                                          ": use the steno that the program was built with"};
  }
  return check_life();
}

// Locks die with their descriptors, which a program may have closed by mistake. It is alive all the same while the
// process maps the session: after exec, or in another process of the same number, nothing maps it.
Status ForeignStaging::check_life() {
  if (state_ != State::kOrphan || !is_mapped_by_owner()) return {};
  if (access_ == Access::kOwn) {
    return {StatusCode::kFailedPrecondition, directory_ + ": its process " + std::to_string(session_.pid) +
                                                 " is alive, but has closed the descriptors that show it"};
  }
  state_ = State::kLive;
  return {};
}

bool ForeignStaging::is_mapped_by_owner() const {
  struct stat st {};
  if (session_.pid == 0 || fstat(session_fd_, &st) != 0) return false;
  // A process that has begun anew by exec looks at what it left itself: this object's mapping is not its owner's.
  const int own = shared_ != nullptr && session_.pid == static_cast<std::uint32_t>(getpid()) ? 1 : 0;
  return count_mappings(session_.pid, st.st_ino, "/session") > own;
}

Status ForeignStaging::map_session() {
  if (!is_ours()) return {};
  // The file to map is opened for itself: a child that is forked now keeps the mapping, and with it would keep the
  // lock.
  const int fd = open_file("session", drains() ? O_RDWR : O_RDONLY);
  struct stat locked {};
  struct stat mapped {};
  void* memory = MAP_FAILED;
  int error = ENOENT;
  if (fd >= 0 && fstat(session_fd_, &locked) == 0 && fstat(fd, &mapped) == 0 && mapped.st_ino == locked.st_ino) {
    memory = mmap(nullptr, sizeof session_, drains() ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    error = errno;
  }
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) return not_opened("cannot map the session of " + directory_, error);
  shared_ = static_cast<ring::SessionFile*>(memory);
  return {};
}

template <class T>
T ForeignStaging::shared(std::size_t offset, T otherwise) const {
  if (shared_ != nullptr) {
    return __atomic_load_n(reinterpret_cast<const T*>(reinterpret_cast<const char*>(shared_) + offset),
                           __ATOMIC_ACQUIRE);
  }
  T value{};
  return session_fd_ >= 0 && read_at(session_fd_, offset, sizeof value, &value) ? value : otherwise;
}

// When the session began and its clock points are those of one moment. False: the file has become shorter.
bool ForeignStaging::copy_session() {
  constexpr std::size_t kPoints = offsetof(ring::SessionFile, clock_points);
  constexpr std::size_t kId = offsetof(ring::SessionFile, session_id);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const auto id = shared<std::uint64_t>(kId, 0);          // pairs with the release store in name_session()
    const auto points = shared<std::uint64_t>(kPoints, 0);  // and this one with that in ring::publish_clock()
    if (shared_ != nullptr) {
      std::memcpy(&session_, shared_, sizeof session_);
    } else if (!read_at(session_fd_, 0, sizeof session_, &session_)) {
      return false;
    }
    fence<__ATOMIC_ACQUIRE>();
    if (shared<std::uint64_t>(kPoints, 0) == points && shared<std::uint64_t>(kId, 0) == id) break;
  }
  session_.log_path[sizeof session_.log_path - 1] = '\0';
  session_.program[sizeof session_.program - 1] = '\0';
  return true;
}

bool ForeignStaging::same_session() const {
  return shared<std::uint64_t>(offsetof(ring::SessionFile, session_id), session_.session_id) == session_.session_id;
}

bool ForeignStaging::is_orphan() const {
  return state_ == State::kOrphan || (session_fd_ >= 0 && take_lock(session_fd_, false) && !is_mapped_by_owner());
}

bool ForeignStaging::take_over() {
  // A reader that looks at the lock holds it for an instant: then we ask again.
  if (!take_lock(session_fd_, true)) return false;
  if (is_mapped_by_owner()) {
    unlock(session_fd_);
    return false;
  }
  hold_lock(session_fd_);
  access_ = Access::kOwn;
  state_ = State::kOrphan;
  if (copy_session()) (void)open_rings();
  (void)read_dictionary();
  return true;
}

bool ForeignStaging::is_drained() const {
  const int fd = open_file("consumer", O_RDONLY);
  if (fd < 0) return false;
  const bool drained = !take_lock(fd, false);
  close(fd);
  return drained;
}

void ForeignStaging::renew_session() {
  name_session(*shared_);
  (void)copy_session();
  restart_rings();
}

bool ForeignStaging::has_new_rings() const {
  return shared<std::uint32_t>(offsetof(ring::SessionFile, ring_count), session_.ring_count) != session_.ring_count;
}

bool ForeignStaging::refresh() {
  const std::uint64_t id = session_.session_id;
  const std::uint32_t rings = session_.ring_count;
  if (!same_session()) return false;
  if (!copy_session() || session_.session_id != id) return false;
  if (session_.ring_count != rings) (void)open_rings();
  return true;
}

void ForeignStaging::refresh_dictionary() {
  const auto size = shared<std::uint64_t>(offsetof(ring::SessionFile, dictionary_size), dictionary_size_);
  if (size != dictionary_size_) (void)read_dictionary();
}

Status ForeignStaging::read_dictionary() {
  if (ids_ == nullptr) ids_ = std::make_unique<ForeignDictionary>();
  dictionary_size_ = shared<std::uint64_t>(offsetof(ring::SessionFile, dictionary_size), 0);
  const int fd = open_file("dictionary", O_RDONLY);
  if (fd < 0 && errno == ENOENT && session_.version != 0) {  // else it is not made yet
    // Removed on purpose, possibly by a process that died before everything was removed: nothing in the rings needs it.
    if (shared<std::uint32_t>(offsetof(ring::SessionFile, state), 0) == ring::kRemoving) {
      session_.state = ring::kRemoving;
      return {};
    }
    return {StatusCode::kCorrupt, directory_ + ": its dictionary is missing, so its records cannot be read"};
  }
  if (fd < 0) return not_opened("cannot open the dictionary of " + directory_, errno);
  // Entries that were appended and not yet counted are whole as well, or malformed at its end: the size is not needed.
  struct stat st {};
  const auto size = fstat(fd, &st) == 0 ? static_cast<std::uint64_t>(st.st_size) : 0;
  const std::uint64_t allocated = static_cast<std::uint64_t>(st.st_blocks) * 512;
  const std::uint64_t most = std::min(kMostDictionary, is_ours() ? size : bytes_worth_reading(size, allocated));
  std::string bytes;
  char buffer[65536];
  ssize_t n = 0;
  while (bytes.size() < most && ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))) {
    if (n > 0) bytes.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd);
  ids_->read(bytes.data(), bytes.size());
  // The scribe of a process that lives knows them, and will write what is passed over here.
  if (state_ == State::kOrphan) ids_->expect_missing(session_.missing_entries);
  return {};
}

// The numbers of all rings. False, with errno: the directory cannot be read.
bool ForeignStaging::list_rings(std::vector<std::uint32_t>* ids) {
  const int fd = openat(directory_fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fd < 0 ? nullptr : fdopendir(fd), closedir);
  if (listing == nullptr) {
    if (fd >= 0) close(fd);
    return false;
  }
  std::size_t names = 0;
  const std::size_t most = is_ours() ? SIZE_MAX : kMostNamesOfOthers;
  const dirent* entry = nullptr;
  while (names < most && (entry = readdir(listing.get())) != nullptr) {
    ++names;
    if (std::uint32_t id = 0; parse_ring_name(entry->d_name, &id)) ids->push_back(id);
  }
  if (names == most) {
    problems_.push_back(directory_ + " has more than " + std::to_string(most) +
                        " files and belongs to another user: the rest is skipped");
  }
  return true;
}

// A ring that cannot be opened is named in problems(); where it is to be recovered, so that its file would be removed
// then, it is an error.
Status ForeignStaging::open_rings() {
  std::vector<std::uint32_t> ids;
  if (!list_rings(&ids)) {
    if (access_ == Access::kOwn) return not_opened("cannot list " + directory_, errno);
    problems_.push_back("cannot list " + directory_ + ": " + strerror(errno));
  }
  std::vector<bool> known(kMaxRings);
  for (const ForeignRing& ring : rings_) known[ring.id()] = true;
  for (const std::uint32_t id : ids) {
    if (known[id]) continue;
    known[id] = true;
    if (Status status = open_ring(id); !status.ok()) {
      if (access_ == Access::kOwn) return status;
      problems_.push_back(status.message());
    }
  }
  std::sort(rings_.begin(), rings_.end(), [](const ForeignRing& a, const ForeignRing& b) { return a.id() < b.id(); });
  // A process marks the session as being removed before it removes files.
  if (state_ == State::kOrphan && ids.size() < session_.ring_count &&
      shared<std::uint32_t>(offsetof(ring::SessionFile, state), 0) == ring::kRunning) {
    problems_.push_back("staging had no room for " + std::to_string(session_.ring_count - ids.size()) +
                        " of its rings: their records were lost with the process");
  }
  return {};
}

Status ForeignStaging::open_ring(std::uint32_t id) {
  const std::string name = "ring-" + std::to_string(id);
  const std::string path = directory_ + "/" + name;
  const auto skip = [&](const std::string& why) {
    problems_.push_back(path + ": " + why);
    return Status();
  };
  const int fd = open_file(name.c_str(), drains() ? O_RDWR : O_RDONLY);
  if (fd < 0 && errno == ENOENT) return {};  // it has been recovered meanwhile
  if (fd < 0 && (errno == EPERM || errno == ELOOP || errno == ENXIO))
    return skip("it is not a file of the directory's owner");
  if (fd < 0) return not_opened("cannot open " + path, errno);
  struct stat st {};
  const std::uint64_t size = fstat(fd, &st) == 0 ? static_cast<std::uint64_t>(st.st_size) : 0;
  const bool sized = size >= ring::kHeaderBytes + ring::kMinCapacity && size <= ring::kHeaderBytes + ring::kMaxCapacity;
  const std::uint64_t allocated = static_cast<std::uint64_t>(st.st_blocks) * 512;
  const bool hollow = !is_ours() && bytes_worth_reading(size, allocated) < size;
  ring::RingHeader header{};
  std::uint32_t version = 0;  // written last, so read first
  if (sized && !(read_at(fd, offsetof(ring::RingHeader, version), sizeof version, &version) &&
                 read_at(fd, 0, kCreatorsPart, &header))) {
    version = 0;
  }
  // Rings grow and shrink meanwhile: what a file is too short for, it may not be any more.
  bool holds = false;
  for (int attempt = 0; version != 0 && attempt < kLooks && !holds; ++attempt) {
    if (attempt != 0) (void)read_at(fd, offsetof(ring::RingHeader, capacity), sizeof header.capacity, &header.capacity);
    holds = fstat(fd, &st) == 0 && std::has_single_bit(header.capacity) &&
            ring::kHeaderBytes + header.capacity <= static_cast<std::uint64_t>(st.st_size);
  }
  const std::size_t mapped_size = ring::kHeaderBytes + (drains() ? header.capacity : 0);
  void* memory = MAP_FAILED;
  int error = 0;
  if (holds && is_ours()) {
    memory = mmap(nullptr, mapped_size, drains() ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    error = errno;
  }
  close(fd);
  // A ring that was being made when its owner died has no version and no records.
  if (!sized) return size == 0 ? Status() : skip("its size is impossible");
  if (hollow) return skip("its pages are missing");
  if (version == 0) return {};
  const bool mapped = memory != MAP_FAILED;
  if (version != ring::kVersion || header.magic != ring::kRingMagic || header.ring_id != id || !holds) {
    if (mapped) munmap(memory, mapped_size);
    return skip("its header is damaged");
  }
  if (is_ours() && !mapped) return not_opened("cannot map " + path, error);
  if (header.kind == ring::kRecorderRing && !drains()) {
    if (mapped) munmap(memory, mapped_size);
    return state_ == State::kOrphan ? copy_recorder(id, header.capacity) : Status();
  }
  if (header.kind > ring::kRecorderRing) {  // what it holds is for others, so it is not to be removed either
    if (mapped) munmap(memory, mapped_size);
    return {StatusCode::kUnsupported, path + ": this kind of ring is unknown to this version"};
  }
  rings_.emplace_back(id, header.kind, directory_fd_, owner_, mapped ? static_cast<ring::RingHeader*>(memory) : nullptr,
                      mapped ? mapped_size : 0);
  return {};
}

// The flight recorder of a dead process, for readers that change nothing: records of the rings that belong to it are
// added to a copy.
Status ForeignStaging::copy_recorder(std::uint32_t id, std::uint64_t capacity) {
  const std::size_t size = ring::kHeaderBytes + capacity;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return not_opened("no memory for a copy of ring-" + std::to_string(id), errno);
  auto* const copy = static_cast<ring::RingHeader*>(memory);
  const int fd = open_file(("ring-" + std::to_string(id)).c_str(), O_RDONLY);
  bool one_moment = false;
  for (int attempt = 0; fd >= 0 && attempt < kLooks && !one_moment; ++attempt) {
    ring::RingHeader after{};
    one_moment = read_at(fd, 0, size, copy) && read_at(fd, 0, sizeof after, &after) &&
                 after.releases == copy->releases && after.tail == copy->tail && after.capacity == copy->capacity;
  }
  if (fd >= 0) close(fd);
  if (!one_moment || copy->capacity != capacity) {
    munmap(memory, size);
    problems_.push_back(directory_ + "/ring-" + std::to_string(id) + ": it is changing, or can no longer be read");
    return {};
  }
  rings_.emplace_back(id, ring::kRecorderRing, directory_fd_, owner_, copy, size);
  return {};
}

void ForeignStaging::restart_rings() {
  for (const ForeignRing& ring : rings_) {
    ring::RingHeader* header = ring.header();
    if (header->session_id == session_.session_id) continue;
    const ring::Release& last = ring::last_release(header);
    ring::publish(header, ring::restarted(last), ring::owner_at(header, last));
    STENO_KILL_POINT("recover.ring_restarted");
    ring::publish_ring_session(header, session_.session_id);
  }
}

bool is_unreadable(const Status& status) {
  return status.code() == StatusCode::kUnsupported || status.code() == StatusCode::kCorrupt;
}

}  // namespace steno::staging
