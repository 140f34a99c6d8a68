// zstd strings: their lengths as a column, then one zstd frame of their bytes (file.md §9.3). For those who ask for it.
#include "base/scratch.h"
#include "format/block.h"
#include "format/codecs/string_codec.h"

#if STENO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace steno::format {

#if STENO_HAVE_ZSTD

struct StringScratch::Zstd {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ~Zstd() { ZSTD_freeCCtx(context); }
};

namespace {

constexpr std::size_t kLeastBytes = 256;  // below, a frame's own bytes eat the gain

bool encode(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  if (scratch.zstd_level <= 0) return false;
  if (scratch.zstd == nullptr) scratch.zstd = std::make_unique<StringScratch::Zstd>();
  if (scratch.zstd->context == nullptr) return false;
  const std::size_t total = encode_lengths(source, scratch, out);
  if (total < kLeastBytes || total > kMaxPayload) return false;
  scratch.bytes.clear();
  append_bytes(source, total, scratch.bytes);
  const std::size_t bound = ZSTD_compressBound(total);
  const std::size_t header = 10;  // of the frame's size, a varint
  std::uint8_t* frame = out.reserve(header + bound) + header;
  const std::size_t size =
      ZSTD_compressCCtx(scratch.zstd->context, frame, bound, scratch.bytes.data(), total, scratch.zstd_level);
  if (ZSTD_isError(size) != 0 || size > total - total / 8) return false;
  const std::size_t at = out.size() + header;
  out.put_varint(size);
  std::uint8_t* to = out.reserve(size);
  std::memmove(to, out.data() + at, size);
  out.commit(size);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace&, StringArena* arena, std::string_view* out) {
  Scratch::Array<std::uint64_t> codes(Scratch::of_thread(), n);
  std::size_t total = 0;
  if (!decode_lengths(in, codes.span(), &total)) return false;
  const std::uint64_t size = in.get_varint();
  const std::uint8_t* frame = in.take(size);
  // The frame's own word for its size is checked before memory is taken for it.
  if (frame == nullptr || ZSTD_getFrameContentSize(frame, size) != total) return false;
  arena->resize(total);
  if (ZSTD_decompress(arena->data(), total, frame, size) != total) return false;
  arena->add(StringFacts::of({arena->data(), total}, true));
  cut_strings(codes.span(), arena->data(), arena, out);
  return true;
}

}  // namespace

#else

struct StringScratch::Zstd {};

namespace {

bool encode(const StringSource&, StringScratch&, ByteBuffer&) {
  return false;
}
bool decode(ByteReader&, std::size_t, const StringPlace&, StringArena*, std::string_view*) {
  return false;
}

}  // namespace

#endif

StringScratch::StringScratch() = default;
StringScratch::~StringScratch() = default;

const StringCodec kZstdStringCodec{CodecId::kZstdStrings, "zstd_strings", encode, decode};

}  // namespace steno::format
