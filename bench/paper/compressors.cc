#include "paper/compressors.h"

#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/harness.h"

#ifdef STENO_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef STENO_PEER_SNAPPY
#include <snappy.h>
#endif

namespace steno::bench {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "figure9: %s cannot compress\n", what);
  std::exit(1);
}

class Memcpy final : public Compressor {
 public:
  void begin() override {}
  std::size_t add(std::span<const char> in, bool, std::span<char> out) override {
    std::memcpy(out.data(), in.data(), in.size());
    return in.size();
  }
};

#ifdef STENO_PEER_SNAPPY
// It has no streams: each piece is compressed by itself, in blocks of 64 KiB as the whole would be.
class Snappy final : public Compressor {
 public:
  void begin() override {}
  std::size_t add(std::span<const char> in, bool, std::span<char> out) override {
    std::size_t size = 0;
    snappy::RawCompress(in.data(), in.size(), out.data(), &size);
    return size;
  }
};
#endif

#ifdef STENO_HAVE_ZLIB
class Gzip final : public Compressor {
 public:
  explicit Gzip(int level) {
    constexpr int kGzipFormat = 15 + 16;
    if (deflateInit2(&stream_, level, Z_DEFLATED, kGzipFormat, 8, Z_DEFAULT_STRATEGY) != Z_OK) fail("gzip");
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void begin() override { deflateReset(&stream_); }
  std::size_t add(std::span<const char> in, bool last, std::span<char> out) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int result = deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
    if (result != (last ? Z_STREAM_END : Z_OK) || stream_.avail_in != 0) fail("gzip");
    return out.size() - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};
#endif

class Zstd final : public Compressor {
 public:
  explicit Zstd(int level) : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  }

  void begin() override { ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only); }
  std::size_t add(std::span<const char> in, bool last, std::span<char> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    for (std::size_t left = 1; last ? left != 0 : from.pos != from.size;) {
      left = ZSTD_compressStream2(context_.get(), &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0 || to.pos == to.size) fail("zstd");
    }
    return to.pos;
  }

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

// A pass is one stream from its beginning to its end.
struct Pass {
  double seconds = 0;
  std::size_t in = 0;
  std::size_t out = 0;
};

Pass compress_once(Compressor& compressor, std::span<const char> in, double seconds, std::span<char> out) {
  Pass pass;
  const double begin = seconds_now();
  compressor.begin();
  for (bool last = false; !last;) {
    const std::size_t size = std::min(kPiece, in.size() - pass.in);
    pass.out += compressor.add(in.subspan(pass.in, size), false, out);
    pass.in += size;
    last = pass.in == in.size() || seconds_now() - begin > seconds;
  }
  pass.out += compressor.add({}, true, out);
  pass.seconds = seconds_now() - begin;
  return pass;
}

}  // namespace

std::vector<NamedCompressor> make_compressors() {
  std::vector<NamedCompressor> all;
  all.push_back({"memcpy", "memcpy", std::make_unique<Memcpy>()});
#ifdef STENO_PEER_SNAPPY
  all.push_back({"snappy", "snappy", std::make_unique<Snappy>()});
#endif
#ifdef STENO_HAVE_ZLIB
  for (const int level : {1, 6, 9}) {
    all.push_back({"gzip", "gzip -" + std::to_string(level), std::make_unique<Gzip>(level)});
  }
#endif
  for (const int level : {1, 3, 9, 19}) {
    all.push_back({"zstd", "zstd -" + std::to_string(level), std::make_unique<Zstd>(level)});
  }
  return all;
}

Compression compress(Compressor& compressor, std::span<const char> in, double seconds, int rounds) {
  // Each piece's output replaces that of the piece before, so that it stays in the cache, as steno's blocks do. All of
  // it is touched before, so that no page faults are measured.
  static constexpr std::size_t kRoom = std::size_t{4} << 20;
  std::vector<char> out(kPiece + kPiece / 4 + kRoom);
  Compression best;
  double spent = 0;
  for (int round = 0; round < rounds && spent < seconds; ++round) {
    const Pass pass = compress_once(compressor, in, seconds, out);
    spent += pass.seconds;
    best.bytes_per_second = std::max(best.bytes_per_second, static_cast<double>(pass.in) / pass.seconds);
    best.ratio = static_cast<double>(pass.out) / static_cast<double>(pass.in);
  }
  return best;
}

}  // namespace steno::bench
