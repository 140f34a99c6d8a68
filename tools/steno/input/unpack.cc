#include "input/unpack.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "memory_limit.h"

#if STENO_HAVE_ZLIB
#include <zlib.h>
#endif
#if STENO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace steno::cli {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kUnpackedChunk = std::size_t{1} << 18;

bool begins_with(Bytes bytes, std::initializer_list<std::uint8_t> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

// Where the unpacked bytes go: a file in memory, which is mapped at the end.
class MemoryFile {
 public:
  explicit MemoryFile(std::string path) : path_(std::move(path)), fd_(::memfd_create("steno", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (fd_ >= 0) ::close(fd_);
  }

  std::uint8_t* chunk() { return chunk_.get(); }
  // Takes the first bytes of the chunk.
  Status take(std::size_t size) {
    static const std::uint64_t kMost = memory_of_machine() / 2;
    static std::uint64_t of_all = 0;
    of_all += size;
    if (of_all > kMost) {
      return {StatusCode::kExhausted, path_ + ": what is packed in it is too large for memory (limit " +
                                          std::to_string(kMost >> 20) + " MiB); unpack it, and give the unpacked file"};
    }
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::write(fd_, chunk_.get() + done, size - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return {StatusCode::kIoError, path_ + ": cannot unpack into memory: " + std::strerror(errno)};
      done += static_cast<std::size_t>(n);
    }
    size_ += size;
    return {};
  }
  Result<MappedFile> finish() { return size_ == 0 ? MappedFile() : MappedFile::of(fd_, path_); }
  Status damaged(const char* packer, std::size_t at, const char* why) const {
    return {StatusCode::kCorrupt, path_ + ": the data of " + packer + " is damaged at byte " + std::to_string(at) +
                                      " (" + why + "); '" + packer + " -dc' may unpack what comes before"};
  }

 private:
  std::string path_;
  int fd_;
  std::unique_ptr<std::uint8_t[]> chunk_ = std::make_unique<std::uint8_t[]>(kUnpackedChunk);
  std::uint64_t size_ = 0;
};

#if STENO_HAVE_ZLIB
// Zeros may follow, as on tapes.
bool is_over(const z_stream& stream) {
  return std::all_of(stream.next_in, stream.next_in + stream.avail_in, [](Bytef byte) { return byte == 0; });
}

// One member or several, one after the other.
Result<MappedFile> gunzip(const std::string& path, Bytes packed) {
  MemoryFile out(path);
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return Status(StatusCode::kExhausted, path + ": out of memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::size_t given = 0;
  for (;;) {
    if (stream.avail_in == 0 && given < packed.size()) {
      stream.next_in = const_cast<Bytef*>(packed.data() + given);
      stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size() - given, std::size_t{1} << 30));
      given += stream.avail_in;
    }
    stream.next_out = out.chunk();
    stream.avail_out = kUnpackedChunk;
    const int said = inflate(&stream, Z_NO_FLUSH);
    if (Status status = out.take(kUnpackedChunk - stream.avail_out); !status.ok()) return status;
    const std::size_t at = given - stream.avail_in;
    if (said == Z_STREAM_END) {
      if (at == packed.size() || (given == packed.size() && is_over(stream))) return out.finish();
      if (inflateReset(&stream) != Z_OK) return out.damaged("gzip", at, "no further member");
    } else if (said == Z_BUF_ERROR || (said == Z_OK && at == packed.size() && stream.avail_out != 0)) {
      return out.damaged("gzip", at, "it ends too early");
    } else if (said != Z_OK) {
      return out.damaged("gzip", at, stream.msg != nullptr ? stream.msg : "no such data");
    }
  }
}
#endif

#if STENO_HAVE_ZSTD
Result<MappedFile> unzstd(const std::string& path, Bytes packed) {
  MemoryFile out(path);
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (context == nullptr) return Status(StatusCode::kExhausted, path + ": out of memory");
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  for (;;) {
    ZSTD_outBuffer to{out.chunk(), kUnpackedChunk, 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(left) != 0) return out.damaged("zstd", in.pos, ZSTD_getErrorName(left));
    if (Status status = out.take(to.pos); !status.ok()) return status;
    if (in.pos < in.size || to.pos == to.size) continue;
    return left == 0 ? out.finish() : out.damaged("zstd", in.pos, "it ends too early");
  }
}
#endif

[[maybe_unused]] Status no_library(const std::string& path, const char* packer) {
  return {StatusCode::kUnsupported, path + ": packed by " + packer +
                                        ", and this steno was built without its library; "
                                        "unpack it first ('" +
                                        packer + " -dc')"};
}

}  // namespace

Result<MappedFile> unpacked(const std::string& path, MappedFile file) {
  if (begins_with(file.bytes(), {0x1f, 0x8b, 8})) {
#if STENO_HAVE_ZLIB
    return gunzip(path, file.bytes());
#else
    return no_library(path, "gzip");
#endif
  }
  if (begins_with(file.bytes(), {0x28, 0xb5, 0x2f, 0xfd})) {
#if STENO_HAVE_ZSTD
    return unzstd(path, file.bytes());
#else
    return no_library(path, "zstd");
#endif
  }
  return file;
}

}  // namespace steno::cli
