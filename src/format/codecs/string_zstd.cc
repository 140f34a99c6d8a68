// zstd strings: their lengths as a column, then one zstd frame of their bytes (file.md §9.3).
#include "format/codecs/string_zstd.h"

#include "base/scratch.h"
#include "format/block.h"
#include "format/codecs/known_columns.h"

#if STENO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace steno::format {

#if STENO_HAVE_ZSTD

namespace {

constexpr std::size_t kLeastBytes = 256;      // below, a frame's own bytes eat the gain
constexpr std::size_t kMostKnown = 64;        // columns of which it is known whether zstd pays
constexpr unsigned kUsesUntilLook = 32;       // columns until zstd is compared with other codecs once more
constexpr std::size_t kLeastCompared = 1024;  // bytes of a column that tells whether it pays
constexpr int kDefaultLevel = 1;

// What came of the last columns of one argument, or of one part of it.
struct KnownColumn {
  bool pays = false;
  unsigned uses = 0;
  Patience patience;

  void forget() {
    pays = false;
    uses = 0;
    patience.forget();
  }
};

}  // namespace

struct StringScratch::Zstd {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  KnownColumns<KnownColumn, kMostKnown> known;
  ~Zstd() { ZSTD_freeCCtx(context); }
};

namespace {

StringScratch::Zstd& zstd_of(StringScratch& scratch) {
  if (scratch.zstd == nullptr) scratch.zstd = std::make_unique<StringScratch::Zstd>();
  return *scratch.zstd;
}

bool encode(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  if (scratch.zstd_level == kNoZstd || zstd_of(scratch).context == nullptr) return false;
  const std::size_t total = encode_lengths(source, scratch, out);
  if (total < kLeastBytes || total > kMaxPayload) return false;
  scratch.bytes.clear();
  append_bytes(source, total, scratch.bytes);
  const std::size_t bound = ZSTD_compressBound(total);
  const std::size_t header = 10;  // of the frame's size, a varint
  std::uint8_t* frame = out.reserve(header + bound) + header;
  const std::size_t size =
      ZSTD_compressCCtx(scratch.zstd->context, frame, bound, scratch.bytes.data(), total,
                        scratch.zstd_level == kZstdWhereItPays ? kDefaultLevel : scratch.zstd_level);
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

ZstdUse zstd_use(StringScratch& scratch) {
  if (scratch.zstd_level != kZstdWhereItPays) return scratch.zstd_level == kNoZstd ? ZstdUse::kNo : ZstdUse::kFirst;
  if (scratch.column == 0) return ZstdUse::kNo;
  KnownColumn& column = zstd_of(scratch).known.of(scratch.column);
  const bool may_compare = !scratch.ints->quick;
  if (column.pays) return may_compare && ++column.uses % kUsesUntilLook == 0 ? ZstdUse::kCompare : ZstdUse::kFirst;
  return may_compare && column.patience.is_due() ? ZstdUse::kCompare : ZstdUse::kNo;
}

void compare_with_zstd(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out) {
  const std::size_t size = out.size() - start;
  if (size < kLeastCompared) return;
  const std::size_t at = out.size();
  out.put(static_cast<std::uint8_t>(CodecId::kZstdStrings));
  const bool done = encode(source, scratch, out);
  const std::size_t by_zstd = out.size() - at;
  KnownColumn& column = zstd_of(scratch).known.of(scratch.column);
  column.pays = done && by_zstd * 2 <= size;
  if (!column.pays) {
    out.truncate(at);
    column.patience.failed();
    return;
  }
  column.patience.worked();
  std::memmove(out.data() + start, out.data() + at, by_zstd);
  out.truncate(start + by_zstd);
}

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

ZstdUse zstd_use(StringScratch&) {
  return ZstdUse::kNo;
}

void compare_with_zstd(const StringSource&, StringScratch&, std::size_t, ByteBuffer&) {}

#endif

StringScratch::StringScratch() = default;
StringScratch::~StringScratch() = default;

const StringCodec kZstdStringCodec{CodecId::kZstdStrings, "zstd_strings", encode, decode};

}  // namespace steno::format
