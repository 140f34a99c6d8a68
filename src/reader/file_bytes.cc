#include "reader/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/file_ranges.h"
#include "reader/corrupt.h"

namespace steno::reader {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 18;
constexpr std::uint64_t kSourceChunk = std::uint64_t{1} << 10;  // at least: what is declared is small and scattered
constexpr std::uint64_t kMostChunks = std::uint64_t{1} << 20;   // of a source, each a byte in memory
constexpr std::uint64_t kMostRange = std::uint64_t{1} << 23;    // asked of a source
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 26;   // the same, of all ranges of a call
constexpr std::size_t kSmall = std::size_t{1} << 20;            // read whole
constexpr rlim_t kSpared = 64;                                  // descriptors that are left to others

bool is_to_spare(int fd) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && static_cast<rlim_t>(fd) + kSpared < limit.rlim_cur;
}

}  // namespace

FileBytes::~FileBytes() {
  release_copy();
}

void FileBytes::release_copy() {
  if (!is_copied()) return;
  ::munmap(copy_.data(), copy_.size());
  copy_ = {};
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

// Address space for all bytes, without memory until they come.
bool FileBytes::reserve(std::uint64_t size, std::uint64_t chunk) {
  void* const copy = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) return false;
  copy_ = {static_cast<std::uint8_t*>(copy), static_cast<std::size_t>(size)};
  chunk_ = chunk;
  loaded_ = std::make_unique<std::atomic<bool>[]>(size / chunk + 1);
  end_found_ = size;
  return true;
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
  const bool is_large = ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
                        static_cast<std::uint64_t>(facts.st_size) > kSmall && is_to_spare(fd);
  if (!is_large || !reserve(static_cast<std::uint64_t>(facts.st_size), kChunk)) {
    ::close(fd);
    return false;
  }
  fd_ = fd;
  return true;
}

Status FileBytes::open(std::shared_ptr<ByteSource> source) {
  source_ = std::move(source);
  path_ = source_->name();
  const std::uint64_t size = source_->size();
  if (size > kSmall) {
    std::uint64_t chunk = kSourceChunk;
    while (size / chunk > kMostChunks) chunk *= 2;
    if (reserve(size, chunk)) return {};
    return {StatusCode::kExhausted, path_ + ": no room for " + std::to_string(size) + " bytes"};
  }
  whole_.resize(size);
  end_found_ = size;
  if (size == 0) return {};
  const ByteSource::Range all = {0, size, whole_.data()};
  return read_source({&all, 1});
}

Status FileBytes::map() {
  if (!is_copied()) return {};
  if (source_ != nullptr) {
    return {StatusCode::kExhausted, path_ + ": has no index that can be used, and " + std::to_string(size()) +
                                        " bytes are too many to look through from afar; copy the file here"};
  }
  auto file = MappedFile::of(fd_, path_);
  if (!file.ok()) return file.status();
  release_copy();
  mapped_ = std::move(file).value();
  end_found_ = mapped_.bytes().size();
  return {};
}

// The chunks of `pieces` that are not there yet, neighbours as one piece: numbers of chunks.
std::vector<FileBytes::Piece> FileBytes::missing_chunks(const std::vector<Piece>& pieces) const {
  std::vector<Piece> missing;
  for (const Piece& piece : pieces) {
    if (piece.size == 0) continue;
    const std::uint64_t last = (piece.offset + piece.size - 1) / chunk_;
    for (std::uint64_t chunk = piece.offset / chunk_; chunk <= last; ++chunk) {
      if (loaded_[chunk].load(std::memory_order_acquire)) continue;  // pairs with the stores of true
      const bool follows =
          !missing.empty() && chunk >= missing.back().offset && chunk <= missing.back().offset + missing.back().size;
      if (!follows) {
        missing.push_back({chunk, 1});
      } else {
        missing.back().size = std::max(missing.back().size, chunk - missing.back().offset + 1);
      }
    }
  }
  return missing;
}

void FileBytes::load_chunks(const std::vector<Piece>& pieces) const {
  const std::vector<Piece> missing = missing_chunks(pieces);
  if (missing.empty()) return;
  if (source_ != nullptr) return fetch_chunks(missing);
  for (const Piece& piece : missing) {
    for (std::uint64_t i = 0; i < piece.size; ++i) load_chunk(piece.offset + i);
  }
}

void FileBytes::load_chunk(std::uint64_t chunk) const {
  const std::lock_guard lock(mutex_);
  if (loaded_[chunk].load(std::memory_order_relaxed)) return;
  const std::uint64_t begin = chunk * chunk_;
  const std::size_t wanted = std::min<std::uint64_t>(chunk_, copy_.size() - begin);
  const std::size_t got = read_up_to(fd_, begin, wanted, copy_.data() + begin);
  if (got < wanted) end_found_ = std::min<std::uint64_t>(end_found_, begin + got);
  loaded_[chunk].store(true, std::memory_order_release);
}

// Another thread may have fetched some of them meanwhile, and others read them already.
void FileBytes::fetch_chunks(const std::vector<Piece>& wanted) const {
  const std::lock_guard lock(mutex_);
  std::vector<Piece> chunks;
  for (const Piece& piece : wanted) {
    for (const Piece& missing : missing_chunks({{piece.offset * chunk_, piece.size * chunk_}}))
      chunks.push_back(missing);
  }
  std::vector<ByteSource::Range> ranges;
  for (const Piece& piece : chunks) {
    const std::uint64_t begin = piece.offset * chunk_;
    const std::uint64_t size = std::min<std::uint64_t>(piece.size * chunk_, copy_.size() - begin);
    ranges.push_back({begin, size, copy_.data() + begin});
  }
  if (Status status = read_source(ranges); !status.ok()) {
    if (failure_.ok()) failure_ = std::move(status);
    return;
  }
  for (const Piece& piece : chunks) {
    for (std::uint64_t i = 0; i < piece.size; ++i) loaded_[piece.offset + i].store(true, std::memory_order_release);
  }
}

// In ranges and calls of a bounded size.
Status FileBytes::read_source(std::span<const ByteSource::Range> ranges) const {
  std::vector<ByteSource::Range> some;
  std::uint64_t bytes = 0;
  const auto flush = [&]() -> Status {
    const Status status = some.empty() ? Status() : source_->read(some.data(), some.size());
    some.clear();
    bytes = 0;
    return status.ok() ? status : Status(StatusCode::kIoError, path_ + ": " + status.message());
  };
  for (const ByteSource::Range& range : ranges) {
    for (std::uint64_t done = 0; done < range.size;) {
      const std::uint64_t size = std::min(range.size - done, kMostRange);
      if (bytes + size > kMostAtOnce) {
        if (Status status = flush(); !status.ok()) return status;
      }
      some.push_back({range.offset + done, size, range.to + done});
      bytes += size;
      done += size;
    }
  }
  return flush();
}

Status FileBytes::read(std::span<const ByteSource::Range> ranges) const {
  if (source_ != nullptr) return read_source(ranges);
  for (const ByteSource::Range& range : ranges) {
    if (!read_at(fd_, range.offset, range.size, range.to)) return corrupt("the file has become shorter meanwhile");
  }
  return {};
}

Status FileBytes::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void FileBytes::drop(std::uint64_t offset, std::uint64_t size) {
  if (!is_copied()) return;
  // Chunks may be smaller than pages, of which the kernel drops whole ones.
  const std::uint64_t unit = std::max(chunk_, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  const std::uint64_t first = round_up(offset, unit) / chunk_;
  const std::uint64_t end = (offset + size) / unit * unit / chunk_;
  if (first >= end) return;
  ::madvise(copy_.data() + first * chunk_, (end - first) * chunk_, MADV_DONTNEED);
  for (std::uint64_t chunk = first; chunk < end; ++chunk) loaded_[chunk].store(false, std::memory_order_relaxed);
}

}  // namespace steno::reader
