#include "ring/staging.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace steno::ring {
namespace {

Status failed(const std::string& what, int error) {
  return {error == ENOSPC || error == EMFILE || error == ENFILE || error == ENOMEM ? StatusCode::kExhausted
                                                                                   : StatusCode::kIoError,
          what + ": " + strerror(error)};
}

// A file of `size` bytes whose pages exist, mapped shared. The pages must exist: a store into a hole of a full tmpfs is
// SIGBUS.
Result<void*> make_mapped(int directory_fd, const char* name, std::size_t size, int* fd_out) {
  const int fd = openat(directory_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return failed(std::string("cannot make ") + name, errno);
  int error = 0;
  do {
    error = posix_fallocate(fd, 0, static_cast<off_t>(size));
  } while (error == EINTR);
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  if (error != 0) {
    close(fd);
    unlinkat(directory_fd, name, 0);
    return failed(std::string("no room for ") + name, error);
  }
  if (fd_out != nullptr) {
    *fd_out = fd;
  } else {
    close(fd);
  }
  return memory;
}

Result<void*> make_private(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return failed("no memory for staging", errno);
  return memory;
}

// Opens <root>/steno-<uid>, making it if need be, and makes sure that it is ours and nobody else's.
Result<int> open_user_directory(const std::string& root) {
  const std::string path = root + "/steno-" + std::to_string(geteuid());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("cannot make " + path, errno);
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return failed("cannot open " + path, errno);
  struct stat st {};
  if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 0077) != 0) {
    close(fd);
    return Status(StatusCode::kPermissionDenied, path + " belongs to somebody else or is open to others");
  }
  return fd;
}

}  // namespace

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

Staging& Staging::operator=(Staging&& other) noexcept {
  path_ = std::exchange(other.path_, {});
  directory_fd_ = std::exchange(other.directory_fd_, -1);
  session_fd_ = std::exchange(other.session_fd_, -1);
  dictionary_fd_ = std::exchange(other.dictionary_fd_, -1);
  session_ = std::exchange(other.session_, nullptr);
  return *this;
}

Result<Staging> Staging::create(const std::string& directory, std::string* warning) {
  warning->clear();
  const char* tmpdir = getenv("TMPDIR");
  const std::string roots[] = {directory, "/dev/shm", tmpdir != nullptr ? tmpdir : "", "/tmp"};
  std::string reasons;
  for (const std::string& root : roots) {
    if (root.empty()) continue;
    Staging staging;
    const Status status = staging.open_in(root);
    if (status.ok()) {
      if (!reasons.empty()) *warning = reasons + "; staging is in " + staging.path_ + " instead";
      return staging;
    }
    reasons += (reasons.empty() ? "" : "; ") + status.message();
  }
  *warning = reasons + "; staging is in private memory: records not yet on file will not survive a crash";
  auto memory = make_private(sizeof(SessionFile));
  if (!memory.ok()) return memory.status();
  Staging staging;
  staging.session_ = static_cast<SessionFile*>(*memory);
  staging.session_->session_id = random_id();
  return staging;
}

Status Staging::open_in(const std::string& root) {
  auto user = open_user_directory(root);
  if (!user.ok()) return user.status();
  const std::uint64_t nonce = random_id();
  char name[64];
  snprintf(name, sizeof name, "%d-%016llx", static_cast<int>(getpid()), static_cast<unsigned long long>(nonce));
  path_ = root + "/steno-" + std::to_string(geteuid()) + "/" + name;
  if (mkdirat(*user, name, 0700) != 0) {
    const int error = errno;
    close(*user);
    return failed("cannot make " + path_, error);
  }
  directory_fd_ = openat(*user, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  close(*user);
  if (directory_fd_ < 0) return failed("cannot open " + path_, errno);

  auto memory = make_mapped(directory_fd_, "session", sizeof(SessionFile), &session_fd_);
  if (!memory.ok()) {
    remove();
    return Status(memory.status().code(), path_ + ": " + memory.status().message());
  }
  flock(session_fd_, LOCK_EX | LOCK_NB);
  dictionary_fd_ =
      openat(directory_fd_, "dictionary", O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (dictionary_fd_ < 0) {
    const int error = errno;
    remove();
    return failed("cannot make the dictionary in " + path_, error);
  }
  session_ = static_cast<SessionFile*>(*memory);
  session_->magic = kSessionMagic;
  session_->pid = static_cast<std::uint32_t>(getpid());
  session_->session_id = nonce;
  return {};
}

Result<RingMemory> Staging::make_ring(std::uint32_t ring_id, std::uint64_t capacity) {
  if (directory_fd_ < 0) return make_private_ring(ring_id, capacity);
  auto memory =
      make_mapped(directory_fd_, ("ring-" + std::to_string(ring_id)).c_str(), kHeaderBytes + capacity, nullptr);
  if (!memory.ok()) return Status(memory.status().code(), path_ + ": " + memory.status().message());
  return init_ring(*memory, ring_id, capacity);
}

Result<RingMemory> Staging::make_private_ring(std::uint32_t ring_id, std::uint64_t capacity) {
  auto memory = make_private(kHeaderBytes + capacity);
  if (!memory.ok()) return memory.status();
  return init_ring(*memory, ring_id, capacity);
}

RingMemory Staging::init_ring(void* memory, std::uint32_t ring_id, std::uint64_t capacity) {
  auto* header = static_cast<RingHeader*>(memory);
  header->magic = kRingMagic;
  header->ring_id = ring_id;
  header->capacity = capacity;
  header->session_id = session_->session_id;
  __atomic_store_n(&header->version, kVersion, __ATOMIC_RELEASE);
  return {header, reinterpret_cast<std::byte*>(header) + kHeaderBytes, capacity};
}

Status Staging::append_dictionary(const ByteBuffer& entries) {
  if (dictionary_fd_ < 0) return {};
  const std::uint8_t* p = entries.data();
  std::size_t left = entries.size();
  while (left != 0) {
    const ssize_t n = write(dictionary_fd_, p, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed("cannot extend the dictionary in " + path_, errno);
    p += n;
    left -= static_cast<std::size_t>(n);
  }
  __atomic_store_n(&session_->dictionary_size, session_->dictionary_size + entries.size(), __ATOMIC_RELEASE);
  return {};
}

void Staging::remove() {
  if (directory_fd_ < 0) return;
  if (DIR* listing = fdopendir(dup(directory_fd_))) {
    while (const dirent* entry = readdir(listing)) {
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
        unlinkat(directory_fd_, entry->d_name, 0);
    }
    closedir(listing);
  }
  rmdir(path_.c_str());
  abandon();
}

void Staging::abandon() {
  for (int* fd : {&directory_fd_, &session_fd_, &dictionary_fd_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
}

}  // namespace steno::ring
