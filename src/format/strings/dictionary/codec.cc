// string dictionary: the distinct strings once, as a column of strings, then an index a value (file.md §9.3).
#include <bit>

#include "base/scratch.h"
#include "format/codec_trial.h"
#include "format/ints/column.h"
#include "format/known_columns.h"
#include "format/rows.h"
#include "format/strings/codec.h"
#include "format/strings/index.h"

namespace steno::format {

namespace {

// Facts about the last columns of one argument, or of one part of it.
struct KnownDictionary {
  Patience patience;
  CodecTrial by_frequency;

  void forget() {
    patience.forget();
    by_frequency.forget();
  }
};

struct Dictionaries {
  KnownColumns<KnownDictionary, 256> known;
  StringIndex index;
  std::vector<std::uint32_t> indices;  // of the column under way
};

// Values after which repetition is looked at, then four times as many, and so on.
constexpr std::size_t kFirstCheck = 64;
constexpr std::size_t kShortFirstCheck = 16;  // in columns shorter than that
// Entropy codes tell small indices apart best, so that it may pay to give the frequent strings these.
constexpr std::size_t kLeastSorted = 32;   // distinct strings
constexpr std::size_t kLeastRepeated = 4;  // times that each comes, on average

// Returns whether the repetitions among the first `seen` values promise enough. Few values of a small set repeat little
// (birthdays), so early on a single one is a sign; later there must be a real share of them.
bool repeats_enough(std::size_t seen, std::size_t distinct) {
  const std::size_t repeats = seen - distinct;
  if (seen <= 64) return repeats >= 1;
  if (seen <= 256) return repeats * 32 >= seen;
  return repeats * (seen <= 1024 ? 8 : 3) >= seen;
}

bool collect(const StringSource& source, Dictionaries& own, std::size_t* raw_bytes) {
  StringIndex& index = own.index;
  index.clear(source.count);
  own.indices.resize(source.count);
  std::size_t check = source.count < kFirstCheck ? kShortFirstCheck : kFirstCheck;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    const std::uint32_t number = index.add(s);
    if (number == StringIndex::kGiveUp) return false;
    own.indices[i] = number;
    *raw_bytes += s.bytes();
    if (i + 1 != check) continue;
    if (!repeats_enough(check, index.distinct().size())) return false;
    check *= 4;
  }
  return true;
}

// Returns whether the distinct strings and their indices take no more bytes than the strings.
bool pays(const StringSource& source, Dictionaries& own) {
  std::size_t raw_bytes = 0;
  if (!collect(source, own, &raw_bytes)) return false;
  const std::vector<StringRef>& strings = own.index.distinct();
  const std::size_t distinct = strings.size();
  std::size_t distinct_bytes = 2 * distinct;
  for (const StringRef& s : strings) distinct_bytes += s.bytes();
  return distinct_bytes + source.count * static_cast<std::size_t>(std::bit_width(distinct)) / 8 <= raw_bytes;
}

void append_dictionary(const Dictionaries& own, const StringContext& context, ByteBuffer& out) {
  const std::vector<StringRef>& distinct = own.index.distinct();
  out.put_varint(distinct.size());
  encode_distinct_strings(StringSource::of(distinct), context.inside(CodecId::kStringDictionary).part(kDistinctPart),
                          out);
  encode_ints(IntSource::array(own.indices.data(), own.indices.size(), kTypeU32), IntHint::kOffsets, context.ints(),
              out);
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  if (source.count < 4) return false;
  auto& own = context.memory->of<Dictionaries>();
  KnownDictionary& known = own.known.of(context.column);
  if (!known.patience.is_due()) return false;
  if (!pays(source, own)) {
    known.patience.failed();
    return false;
  }
  known.patience.worked();
  const std::size_t distinct = own.index.distinct().size();
  TrialUse sorted = TrialUse::kNo;
  if (distinct >= kLeastSorted && distinct * kLeastRepeated <= source.count && !context.ints().quick)
    sorted = known.by_frequency.next(source.count, true);
  if (sorted == TrialUse::kFirst) own.index.sort_by_frequency(&own.indices);
  const std::size_t start = out.size();
  append_dictionary(own, context, out);
  if (sorted != TrialUse::kCompare) return true;
  const auto append_sorted = [&] {
    own.index.sort_by_frequency(&own.indices);
    append_dictionary(own, context, out);
    return true;
  };
  known.by_frequency.compare(start, 64, append_sorted, out);
  return true;
}

bool open(OpenedColumn* column) {
  column->inner = column->body;
  column->inner_rows = column->inner.get_varint();
  const std::size_t most = column->rows != kUnknownRows ? column->rows : kMaxRecords;
  return column->inner.ok() && column->inner_rows != 0 && column->inner_rows <= most;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  const std::uint64_t distinct = in.get_varint();
  if (distinct == 0 || distinct > n) return false;
  Scratch::Array<std::string_view> values(Scratch::of_thread(), distinct);
  Scratch::Array<std::uint64_t> indices(Scratch::of_thread(), n);
  if (!decode_strings(in, distinct, place.inside(CodecId::kStringDictionary), arena, values.data())) return false;
  if (!decode_ints(in, kTypeU32, n, 1, indices.data())) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (indices[i] >= distinct) return false;
    out[i] = values[indices[i]];
  }
  return true;
}

}  // namespace

const StringCodec kStringDictionaryCodec{.id = CodecId::kStringDictionary,
                                         .name = "string_dictionary",
                                         .may_be_within = kAnywhere & ~within_bit(CodecId::kStringDictionary),
                                         .form = ColumnForm::kDistinct,
                                         .encode = encode,
                                         .decode = decode,
                                         .open = open};

}  // namespace steno::format
