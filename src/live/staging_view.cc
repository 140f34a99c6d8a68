#include "live/staging_view.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/kill_point.h"
#include "ring/release.h"
#include "ring/staging.h"

namespace steno::live {
namespace {

constexpr std::uint32_t kMaxRings = 1u << 16;
constexpr std::size_t kMostDictionary = std::size_t{1} << 28;  // bytes that are looked at
constexpr std::size_t kLeastEntry = 8;                         // bytes of a site in a dictionary, at least

Status failed(const std::string& what, int error) {
  const StatusCode code = error == ENOENT || error == ENOTDIR                   ? StatusCode::kNotFound
                          : error == EACCES || error == EPERM || error == ELOOP ? StatusCode::kPermissionDenied
                                                                                : StatusCode::kIoError;
  return {code, what + ": " + strerror(error)};
}

// Whether nobody else holds the lock; `keep`: it is ours then. A look, which readers share, takes it for an instant
// only, so what is to be kept is asked for more than once.
bool take_lock(int fd, bool keep) {
  for (int retries = keep ? 2 : 0;; --retries) {
    if (flock(fd, (keep ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) {
      if (!keep) flock(fd, LOCK_UN);
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

bool is_staging_name(std::string_view name) {
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && dash != 0 && name.size() == dash + 17 &&
         name.find_first_not_of("0123456789") == dash &&
         name.find_first_not_of("0123456789abcdef", dash + 1) == std::string_view::npos;
}

namespace {

// Whether it is a directory that the user in its name has made, for himself.
bool is_user_directory(const std::string& path) {
  struct stat st {};
  if (lstat(path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode) || (st.st_mode & 0077) != 0) return false;
  return path.ends_with("/steno-" + std::to_string(st.st_uid));
}

// False, with errno: it cannot be read.
bool list(const std::string& directory, std::vector<std::string>* out, bool (*wanted)(std::string_view)) {
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return false;
  while (const dirent* entry = readdir(listing)) {
    if (wanted(entry->d_name)) out->push_back(directory + "/" + entry->d_name);
  }
  closedir(listing);
  return true;
}

}  // namespace

void DictionaryIds::read(const void* bytes, std::size_t size) {
  most_sites_ = wire::kFirstUserSite + size / kLeastEntry;
  (void)wire::read_dictionary(bytes, size, *this);
}

void DictionaryIds::on_site(wire::SiteInfo site) {
  if (site.id >= most_sites_) return;
  if (site.id >= sites_.size()) sites_.resize(site.id + 1);
  auto& known = sites_[site.id];
  known = std::make_unique<wire::SiteInfo>(std::move(site));
}

void DictionaryIds::on_logger(wire::LoggerInfo logger) {
  if (logger.id > UINT16_MAX) return;
  if (logger.id >= loggers_.size()) loggers_.resize(logger.id + 1);
  loggers_[logger.id] = std::make_unique<std::string>(std::move(logger.name));
}

bool DictionaryIds::find_site(std::uint32_t id, wire::SiteInfo* info) {
  if (id == wire::kSiteDropped || id == wire::kSiteDiscarded) {
    *info = id == wire::kSiteDropped ? wire::dropped_site() : wire::discarded_site();
    return true;
  }
  if (id < wire::kFirstUserSite || id >= sites_.size() || sites_[id] == nullptr) return false;
  *info = *sites_[id];
  return true;
}

bool DictionaryIds::find_logger(std::uint32_t id, std::string* name) {
  if (id >= loggers_.size() || loggers_[id] == nullptr) return false;
  *name = *loggers_[id];
  return true;
}

StagingView::StagingView(StagingView&& other) noexcept {
  *this = std::move(other);
}

StagingView& StagingView::operator=(StagingView&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(state_, other.state_);
  std::swap(owner_, other.owner_);
  std::swap(directory_fd_, other.directory_fd_);
  std::swap(session_fd_, other.session_fd_);
  std::swap(session_, other.session_);
  std::swap(shared_, other.shared_);
  std::swap(rings_, other.rings_);
  std::swap(problems_, other.problems_);
  std::swap(ids_, other.ids_);
  std::swap(dictionary_size_, other.dictionary_size_);
  return *this;
}

StagingView::~StagingView() {
  for (const ForeignRing& ring : rings_) munmap(ring.header, ring::kHeaderBytes + ring.capacity);
  if (shared_ != nullptr) munmap(shared_, sizeof(ring::SessionFile));
  if (session_fd_ >= 0) close(session_fd_);
  if (directory_fd_ >= 0) close(directory_fd_);
}

Result<StagingView> StagingView::open(const std::string& directory, Access access) {
  StagingView view;
  view.directory_ = directory;
  view.directory_fd_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (view.directory_fd_ < 0) return failed("cannot open " + directory, errno);
  if (Status status = view.check_owner(); !status.ok()) return status;
  if (Status status = view.open_session(access); !status.ok()) return status;
  if (view.state_ == State::kUnfinished) return view;
  if (Status status = view.read_dictionary(); !status.ok()) return status;
  if (Status status = view.map_rings(access); !status.ok()) return status;
  return view;
}

// Staging that others could have made or changed is no staging: its records would be shown as ours.
Status StagingView::check_owner() {
  struct stat st {};
  if (fstat(directory_fd_, &st) != 0) return failed("cannot look at " + directory_, errno);
  owner_ = st.st_uid;
  if ((owner_ != geteuid() && geteuid() != 0) || (st.st_mode & 0077) != 0) {
    return {StatusCode::kPermissionDenied, directory_ + " belongs to somebody else or is open to others"};
  }
  return {};
}

// A file of the staging, and nothing that only looks like one.
int StagingView::open_file(const char* name, int flags) {
  const int fd = openat(directory_fd_, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat st {};
  if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == owner_)) return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

Status StagingView::open_session(Access access) {
  const bool own = access == Access::kOwn;
  session_fd_ = open_file("session", own ? O_RDWR : O_RDONLY);
  if (session_fd_ < 0) return failed("cannot open the session of " + directory_, errno);
  struct stat st {};
  if (fstat(session_fd_, &st) != 0) return failed("cannot look at " + directory_, errno);
  if (own && st.st_uid != geteuid()) {
    return {StatusCode::kPermissionDenied,
            directory_ + " belongs to user " + std::to_string(st.st_uid) + ": recover it as that user"};
  }
  const bool free = take_lock(session_fd_, own);
  if (own && !free) {
    return {StatusCode::kFailedPrecondition, directory_ + ": its process lives, or somebody else recovers it now"};
  }
  state_ = free ? State::kOrphan : State::kLive;
  // Only behind the lock: whoever had it may have removed everything, or grown the file to its size.
  if (fstat(session_fd_, &st) != 0 || st.st_nlink == 0) {
    return {StatusCode::kNotFound, directory_ + " has just been recovered"};
  }
  if (st.st_size < static_cast<off_t>(sizeof session_)) {
    if (state_ == State::kOrphan) state_ = State::kUnfinished;
    return {};
  }
  void* memory = mmap(nullptr, sizeof session_, own ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, session_fd_, 0);
  if (memory == MAP_FAILED) return failed("cannot map the session of " + directory_, errno);
  shared_ = static_cast<ring::SessionFile*>(memory);
  const std::uint32_t version = __atomic_load_n(&shared_->version, __ATOMIC_ACQUIRE);
  copy_session();
  if (version == 0) {
    if (state_ == State::kOrphan) state_ = State::kUnfinished;
    return {};
  }
  if (session_.magic != ring::kSessionMagic)
    return {StatusCode::kCorrupt, directory_ + ": its session file is damaged"};
  if (version != ring::kVersion) {
    return {StatusCode::kUnsupported, directory_ + ": staging of version " + std::to_string(version) + "; this steno " +
                                          "knows version " + std::to_string(ring::kVersion) +
                                          ": use the steno that the program was built with"};
  }
  return {};
}

// The clock points are those of one moment.
void StagingView::copy_session() {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::uint64_t points = __atomic_load_n(&shared_->clock_points, __ATOMIC_ACQUIRE);
    std::memcpy(&session_, shared_, sizeof session_);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&shared_->clock_points, __ATOMIC_RELAXED) == points) break;
  }
  session_.log_path[sizeof session_.log_path - 1] = '\0';
  session_.program[sizeof session_.program - 1] = '\0';
}

bool StagingView::refresh() {
  const std::uint64_t id = session_.session_id;
  const std::uint32_t rings = session_.ring_count;
  if (__atomic_load_n(&shared_->session_id, __ATOMIC_ACQUIRE) != id) return false;
  copy_session();
  if (session_.session_id != id) return false;
  if (session_.ring_count != rings) (void)map_rings(Access::kRead);
  return true;
}

void StagingView::refresh_dictionary() {
  if (shared_ == nullptr) return;
  if (__atomic_load_n(&shared_->dictionary_size, __ATOMIC_ACQUIRE) != dictionary_size_) (void)read_dictionary();
}

Status StagingView::read_dictionary() {
  if (ids_ == nullptr) ids_ = std::make_unique<DictionaryIds>();
  if (shared_ != nullptr) dictionary_size_ = __atomic_load_n(&shared_->dictionary_size, __ATOMIC_ACQUIRE);
  const int fd = open_file("dictionary", O_RDONLY);
  if (fd < 0 && errno == ENOENT && session_.version != 0) {  // else it is not made yet
    // Removed on purpose, or by somebody who died before all was gone: nothing in the rings needs it.
    if (__atomic_load_n(&shared_->state, __ATOMIC_ACQUIRE) == ring::kRemoving) {
      session_.state = ring::kRemoving;
      return {};
    }
    return {StatusCode::kCorrupt, directory_ + ": its dictionary is missing, so its records cannot be read"};
  }
  if (fd < 0) return failed("cannot open the dictionary of " + directory_, errno);
  // What was appended and not yet counted is whole as well, or malformed at its end: the size is not needed.
  std::string bytes;
  char buffer[65536];
  ssize_t n = 0;
  while (bytes.size() < kMostDictionary && ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))) {
    if (n > 0) bytes.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd);
  ids_->read(bytes.data(), bytes.size());
  return {};
}

// A ring that cannot be mapped is told by problems(); where it is to be recovered, so that its file would be removed
// then, it is an error.
Status StagingView::map_rings(Access access) {
  std::vector<std::string> paths;
  if (!list(directory_, &paths, [](std::string_view name) { return name.starts_with("ring-"); })) {
    if (access == Access::kOwn) return failed("cannot list " + directory_, errno);
    problems_.push_back("cannot list " + directory_ + ": " + strerror(errno));
  }
  for (const std::string& path : paths) {
    const std::string name = path.substr(path.rfind('/') + 1);
    std::uint32_t id = 0;
    const auto is_it = [&id](const ForeignRing& ring) { return ring.id == id; };
    if (!parse_ring_name(name, &id) || std::any_of(rings_.begin(), rings_.end(), is_it)) continue;
    if (Status status = map_ring(name.c_str(), id, access); !status.ok()) {
      if (access == Access::kOwn) return status;
      problems_.push_back(status.message());
    }
  }
  std::sort(rings_.begin(), rings_.end(), [](const ForeignRing& a, const ForeignRing& b) { return a.id < b.id; });
  // Whoever removes files says so before.
  if (state_ == State::kOrphan && paths.size() < session_.ring_count &&
      __atomic_load_n(&shared_->state, __ATOMIC_ACQUIRE) == ring::kRunning) {
    problems_.push_back("staging had no room for " + std::to_string(session_.ring_count - paths.size()) +
                        " of its rings: what they held died with the process");
  }
  return {};
}

Status StagingView::map_ring(const char* name, std::uint32_t id, Access access) {
  const bool own = access == Access::kOwn;
  const std::string path = directory_ + "/" + name;
  const auto skip = [&](const std::string& why) {
    problems_.push_back(path + ": " + why);
    return Status();
  };
  const int fd = open_file(name, own ? O_RDWR : O_RDONLY);
  if (fd < 0 && errno == ENOENT) return {};  // it has been recovered meanwhile
  if (fd < 0 && (errno == EPERM || errno == ELOOP || errno == ENXIO)) return skip("it is no file of its owner's");
  if (fd < 0) return failed("cannot open " + path, errno);
  struct stat st {};
  void* memory = MAP_FAILED;
  const bool known = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  const std::uint64_t size = known ? static_cast<std::uint64_t>(st.st_size) : 0;
  const bool sized = size >= ring::kHeaderBytes + ring::kMinCapacity && size <= ring::kHeaderBytes + ring::kMaxCapacity;
  if (sized) memory = mmap(nullptr, size, own ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  const int error = errno;
  close(fd);
  // A ring that was being made when its owner died has no version and no records.
  if (!sized) return size == 0 ? Status() : skip("its size is impossible");
  if (memory == MAP_FAILED) return failed("cannot map " + path, error);
  auto* header = static_cast<ring::RingHeader*>(memory);
  const std::uint32_t version = __atomic_load_n(&header->version, __ATOMIC_ACQUIRE);
  const std::uint64_t capacity = header->capacity;
  if (version != ring::kVersion || header->magic != ring::kRingMagic || header->ring_id != id ||
      !std::has_single_bit(capacity) || capacity != size - ring::kHeaderBytes) {
    munmap(memory, size);
    return version == 0 ? Status() : skip("its header is damaged");
  }
  rings_.push_back({id, header, static_cast<const std::byte*>(memory) + ring::kHeaderBytes, capacity,
                    header->session_id == session_.session_id});
  return {};
}

void StagingView::restart_rings() {
  for (ForeignRing& ring : rings_) {
    if (ring.current) continue;
    const ring::Release& last = ring::last_release(ring.header);
    ring::publish(ring.header, ring::restarted(last), thread_of(last, ring.header->threads[last.thread_slot % 2]));
    STENO_KILL_POINT("recover.ring_restarted");
    __atomic_store_n(&ring.header->session_id, session_.session_id, __ATOMIC_RELEASE);
    ring.current = true;
  }
}

wire::ThreadInfo thread_of(const ring::Release& release, const ring::ThreadSlot& slot) {
  wire::ThreadInfo thread{release.thread, 0, ""};
  if (slot.index == release.thread) {
    thread.tid = slot.tid;
    thread.name.assign(slot.name, std::min<std::size_t>(slot.name_size, ring::kThreadName));
  }
  return thread;
}

std::vector<std::string> find_staging(const std::vector<std::string>& extra_roots) {
  std::vector<std::string> roots = ring::staging_roots("");
  if (const char* named = secure_getenv("STENO_STAGING"); named != nullptr && *named != '\0') roots.emplace_back(named);
  roots.insert(roots.end(), extra_roots.begin(), extra_roots.end());
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  std::vector<std::string> users;
  for (const std::string& root : roots) {
    if (geteuid() == 0) {
      list(root, &users, [](std::string_view name) { return name.starts_with("steno-"); });
    } else {
      users.push_back(ring::user_directory(root));
    }
  }
  std::vector<std::string> found;
  for (const std::string& user : users) {
    if (is_user_directory(user)) list(user, &found, is_staging_name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> find_staging_and(const std::vector<Hint>& hints, const std::vector<std::string>& extra_roots) {
  std::vector<std::string> found = find_staging(extra_roots);
  for (const Hint& hint : hints) {
    const std::string& directory = hint.directory;
    const bool named =
        directory.starts_with('/') && is_staging_name(std::string_view(directory).substr(directory.rfind('/') + 1));
    if (named && std::find(found.begin(), found.end(), directory) == found.end()) found.push_back(directory);
  }
  return found;
}

bool may_speak_for(const StagingView& view, const std::string& path) {
  struct stat st {};
  return view.owner() == geteuid() || (stat(path.c_str(), &st) == 0 && st.st_uid == view.owner());
}

bool is_hinted(const ring::SessionFile& session, const std::vector<Hint>& hints) {
  return std::any_of(hints.begin(), hints.end(),
                     [&session](const Hint& hint) { return hint.session_id == session.session_id; });
}

bool logs_into(const ring::SessionFile& session, const std::string& path) {
  if (session.log_path[0] == '\0') return false;
  if (path == session.log_path) return true;
  char a[PATH_MAX];
  char b[PATH_MAX];
  if (realpath(path.c_str(), a) != nullptr && realpath(session.log_path, b) != nullptr) return std::strcmp(a, b) == 0;
  // Gone, or not made yet: spelt from where we are.
  return path[0] != '/' && getcwd(a, sizeof a) != nullptr && std::string(a) + "/" + path == session.log_path;
}

}  // namespace steno::live
