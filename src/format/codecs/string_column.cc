#include <algorithm>

#include "format/block.h"
#include "format/codecs/int_column.h"
#include "format/codecs/string_codec.h"
#include "format/codecs/string_hex.h"
#include "format/codecs/string_lists.h"
#include "format/codecs/string_paths.h"
#include "format/codecs/string_runs.h"
#include "format/codecs/string_shapes.h"
#include "format/codecs/string_shared.h"
#include "format/codecs/string_templates.h"
#include "format/codecs/string_words.h"
#include "format/codecs/string_zstd.h"

namespace steno::format {
namespace {

constexpr const StringCodec* kCodecs[] = {
    &kConstantStringCodec, &kStringDictionaryCodec, &kSharedStringCodec, &kShapedStringCodec, &kTemplateStringCodec,
    &kHexStringCodec,      &kListStringCodec,       &kStringRunsCodec,   &kWordStringCodec,   &kZstdStringCodec,
    &kSymbolStringCodec,   &kLetterStringCodec,     &kRawStringCodec};

// How many strings are looked at to see whether they repeat, before anything is tried.
constexpr std::size_t kRepeatSample = 16;
constexpr std::size_t kLengthBits = 4;  // of a short string, about

// Few distinct strings among some that lie far apart: a dictionary will do.
bool repeats_much(const StringSource& source) {
  if (source.count < 2 * kRepeatSample) return true;
  std::string_view sample[kRepeatSample];
  for (std::size_t k = 0; k < kRepeatSample; ++k) {
    sample[k] = source.at(source.count * k / kRepeatSample).view();
  }
  std::sort(std::begin(sample), std::end(sample));
  const auto distinct = std::unique(std::begin(sample), std::end(sample)) - std::begin(sample);
  return static_cast<std::size_t>(distinct) <= kRepeatSample / 2;
}

bool try_codec(const StringCodec& codec, const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  const std::size_t start = out.size();
  if (append_column(codec, source, scratch, out)) return true;
  out.truncate(start);
  return false;
}

void encode_bytes(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  if (scratch.quick) {
    scratch.left_out = true;
    try_codec(kRawStringCodec, source, scratch, out);
    return;
  }
  const TrialUse words = word_use(source, scratch);
  if (words == TrialUse::kFirst && try_codec(kWordStringCodec, source, scratch, out)) return;
  const TrialUse zstd = zstd_use(source, scratch);
  if (zstd == TrialUse::kFirst && try_codec(kZstdStringCodec, source, scratch, out)) return;
  const std::size_t start = out.size();
  for (const StringCodec* codec : {&kSymbolStringCodec, &kLetterStringCodec, &kRawStringCodec}) {
    if (try_codec(*codec, source, scratch, out)) break;
  }
  if (words == TrialUse::kCompare) compare_with_words(source, scratch, start, out);
  if (zstd == TrialUse::kCompare) compare_with_zstd(source, scratch, start, out);
}

bool try_shapes(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  scratch.within |= kWithinShapes;
  const bool done = try_codec(kShapedStringCodec, source, scratch, out);
  scratch.within &= ~kWithinShapes;
  return done;
}

bool try_shared(const StringSource& source, ShapeFit fit, StringScratch& scratch, ByteBuffer& out) {
  if (scratch.shared == nullptr) return false;
  scratch.bits = fit == ShapeFit::kNone ? sampled_bits(source) + kLengthBits : shaped_bits(scratch);
  return scratch.shared->is_due(scratch.bits) && try_codec(kSharedStringCodec, source, scratch, out);
}

bool try_dictionary(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  scratch.within |= kWithinDictionary;
  const bool done = try_codec(kStringDictionaryCodec, source, scratch, out);
  scratch.within &= ~kWithinDictionary;
  return done;
}

}  // namespace

bool append_column(const StringCodec& codec, const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  out.put(static_cast<std::uint8_t>(codec.id));
  return codec.encode(source, scratch, out);
}

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

namespace {

// By other codecs than constant, list, hexadecimal and template strings, and runs.
void encode_varying(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  // Where strings repeat, shapes are only looked for if a dictionary does not do.
  const bool repeats = repeats_much(source);
  const ShapeFit fit = repeats ? ShapeFit::kTexts : find_shapes(source, scratch);
  if (try_shared(source, repeats ? ShapeFit::kNone : fit, scratch, out)) return;
  if (fit == ShapeFit::kNumbers && try_shapes(source, scratch, out)) return;
  if (try_dictionary(source, scratch, out)) return;
  // Once more: the dictionary may have looked for the shapes of its distinct strings meanwhile.
  const bool left = fit == ShapeFit::kTexts && find_shapes(source, scratch) != ShapeFit::kNone;
  if (left && try_shapes(source, scratch, out)) return;
  encode_bytes(source, scratch, out);
}

// By other codecs than constant and list strings. `compared`: with those, so that it is about the smallest of all.
void encode_whole(const StringSource& source, bool compared, StringScratch& scratch, ByteBuffer& out) {
  const TrialUse hex = hex_use(source, scratch);
  if (hex == TrialUse::kFirst && try_codec(kHexStringCodec, source, scratch, out)) return;
  const TrialUse templates = template_use(source, compared, scratch);
  if (templates == TrialUse::kFirst && try_codec(kTemplateStringCodec, source, scratch, out)) return;
  const TrialUse paths = path_use(source, scratch);
  if (paths == TrialUse::kFirst && append_paths(source, scratch, out)) return;
  const TrialUse runs = runs_use(source, scratch);
  if (runs == TrialUse::kFirst && try_codec(kStringRunsCodec, source, scratch, out)) return;
  const std::size_t start = out.size();
  encode_varying(source, scratch, out);
  if (runs == TrialUse::kCompare) compare_with_runs(source, scratch, start, out);
  if (paths == TrialUse::kCompare) compare_with_paths(source, scratch, start, out);
  if (templates == TrialUse::kCompare) compare_with_templates(source, scratch, start, out);
  if (hex == TrialUse::kCompare) compare_with_hex(source, scratch, start, out);
}

}  // namespace

void encode_strings(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  if (try_codec(kConstantStringCodec, source, scratch, out)) return;
  const TrialUse lists = list_use(source, scratch);
  if (lists == TrialUse::kFirst && try_codec(kListStringCodec, source, scratch, out)) return;
  const std::size_t start = out.size();
  encode_whole(source, lists == TrialUse::kCompare, scratch, out);
  if (lists == TrialUse::kCompare) compare_with_lists(source, scratch, start, out);
}

std::size_t sampled_bits(const StringSource& source) {
  const std::size_t sampled = std::min(source.count, kRepeatSample);
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < sampled; ++k) bytes += source.at(source.count * k / sampled).bytes();
  return 8 * bytes / sampled;
}

void encode_plain_strings(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  if (try_codec(kConstantStringCodec, source, scratch, out)) return;
  if ((scratch.within & kWithinDictionary) == 0 && try_dictionary(source, scratch, out)) return;
  encode_bytes(source, scratch, out);
}

void encode_distinct_strings(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  const bool shapes = (scratch.within & kWithinShapes) == 0 && find_shapes(source, scratch) != ShapeFit::kNone;
  if (shapes && try_shapes(source, scratch, out)) return;
  encode_bytes(source, scratch, out);
}

bool decode_strings(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena,
                    std::string_view* out) {
  const StringCodec* codec = find_string_codec(in.get<std::uint8_t>());
  return codec != nullptr && in.ok() && codec->decode(in, n, place, arena, out) && in.ok();
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

bool decode_lengths(ByteReader& in, std::span<std::uint64_t> codes, std::size_t* total) {
  if (!decode_ints(in, kTypeU32, codes.size(), 1, codes.data())) return false;
  *total = 0;
  for (const std::uint64_t code : codes) *total += code == 0 ? 0 : code - 1;  // n and codes are small: no overflow
  return *total <= kMaxPayload;
}

namespace {

constexpr char kEmptyString[kStringSlack] = {};

}  // namespace

void cut_strings(std::span<const std::uint64_t> codes, const std::uint8_t* bytes, StringArena* arena,
                 std::string_view* out) {
  const auto* p = bytes != nullptr ? reinterpret_cast<const char*>(bytes) : kEmptyString;
  StringFacts facts;
  std::uint64_t greatest = 1;
  for (const std::uint64_t code : codes) {
    if (code == 0) {
      facts.has_null = true;
      *out++ = std::string_view();
      continue;
    }
    greatest = std::max(greatest, code);
    *out++ = std::string_view(p, code - 1);
    p += code - 1;
  }
  facts.longest = static_cast<std::uint32_t>(greatest - 1);
  arena->add(facts);
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
