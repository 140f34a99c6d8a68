// zstd strings: their lengths as a column, then one zstd frame of their bytes (file.md §9.3).
#include "format/strings/codec.h"
#include "base/scratch.h"
#include "format/block.h"
#include "format/known_columns.h"

#if STENO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace steno::format {

#if STENO_HAVE_ZSTD

namespace {

constexpr std::size_t kLeastBytes = 256;  // below, a frame's own bytes eat the gain
constexpr std::size_t kMostKnown = 64;    // columns of which it is known whether zstd pays
constexpr int kDefaultLevel = 1;

struct Zstd {
  Zstd() = default;
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  ~Zstd() { ZSTD_freeCCtx(compressor); }

  ZSTD_CCtx* compressor = ZSTD_createCCtx();
  KnownColumns<CodecTrial, kMostKnown> trials;
};

CodecTrial& trial_of(const StringContext& context) {
  return context.memory->of<Zstd>().trials.of(context.column);
}

bool fits(const StringSource&, const StringContext& context) {
  return context.zstd_level == kZstdWhereItPays;
}

bool is_wanted(const StringContext& context) {
  return context.zstd_level != kZstdWhereItPays && context.zstd_level != kNoZstd;
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  ZSTD_CCtx* const compressor = context.memory->of<Zstd>().compressor;
  if (compressor == nullptr) return false;
  const std::size_t total = encode_lengths(source, context, out);
  if (total < kLeastBytes || total > kMaxPayload) return false;
  ByteBuffer& text = context.memory->bytes;
  text.clear();
  append_bytes(source, total, text);
  const std::size_t bound = ZSTD_compressBound(total);
  const std::size_t header = 10;  // of the frame's size, a varint
  std::uint8_t* frame = out.reserve(header + bound) + header;
  const int level = context.zstd_level == kZstdWhereItPays ? kDefaultLevel : context.zstd_level;
  const std::size_t size = ZSTD_compressCCtx(compressor, frame, bound, text.data(), total, level);
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

bool read_joined(const OpenedColumn& column, StringArena* arena) {
  if (column.rows == kUnknownRows) return false;
  ByteReader in = column.body;
  Scratch::Array<std::uint64_t> codes(Scratch::of_thread(), column.rows);
  return read_text(in, codes.span(), arena);
}

}  // namespace

const StringCodec kZstdStringCodec{
    .id = CodecId::kZstdStrings,
    .name = "zstd_strings",
    .may_be_within = kAnywhere,
    .form = ColumnForm::kTexts,
    .trial = {.stage = CodecStage::kTexts,
              .known = trial_of,
              .share = 2,  // it finds what repeats over long distances, but its columns take longer to search
              .least_strings = 1,
              .least_bytes = 1024,
              .waits = false,
              .brisk = false,
              .fits = fits,
              .is_wanted = is_wanted},
    .encode = encode,
    .decode = decode,
    .read_text = read_joined};

#else

const StringCodec kZstdStringCodec{.id = CodecId::kZstdStrings,
                                   .name = "zstd_strings",
                                   .may_be_within = kAnywhere,
                                   .encode = nullptr,
                                   .decode = nullptr};

#endif

}  // namespace steno::format
