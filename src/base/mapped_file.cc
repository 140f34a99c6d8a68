#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace steno {
namespace {

Status error_of(int error, const std::string& path, const char* what) {
  if (error == ENOENT || error == ENOTDIR) return {StatusCode::kNotFound, path + ": no such file"};
  if (error == EACCES || error == EPERM) {
    return {StatusCode::kPermissionDenied, path + ": permission denied; you may not read this file"};
  }
  return {StatusCode::kIoError, path + ": " + what + ": " + std::strerror(error)};
}

class FileDescriptor {
 public:
  FileDescriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~FileDescriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

}  // namespace

MappedFile::MappedFile(MappedFile&& other) noexcept {
  *this = std::move(other);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    mapped_ = std::exchange(other.mapped_, false);
    copy_ = std::move(other.copy_);
  }
  return *this;
}

MappedFile::~MappedFile() {
  release();
}

void MappedFile::release() {
  if (mapped_) ::munmap(const_cast<std::uint8_t*>(data_), size_);
  copy_.reset();
  data_ = nullptr;
  size_ = 0;
  mapped_ = false;
}

bool MappedFile::map(int fd, std::size_t size) {
  void* p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (p == MAP_FAILED) return false;
  data_ = static_cast<const std::uint8_t*>(p);
  size_ = size;
  mapped_ = true;
  return true;
}

Result<MappedFile> MappedFile::of(int fd, const std::string& path) {
  struct stat facts;
  MappedFile file;
  if (::fstat(fd, &facts) != 0) return error_of(errno, path, "cannot stat");
  if (!file.map(fd, static_cast<std::size_t>(facts.st_size))) return error_of(errno, path, "cannot map");
  return file;
}

Result<MappedFile> MappedFile::open(const std::string& path, std::size_t read_up_to) {
  const bool standard_input = path == "-";
  const FileDescriptor fd(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard_input);
  if (fd.get() < 0) return error_of(errno, path, "cannot open");
  struct stat facts;
  if (::fstat(fd.get(), &facts) != 0) return error_of(errno, path, "cannot stat");
  if (S_ISDIR(facts.st_mode)) return Status(StatusCode::kInvalidArgument, path + ": is a directory, not a file");

  MappedFile file;
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (S_ISREG(facts.st_mode) && !standard_input && size > read_up_to) {
    if (file.map(fd.get(), size)) return file;
    // Some file systems cannot map; reading still works.
  }
  // Files of size 0 are read too: those of /proc have no size.
  if (Status status = file.read_all(fd.get(), path); !status.ok()) return status;
  return file;
}

Status MappedFile::read_all(int fd, const std::string& path) {
  std::size_t capacity = std::size_t{1} << 16;
  std::size_t size = 0;
  std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[capacity]);
  for (;;) {
    const ssize_t n = ::read(fd, bytes.get() + size, capacity - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error_of(errno, path, "cannot read");
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size < capacity) continue;
    std::unique_ptr<std::uint8_t[]> larger(new (std::nothrow) std::uint8_t[capacity * 2]);
    if (larger == nullptr)
      return {StatusCode::kExhausted, path + ": too large to be read into memory; give it as a file"};
    std::memcpy(larger.get(), bytes.get(), size);
    bytes = std::move(larger);
    capacity *= 2;
  }
  data_ = bytes.get();
  size_ = size;
  copy_ = std::move(bytes);
  return {};
}

}  // namespace steno
