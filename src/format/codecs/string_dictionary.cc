// string dictionary: the distinct strings once, as a column of strings, then an index a value (file.md §9.3).
#include <algorithm>
#include <bit>
#include <numeric>

#include "base/scratch.h"
#include "format/codecs/codec_trial.h"
#include "format/codecs/int_column.h"
#include "format/codecs/known_columns.h"
#include "format/codecs/string_codec.h"
#include "format/codecs/string_hash.h"

namespace steno::format {

namespace {

// What is known of the last columns of one argument, or of one part of it.
struct KnownDictionary {
  Patience patience;
  CodecTrial by_frequency;

  void forget() {
    patience.forget();
    by_frequency.forget();
  }
};

}  // namespace

struct StringScratch::Dictionaries {
  KnownColumns<KnownDictionary, 256> known;
  std::vector<StringBlocks> blocks;   // of the distinct strings
  std::vector<std::uint32_t> counts;  // of each of them
  std::vector<std::uint32_t> order;
  std::vector<StringRef> sorted;
};

namespace {

// Values after which repetition is looked at, then four times as many, and so on.
constexpr std::size_t kFirstCheck = 64;
constexpr std::size_t kShortFirstCheck = 16;  // in columns shorter than that
constexpr std::size_t kLeastSlots = 64;
constexpr std::uint32_t kGiveUp = UINT32_MAX;
// Entropy codes tell small indices apart best, so that it may pay to give the frequent strings these.
constexpr std::size_t kLeastSorted = 32;   // distinct strings
constexpr std::size_t kLeastRepeated = 4;  // times that each comes, on average

// A slot: the upper half of a hash, then index + 1.
void grow(StringScratch& scratch) {
  std::vector<std::uint64_t> old;
  old.swap(scratch.slots);
  scratch.slots.assign(old.size() * 4, 0);
  const std::size_t mask = scratch.slots.size() - 1;
  for (const std::uint64_t entry : old) {
    if (entry == 0) continue;
    const std::size_t index = static_cast<std::uint32_t>(entry) - 1;
    std::size_t slot = hash_of(scratch.distinct[index], scratch.dictionaries->blocks[index]) & mask;
    while (scratch.slots[slot] != 0) slot = (slot + 1) & mask;
    scratch.slots[slot] = entry;
  }
}

std::uint32_t index_of(const StringRef& s, StringScratch& scratch) {
  const StringBlocks blocks(s);
  const std::uint64_t hash = hash_of(s, blocks);
  const std::uint64_t upper = hash >> 32 << 32;
  std::size_t mask = scratch.slots.size() - 1;
  std::size_t slot = hash & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    const std::uint64_t entry = scratch.slots[slot];
    if (entry == 0) {
      scratch.distinct.push_back(s);
      scratch.dictionaries->blocks.push_back(blocks);
      scratch.slots[slot] = upper | scratch.distinct.size();
      if (scratch.distinct.size() * 2 > scratch.slots.size()) grow(scratch);
      return static_cast<std::uint32_t>(scratch.distinct.size() - 1);
    }
    if ((entry ^ upper) >> 32 != 0) continue;
    const auto index = static_cast<std::uint32_t>(entry) - 1;
    if (same_string(s, blocks, scratch.distinct[index], scratch.dictionaries->blocks[index])) return index;
  }
  return kGiveUp;
}

// Whether the repetitions among the first `seen` values promise enough. Few values of a small set repeat little
// (birthdays), so early on a single one is a sign; later there must be a real share of them.
bool repeats_enough(std::size_t seen, std::size_t distinct) {
  const std::size_t repeats = seen - distinct;
  if (seen <= 64) return repeats >= 1;
  if (seen <= 256) return repeats * 32 >= seen;
  return repeats * (seen <= 1024 ? 8 : 3) >= seen;
}

bool collect(const StringSource& source, StringScratch& scratch, std::size_t* raw_bytes) {
  scratch.distinct.clear();
  scratch.dictionaries->blocks.clear();
  scratch.slots.assign(std::max(kLeastSlots, std::bit_ceil(std::min<std::size_t>(source.count * 2, 512))), 0);
  scratch.indices.resize(source.count);
  std::size_t check = source.count < kFirstCheck ? kShortFirstCheck : kFirstCheck;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    const std::uint32_t index = index_of(s, scratch);
    if (index == kGiveUp) return false;
    scratch.indices[i] = index;
    *raw_bytes += s.bytes();
    if (i + 1 != check) continue;
    if (!repeats_enough(check, scratch.distinct.size())) return false;
    check *= 4;
  }
  return true;
}

// Whether the distinct strings and their indices are less than the strings.
bool pays(const StringSource& source, StringScratch& scratch) {
  std::size_t raw_bytes = 0;
  if (!collect(source, scratch, &raw_bytes)) return false;
  const std::size_t distinct = scratch.distinct.size();
  std::size_t distinct_bytes = 2 * distinct;
  for (const StringRef& s : scratch.distinct) distinct_bytes += s.bytes();
  return distinct_bytes + source.count * static_cast<std::size_t>(std::bit_width(distinct)) / 8 <= raw_bytes;
}

// In the order of their frequency; those that are equal stay in their order.
void sort_by_frequency(StringScratch& scratch) {
  StringScratch::Dictionaries& own = *scratch.dictionaries;
  const std::size_t distinct = scratch.distinct.size();
  own.counts.assign(distinct, 0);
  for (const std::uint32_t index : scratch.indices) ++own.counts[index];
  own.order.resize(distinct);
  std::iota(own.order.begin(), own.order.end(), 0u);
  std::stable_sort(own.order.begin(), own.order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return own.counts[a] > own.counts[b]; });
  own.sorted.clear();
  for (std::size_t i = 0; i < distinct; ++i) {
    own.sorted.push_back(scratch.distinct[own.order[i]]);
    own.counts[own.order[i]] = static_cast<std::uint32_t>(i);  // from here on: where each is now
  }
  scratch.distinct.swap(own.sorted);
  for (std::uint32_t& index : scratch.indices) index = own.counts[index];
}

void append_dictionary(StringScratch& scratch, ByteBuffer& out) {
  out.put_varint(scratch.distinct.size());
  {
    const ColumnPart part(scratch, kDistinctPart);
    encode_distinct_strings(StringSource::of(scratch.distinct), scratch, out);
  }
  encode_ints(IntSource::array(scratch.indices.data(), scratch.indices.size(), kTypeU32), IntHint::kOffsets,
              *scratch.ints, out);
}

bool encode(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  if (source.count < 4) return false;
  if (scratch.dictionaries == nullptr) scratch.dictionaries = std::make_shared<StringScratch::Dictionaries>();
  KnownDictionary& known = scratch.dictionaries->known.of(scratch.column);
  if (!known.patience.is_due()) return false;
  if (!pays(source, scratch)) {
    known.patience.failed();
    return false;
  }
  known.patience.worked();
  const std::size_t distinct = scratch.distinct.size();
  TrialUse sorted = TrialUse::kNo;
  if (distinct >= kLeastSorted && distinct * kLeastRepeated <= source.count && !scratch.ints->quick)
    sorted = known.by_frequency.next(true);
  if (sorted == TrialUse::kFirst) sort_by_frequency(scratch);
  const std::size_t start = out.size();
  append_dictionary(scratch, out);
  if (sorted != TrialUse::kCompare) return true;
  const auto append_sorted = [&] {
    sort_by_frequency(scratch);
    append_dictionary(scratch, out);
    return true;
  };
  const auto good_enough = [](std::size_t size, std::size_t other) { return size + size / 64 <= other; };
  known.by_frequency.compare(start, append_sorted, good_enough, out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  const std::uint64_t distinct = in.get_varint();
  if ((place.within & kWithinDictionary) != 0 || distinct == 0 || distinct > n) return false;
  Scratch::Array<std::string_view> values(Scratch::of_thread(), distinct);
  Scratch::Array<std::uint64_t> indices(Scratch::of_thread(), n);
  if (!decode_strings(in, distinct, place.inside(kWithinDictionary), arena, values.data())) return false;
  if (!decode_ints(in, kTypeU32, n, 1, indices.data())) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (indices[i] >= distinct) return false;
    out[i] = values[indices[i]];
  }
  return true;
}

}  // namespace

const StringCodec kStringDictionaryCodec{CodecId::kStringDictionary, "string_dictionary", encode, decode};

}  // namespace steno::format
