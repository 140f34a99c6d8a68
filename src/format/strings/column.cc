#include <algorithm>
#include <array>

#include "base/scratch.h"
#include "format/block.h"
#include "format/ints/column.h"
#include "format/strings/codec.h"
#include "format/strings/shapes/words.h"
#include "format/strings/shapes/write.h"
#include "format/strings/shared/codec.h"
#include "format/without.h"

namespace steno::format {
namespace {

// All codecs, those of a stage in the order in which they are asked.
constexpr const StringCodec* kCodecs[] = {
#define STENO_STRING_CODEC(id, number, descriptor) &descriptor,
#define STENO_STRING_WRITER(descriptor) &descriptor,
#include "format/strings/codecs.inc"
};

// How many strings are looked at to see whether they repeat, before anything is tried.
constexpr std::size_t kRepeatSample = 16;

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

// Appends the column by this codec, or nothing.
bool try_codec(const StringCodec& codec, const StringSource& source, const StringContext& context, ByteBuffer& out) {
  if (!codec.may_lie(context.within) || is_left_out(codec.name)) return false;
  const std::size_t start = out.size();
  out.put(static_cast<std::uint8_t>(codec.id));
  if (codec.encode(source, context, out)) return true;
  out.truncate(start);
  return false;
}

TrialUse use_of(const StringCodec& codec, const StringSource& source, const StringContext& context) {
  const StringTrial& trial = codec.trial;
  if (is_left_out(codec.name)) return TrialUse::kNo;
  if (trial.is_wanted != nullptr && trial.is_wanted(context)) return TrialUse::kFirst;
  if (context.column == 0 || !codec.may_lie(context.within) || source.count < trial.least_strings) return TrialUse::kNo;
  if (trial.least_length != 0 && sampled_bits(source) < 8 * trial.least_length) return TrialUse::kNo;
  if (trial.fits != nullptr && !trial.fits(source, context)) return TrialUse::kNo;
  CodecTrial& known = trial.known(context);
  const bool may_compare = trial.brisk ? !context.quick : !context.ints().quick;
  const TrialUse use =
      trial.takes_long ? use_in_time(known, source.count, context) : known.next(source.count, may_compare);
  const bool with_others = trial.with_others && context.compared && !context.quick;
  return use == TrialUse::kNo && with_others ? TrialUse::kCompare : use;
}

// `out` holds the column from `start` on, by another codec. Replaces that by this one if it is so much smaller.
void compare_with(const StringCodec& codec, const StringSource& source, const StringContext& context, std::size_t start,
                  ByteBuffer& out) {
  const StringTrial& trial = codec.trial;
  const std::size_t size = out.size() - start;
  if (size < trial.least_bytes) return;
  if (trial.prepare != nullptr) trial.prepare(source, size, context, out);
  const auto append = [&] { return try_codec(codec, source, context, out); };
  CodecTrial& known = trial.known(context);
  if (trial.waits) {
    known.compare_in_time(start, trial.share, append, out);
  } else {
    known.compare(start, trial.share, append, out);
  }
}

// Appends the column by a codec of the stage, if one takes it; else by those after it, others(compared), and compares
// that with the codecs of the stage that are to be looked at.
template <class Others>
void encode_by_trials(CodecStage stage, const StringSource& source, const StringContext& context, const Others& others,
                      ByteBuffer& out) {
  std::array<const StringCodec*, std::size(kCodecs)> looked_at;
  std::size_t count = 0;
  for (const StringCodec* codec : kCodecs) {
    if (codec->trial.stage != stage) continue;
    const TrialUse use = use_of(*codec, source, context);
    if (use == TrialUse::kFirst && try_codec(*codec, source, context, out)) return;
    if (use == TrialUse::kCompare) looked_at[count++] = codec;
  }
  const std::size_t start = out.size();
  others(count != 0);
  // Codecs of wholes that were asked last are compared first.
  if (stage == CodecStage::kWholes) std::reverse(looked_at.begin(), looked_at.begin() + count);
  for (std::size_t k = 0; k < count; ++k) compare_with(*looked_at[k], source, context, start, out);
}

// Encodes strings as texts: whatever they have in common is in their bytes.
void encode_texts(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  if (context.quick) {
    context.memory->left_out = true;
    try_codec(kRawStringCodec, source, context, out);
    return;
  }
  const auto others = [&](bool) {
    for (const StringCodec* codec : kCodecs) {
      if (codec->trial.stage == CodecStage::kLast && try_codec(*codec, source, context, out)) break;
    }
  };
  encode_by_trials(CodecStage::kTexts, source, context, others, out);
}

bool try_shared(const StringSource& source, ShapeFit fit, StringContext context, ByteBuffer& out) {
  if (context.shared == nullptr) return false;
  context.bits = fit == ShapeFit::kNone ? sampled_bits(source) + kLengthBits : shaped_bits(context);
  return context.shared->is_due(context.bits) && try_codec(kSharedStringCodec, source, context, out);
}

// By shared strings, shapes, a dictionary, or as texts.
void encode_varying(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  // Where strings repeat, shapes are only looked for if a dictionary does not do.
  const bool repeats = repeats_much(source);
  const ShapeFit fit = repeats ? ShapeFit::kTexts : find_shapes(source, context);
  if (try_shared(source, repeats ? ShapeFit::kNone : fit, context, out)) return;
  if (fit == ShapeFit::kNumbers && try_codec(kShapedStringCodec, source, context, out)) return;
  if (try_codec(kStringDictionaryCodec, source, context, out)) return;
  // Once more: the dictionary may have looked for the shapes of its distinct strings meanwhile.
  const bool left = fit == ShapeFit::kTexts && find_shapes(source, context) != ShapeFit::kNone;
  if (left && try_codec(kShapedStringCodec, source, context, out)) return;
  encode_texts(source, context, out);
}

}  // namespace

const StringCodec* find_string_codec(std::uint8_t id) {
  for (const StringCodec* codec : kCodecs) {
    if (static_cast<std::uint8_t>(codec->id) == id) return codec->decode != nullptr ? codec : nullptr;
  }
  return nullptr;
}

const StringCodec* open_string_codec(ByteReader& in, unsigned within) {
  const StringCodec* const codec = find_string_codec(in.get<std::uint8_t>());
  return codec != nullptr && codec->may_lie(within) && in.ok() ? codec : nullptr;
}

bool open_column(ByteReader in, std::size_t rows, unsigned within, OpenedColumn* column) {
  column->codec = open_string_codec(in, within);
  if (column->codec == nullptr) return false;
  column->rows = rows;
  column->within = within;
  column->body = in;
  column->inner_rows = 0;
  return column->codec->open == nullptr || column->codec->open(column);
}

std::size_t most_string_bytes(const OpenedColumn& column) {
  OpenedColumn inner;
  if (column.codec->most_bytes != nullptr) return column.codec->most_bytes(column);
  if (column.inner_rows == 0 || !open_column(column.inner, column.inner_rows, column.inside(), &inner))
    return kMaxPayload;
  return most_string_bytes(inner);
}

void encode_strings(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  if (try_codec(kConstantStringCodec, source, context, out)) return;
  const auto wholes = [&](bool compared) {
    StringContext inner = context;
    inner.compared = compared;
    const auto varying = [&](bool) { encode_varying(source, context, out); };
    encode_by_trials(CodecStage::kWholes, source, inner, varying, out);
  };
  encode_by_trials(CodecStage::kLists, source, context, wholes, out);
}

std::size_t sampled_bits(const StringSource& source) {
  const std::size_t sampled = std::min(source.count, kRepeatSample);
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < sampled; ++k) bytes += source.at(source.count * k / sampled).bytes();
  return 8 * bytes / sampled;
}

void encode_plain_strings(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  if (try_codec(kConstantStringCodec, source, context, out)) return;
  if (try_codec(kStringDictionaryCodec, source, context, out)) return;
  encode_texts(source, context, out);
}

void encode_distinct_strings(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  const bool shapes = kShapedStringCodec.may_lie(context.within) && find_shapes(source, context) != ShapeFit::kNone;
  if (shapes && try_codec(kShapedStringCodec, source, context, out)) return;
  encode_texts(source, context, out);
}

bool decode_strings(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena,
                    std::string_view* out) {
  const StringCodec* codec = open_string_codec(in, place.within);
  return codec != nullptr && codec->decode(in, n, place, arena, out) && in.ok();
}

std::size_t encode_lengths(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  std::vector<std::uint32_t>& lengths = context.memory->lengths;
  lengths.resize(source.count);
  std::size_t total = 0;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    lengths[i] = s.code();
    total += s.bytes();
  }
  encode_ints(IntSource::array(lengths.data(), source.count, kTypeU32), IntHint::kOffsets, context.ints(), out);
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

bool cut_text(ByteReader& in, std::size_t n, StringArena* arena, std::string_view* out) {
  Scratch::Array<std::uint64_t> lengths(Scratch::of_thread(), n);
  std::size_t bytes = 0;
  if (!decode_lengths(in, lengths.span(), &bytes) || bytes != arena->size()) return false;
  cut_strings(lengths.span(), arena->data(), arena, out);
  return true;
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
