#include "real/compress.h"

#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

namespace steno::bench {
namespace {

constexpr std::size_t kChunk = std::size_t{4} << 20;

[[noreturn]] void fail(const std::string& path) {
  std::fprintf(stderr, "cannot compress %s\n", path.c_str());
  std::exit(1);
}

}  // namespace

Compressed compress_text(const std::string& path, int level, std::size_t most) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path);
  std::vector<char> text(kChunk);
  std::vector<char> packed(ZSTD_CStreamOutSize());
  Compressed result;
  for (bool last = false; !last;) {
    file.read(text.data(), static_cast<std::streamsize>(std::min(kChunk, most)));
    auto size = static_cast<std::size_t>(file.gcount());
    most -= size;
    last = most == 0 || !file;
    if (last) {
      while (size != 0 && text[size - 1] != '\n') --size;
    }
    result.lines += static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(size), '\n'));
    ZSTD_inBuffer in{text.data(), size, 0};
    for (std::size_t left = 1; last ? left != 0 : in.pos != in.size;) {
      ZSTD_outBuffer out{packed.data(), packed.size(), 0};
      left = ZSTD_compressStream2(context.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) fail(path);
      result.bytes += out.pos;
    }
  }
  return result;
}

}  // namespace steno::bench
