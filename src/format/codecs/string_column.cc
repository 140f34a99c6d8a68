#include "format/block.h"
#include "format/codecs/int_column.h"
#include "format/codecs/string_codec.h"

namespace steno::format {
namespace {

// In the order in which they are tried; raw takes anything.
constexpr const StringCodec* kCodecs[] = {&kConstantStringCodec, &kStringDictionaryCodec, &kZstdStringCodec,
                                          &kRawStringCodec};

}  // namespace

std::span<const StringCodec* const> string_codecs() {
  return kCodecs;
}

const StringCodec* find_string_codec(std::uint8_t id) {
  for (const StringCodec* codec : kCodecs) {
    if (static_cast<std::uint8_t>(codec->id) != id) continue;
#if !STENO_HAVE_ZSTD
    if (codec == &kZstdStringCodec) return nullptr;
#endif
    return codec;
  }
  return nullptr;
}

void encode_strings(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  for (const StringCodec* codec : kCodecs) {
    const std::size_t start = out.size();
    out.put(static_cast<std::uint8_t>(codec->id));
    if (codec->encode(source, scratch, out)) return;
    out.truncate(start);
  }
}

bool decode_strings(ByteReader& in, std::size_t n, bool nested, StringArena* arena, std::string_view* out) {
  const StringCodec* codec = find_string_codec(in.get<std::uint8_t>());
  return codec != nullptr && in.ok() && codec->decode(in, n, nested, arena, out) && in.ok();
}

std::size_t encode_lengths(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  scratch.lengths.resize(source.count);
  std::size_t total = 0;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    scratch.lengths[i] = s.code();
    total += s.bytes();
  }
  encode_ints(IntSource::array(scratch.lengths.data(), source.count, kTypeU32), IntHint::kOffsets, *scratch.ints, out);
  return total;
}

bool decode_lengths(ByteReader& in, std::size_t n, std::vector<std::uint64_t>* codes, std::size_t* total) {
  codes->resize(n);
  if (!decode_ints(in, kTypeU32, n, 1, codes->data())) return false;
  *total = 0;
  for (const std::uint64_t code : *codes) *total += code == 0 ? 0 : code - 1;  // n and codes are small: no overflow
  return *total <= kMaxPayload;
}

void cut_strings(const std::vector<std::uint64_t>& codes, const std::uint8_t* bytes, std::string_view* out) {
  const auto* p = bytes != nullptr ? reinterpret_cast<const char*>(bytes) : "";
  for (const std::uint64_t code : codes) {
    if (code == 0) {
      *out++ = std::string_view();
      continue;
    }
    *out++ = std::string_view(p, code - 1);
    p += code - 1;
  }
}

void append_bytes(const StringSource& source, std::size_t total, ByteBuffer& out) {
  std::uint8_t* p = out.grow(total);
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    const std::size_t n = s.bytes();
    copy_short(p, s.data, n);
    p += n;
  }
}

}  // namespace steno::format
