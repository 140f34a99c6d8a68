// zstd strings: their lengths as a column, then one zstd frame of their bytes (file.md §9.3).
#include "format/codecs/string_zstd.h"

#include "base/scratch.h"
#include "format/block.h"
#include "format/codecs/known_columns.h"
#include "format/codecs/string_texts.h"

#if STENO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace steno::format {

#if STENO_HAVE_ZSTD

namespace {

constexpr std::size_t kLeastBytes = 256;      // below, a frame's own bytes eat the gain
constexpr std::size_t kMostKnown = 64;        // columns of which it is known whether zstd pays
constexpr std::size_t kLeastCompared = 1024;  // bytes of a column that tells whether it pays
constexpr int kDefaultLevel = 1;

}  // namespace

struct StringScratch::Zstd {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  KnownColumns<CodecTrial, kMostKnown> trials;
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

// Reads the codes of the lengths, then the text.
bool read_text(ByteReader& in, std::span<std::uint64_t> codes, StringArena* arena) {
  std::size_t total = 0;
  if (!decode_lengths(in, codes, &total)) return false;
  const std::uint64_t size = in.get_varint();
  const std::uint8_t* frame = in.take(size);
  // The frame's own word for its size is checked before memory is taken for it.
  if (frame == nullptr || ZSTD_getFrameContentSize(frame, size) != total) return false;
  arena->resize(total);
  if (ZSTD_decompress(arena->data(), total, frame, size) != total) return false;
  arena->add(StringFacts::of({arena->data(), total}, true));
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace&, StringArena* arena, std::string_view* out) {
  Scratch::Array<std::uint64_t> codes(Scratch::of_thread(), n);
  if (!read_text(in, codes.span(), arena)) return false;
  cut_strings(codes.span(), arena->data(), arena, out);
  return true;
}

}  // namespace

bool read_zstd_text(ByteReader& in, std::size_t n, StringArena* arena) {
  Scratch::Array<std::uint64_t> codes(Scratch::of_thread(), n);
  return read_text(in, codes.span(), arena);
}

TrialUse zstd_use(const StringSource& source, StringScratch& scratch) {
  if (scratch.zstd_level != kZstdWhereItPays) return scratch.zstd_level == kNoZstd ? TrialUse::kNo : TrialUse::kFirst;
  if (scratch.column == 0) return TrialUse::kNo;
  return zstd_of(scratch).trials.of(scratch.column).next(source.count, !scratch.ints->quick);
}

void compare_with_zstd(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out) {
  if (out.size() - start < kLeastCompared) return;
  const auto append = [&] { return append_column(kZstdStringCodec, source, scratch, out); };
  zstd_of(scratch).trials.of(scratch.column).compare(start, 2, append, out);
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

bool read_zstd_text(ByteReader&, std::size_t, StringArena*) {
  return false;
}

TrialUse zstd_use(const StringSource&, StringScratch&) {
  return TrialUse::kNo;
}

void compare_with_zstd(const StringSource&, StringScratch&, std::size_t, ByteBuffer&) {}

#endif

StringScratch::StringScratch() = default;
StringScratch::~StringScratch() = default;

const StringCodec kZstdStringCodec{CodecId::kZstdStrings, "zstd_strings", encode, decode};

}  // namespace steno::format
