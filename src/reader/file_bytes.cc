#include "reader/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/bytes.h"

namespace steno::reader {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 18;
constexpr std::size_t kSmall = std::size_t{1} << 20;  // read whole
constexpr rlim_t kSpared = 64;                        // descriptors that are left to others

bool is_to_spare(int fd) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && static_cast<rlim_t>(fd) + kSpared < limit.rlim_cur;
}

// How many bytes came: fewer where the file ends.
std::size_t read_at(int fd, std::uint64_t offset, std::size_t size, std::uint8_t* to) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(fd, to + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace

FileBytes::~FileBytes() {
  release_copy();
}

void FileBytes::release_copy() {
  if (fd_ < 0) return;
  ::munmap(copy_.data(), copy_.size());
  ::close(fd_);
  fd_ = -1;
}

Status FileBytes::open(const std::string& path, Access access, Unpack unpack) {
  path_ = path;
  if (access == Access::kCopy && open_copy()) return {};
  auto file = MappedFile::open(path, access == Access::kCopy ? kSmall : 0);
  if (file.ok() && unpack != nullptr) file = unpack(path, std::move(file).value());
  if (!file.ok()) return file.status();
  mapped_ = std::move(file).value();
  end_found_ = mapped_.bytes().size();
  return {};
}

// False: it is small, no file, or there is no descriptor to spare for it.
bool FileBytes::open_copy() {
  struct stat facts {};
  // A pipe is not to be opened in vain: its writer would notice.
  if (path_ == "-" || ::stat(path_.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  void* copy = MAP_FAILED;
  if (::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && static_cast<std::uint64_t>(facts.st_size) > kSmall &&
      is_to_spare(fd)) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    copy = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    copy_ = {static_cast<std::uint8_t*>(copy), size};
  }
  if (copy == MAP_FAILED) {
    ::close(fd);
    return false;
  }
  fd_ = fd;
  loaded_ = std::make_unique<std::atomic<bool>[]>(copy_.size() / kChunk + 1);
  end_found_ = copy_.size();
  return true;
}

Status FileBytes::map() {
  if (!is_copied()) return {};
  auto file = MappedFile::of(fd_, path_);
  if (!file.ok()) return file.status();
  release_copy();
  mapped_ = std::move(file).value();
  end_found_ = mapped_.bytes().size();
  return {};
}

void FileBytes::load_chunks(std::uint64_t offset, std::uint64_t size) const {
  const std::uint64_t last = (offset + size - 1) / kChunk;
  for (std::uint64_t chunk = offset / kChunk; chunk <= last; ++chunk) {
    if (loaded_[chunk].load(std::memory_order_acquire)) continue;  // pairs with the release below
    const std::lock_guard lock(mutex_);
    if (loaded_[chunk].load(std::memory_order_relaxed)) continue;
    const std::uint64_t begin = chunk * kChunk;
    const std::size_t wanted = std::min<std::uint64_t>(kChunk, copy_.size() - begin);
    const std::size_t got = read_at(fd_, begin, wanted, copy_.data() + begin);
    if (got < wanted) end_found_ = std::min<std::uint64_t>(end_found_, begin + got);
    loaded_[chunk].store(true, std::memory_order_release);
  }
}

bool FileBytes::read(std::uint64_t offset, std::uint64_t size, std::uint8_t* to) const {
  return read_at(fd_, offset, size, to) == size;
}

void FileBytes::drop(std::uint64_t offset, std::uint64_t size) {
  if (!is_copied()) return;
  const std::uint64_t first = round_up(offset, kChunk) / kChunk;
  const std::uint64_t end = (offset + size) / kChunk;
  if (first >= end) return;
  ::madvise(copy_.data() + first * kChunk, (end - first) * kChunk, MADV_DONTNEED);
  for (std::uint64_t chunk = first; chunk < end; ++chunk) loaded_[chunk].store(false, std::memory_order_relaxed);
}

}  // namespace steno::reader
