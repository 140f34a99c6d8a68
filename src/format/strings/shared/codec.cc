// shared strings: numbers of strings in a dictionary of the session, then the strings that are not in it (file.md §9.3,
// §12).
#include "format/strings/shared/codec.h"

#include <algorithm>
#include <bit>

#include "format/ints/column.h"
#include "format/strings/hash.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastSlots = 64;
constexpr std::size_t kLeastFree = 4;  // slots for each entry: what comes once should find a free one at once
constexpr std::size_t kMostSeen = std::size_t{1} << 14;
constexpr std::size_t kMostEntries = kMaxSharedStrings - 1;
constexpr std::size_t kMostStored = kMaxSharedBytes / 2;
constexpr std::size_t kLeastBits = 12;   // a string that takes fewer otherwise is left alone
constexpr std::size_t kLeastShare = 8;   // one value in so many must be found: what it would cost else is an estimate
constexpr std::size_t kColumnBits = 96;  // what a column takes besides its strings, about
constexpr std::size_t kBatch = 32;       // lookups under way at a time, so that they wait for memory together
constexpr unsigned kMostPatience = 64;   // columns between two tries, at most
constexpr unsigned kEagerTries = 4;      // failures until tries become rare
// The new strings of a dictionary may take so many bits more than it has saved in a stretch.
constexpr std::int64_t kCredit = std::int64_t{8} << 17;

std::uint32_t upper_half(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

// The entry that a slot has; 0: it is free.
std::uint32_t entry_in(std::uint64_t slot) {
  return static_cast<std::uint32_t>(slot);
}

}  // namespace

StringRef StringStore::add(const StringRef& s) {
  static constexpr std::uint8_t kNothing[32] = {};
  const std::size_t n = s.bytes();
  if (n == 0) return {kNothing + 16, s.size};
  if (kChunk - used_ < n) {
    chunks_.push_back(std::make_unique<std::uint8_t[]>(kChunk));
    used_ = 16;
  }
  std::uint8_t* to = chunks_.back().get() + used_;
  std::memcpy(to, s.data, n);
  used_ += n;
  bytes_ += n;
  return {to, s.size};
}

void StringStore::clear() {
  chunks_.clear();
  used_ = kChunk;
  bytes_ = 0;
}

bool SharedColumn::is_due(std::size_t bits) {
  return bits >= kLeastBits && ++columns_ >= due_;
}

void SharedColumn::insert(std::uint64_t hash, std::uint32_t entry) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0) slot = (slot + 1) & mask;
  slots_[slot] = std::uint64_t{upper_half(hash)} << 32 | entry;
}

void SharedColumn::rebuild(std::size_t slots) {
  slots_.assign(slots, 0);
  for (std::uint32_t i = 1; i < entries_.size(); ++i) insert(hash_of(entries_[i].string, blocks_[i]), i);
}

// Returns whether a string with this hash came before; from now on it did.
inline bool SharedColumn::is_known(std::uint64_t hash) {
  std::uint32_t& seen = seen_[(hash >> 8) & (seen_.size() - 1)];
  const std::uint32_t mark = upper_half(hash) | 1;
  return std::exchange(seen, mark) == mark;
}

void SharedColumn::clear_entries() {
  static constexpr std::uint8_t kNothing[StringBlocks::kBlock] = {};
  constexpr std::uint32_t kNoSize = kNullString - 1;  // no string has it
  entries_.assign(1, {{kNothing, kNoSize}, 0});
  blocks_.assign(1, StringBlocks({kNothing + sizeof kNothing, 0}));
}

std::uint32_t SharedColumn::add_entry(const StringRef& s, const StringBlocks& blocks) {
  entries_.push_back({store_.add(s), 0});
  blocks_.push_back(blocks);
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

// The entry of a string, a new one if it came before and there is room; else 0.
std::uint32_t SharedColumn::find(const StringRef& s, const StringBlocks& blocks, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    const std::uint64_t taken = slots_[slot];
    if (taken == 0) {
      if (full_ || s.bytes() > StringStore::kLongest || !is_known(hash)) return 0;
      const std::uint32_t entry = add_entry(s, blocks);
      slots_[slot] = std::uint64_t{upper_half(hash)} << 32 | entry;
      full_ = entries_.size() > kMostEntries || store_.bytes() >= kMostStored;
      if (entries_.size() * kLeastFree > slots_.size()) rebuild(slots_.size() * 4);
      return entry;
    }
    if (taken >> 32 != upper_half(hash)) continue;
    const std::uint32_t entry = entry_in(taken);
    if (same_string(s, blocks, entries_[entry].string, blocks_[entry])) return entry;
  }
  return 0;
}

// The code of an entry, a new one if it has none.
std::uint32_t SharedColumn::code_of(std::uint32_t entry) {
  Entry& e = entries_[entry];
  if (e.code == 0) {
    fresh_.push_back(entry);
    fresh_bytes_ += e.string.bytes() + 1;
    e.code = written_ + static_cast<std::uint32_t>(fresh_.size());
  }
  return e.code;
}

struct SharedColumn::Batch {
  StringRef strings[kBatch];
  StringBlocks blocks[kBatch];  // of short strings the first one only
  std::uint64_t hashes[kBatch];
  std::uint32_t entries[kBatch];
  std::uint32_t missed[kBatch];  // of them, those that have no code yet

  // Returns whether all are short: 16 bytes at most. The last batch is filled up with its last string.
  bool load(const StringSource& source, std::size_t first) {
    std::uint32_t longest = 0;
    for (std::size_t k = 0; k < kBatch; ++k) {
      strings[k] = source.at(std::min(first + k, source.count - 1));
      longest = std::max(longest, strings[k].size);
    }
    return longest <= StringBlocks::kBlock;
  }
};

// Gives those strings their codes that are in the table, where their hash says, and have one: most. Returns how many
// others there are. Its loops have no branch to guess.
template <bool kShort>
std::size_t SharedColumn::look_up(Batch& batch, std::uint32_t* codes) const {
  const std::uint64_t* const slots = slots_.data();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < kBatch; ++k) {
    if constexpr (kShort) {
      batch.blocks[k].blocks[0] = StringBlocks::only_of(batch.strings[k]);
      batch.hashes[k] = short_hash_of(batch.strings[k], batch.blocks[k].blocks[0]);
    } else {
      batch.blocks[k] = StringBlocks(batch.strings[k]);
      batch.hashes[k] = hash_of(batch.strings[k], batch.blocks[k]);
    }
    __builtin_prefetch(&slots[batch.hashes[k] & mask]);
  }
  const Entry* const entries = entries_.data();
  const StringBlocks* const known = blocks_.data();
  for (std::size_t k = 0; k < kBatch; ++k) {
    batch.entries[k] = entry_in(slots[batch.hashes[k] & mask]);
    __builtin_prefetch(entries + batch.entries[k]);
    __builtin_prefetch(known + batch.entries[k]);
  }
  std::size_t misses = 0;
  for (std::size_t k = 0; k < kBatch; ++k) {
    const StringRef& s = batch.strings[k];
    const Entry& entry = entries[batch.entries[k]];
    const StringBlocks& blocks = known[batch.entries[k]];
    std::uint64_t differ = 0;
    if constexpr (kShort) {
      const auto [low, high] = words_of(batch.blocks[k].blocks[0] ^ blocks.blocks[0]);
      differ = low | high | (s.size ^ entry.string.size);
    } else {
      differ = difference(s, batch.blocks[k], entry.string, blocks);
      if (s.bytes() > StringBlocks::kWhole && differ == 0) differ = same_rest(s, entry.string) ? 0 : 1;
    }
    codes[k] = entry.code & static_cast<std::uint32_t>(all_ones_if(differ == 0));
    batch.missed[misses] = static_cast<std::uint32_t>(k);
    misses += codes[k] == 0 ? 1 : 0;
  }
  return misses;
}

// Gives all values their codes, and new entries theirs.
void SharedColumn::look_up(const StringSource& of) {
  const StringSource source = of;  // in registers, whatever is written meanwhile
  if (slots_.empty()) slots_.assign(kLeastSlots, 0);
  if (const std::size_t most = std::min(kMostSeen, std::bit_ceil(4 * source.count)); seen_.size() < most) {
    seen_.assign(most, 0);
  }
  fresh_.clear();
  fresh_bytes_ = 0;
  codes_.resize(round_up(source.count, kBatch));
  if (others_room_.size() < source.count) others_room_.resize(source.count);
  StringRef* others = others_room_.data();
  others_bytes_ = 0;
  Batch batch;
  for (std::size_t i = 0; i < source.count; i += kBatch) {
    std::uint32_t* const codes = codes_.data() + i;
    const bool are_short = batch.load(source, i);
    const std::size_t misses = are_short ? look_up<true>(batch, codes) : look_up<false>(batch, codes);
    std::size_t bytes = 0;
    for (std::size_t m = 0; m < misses; ++m) {
      const std::size_t k = batch.missed[m];
      if (i + k >= source.count) break;
      const StringRef& s = batch.strings[k];
      // Most of those come once: the slot is free.
      if (batch.entries[k] != 0 || is_known(batch.hashes[k])) {
        const StringBlocks blocks = are_short ? StringBlocks(s) : batch.blocks[k];
        if (const std::uint32_t entry = find(s, blocks, batch.hashes[k]); entry != 0) {
          codes[k] = code_of(entry);
          continue;
        }
      }
      *others++ = s;
      bytes += s.bytes();
    }
    others_bytes_ += bytes;
  }
  others_ = std::span(others_room_).first(static_cast<std::size_t>(others - others_room_.data()));
}

// Bits that the column takes, the new strings of the dictionary not counted.
std::size_t SharedColumn::bits_of_column(std::size_t count) const {
  const std::size_t greatest = written_ + fresh_.size();
  return kColumnBits + count * static_cast<std::size_t>(std::bit_width(greatest)) + 8 * others_bytes_ +
         4 * others_.size();
}

bool SharedColumn::encode(const StringSource& source, std::size_t bits, const StringContext& context, ByteBuffer& out) {
  look_up(source);
  const auto saved =
      static_cast<std::int64_t>(bits * source.count) - static_cast<std::int64_t>(bits_of_column(source.count));
  const std::int64_t balance = balance_ + saved - static_cast<std::int64_t>(2 * 8 * fresh_bytes_);  // written twice
  const bool few = (source.count - others_.size()) * kLeastShare < source.count;
  if (few || saved <= 0 || balance < -kCredit) {
    for (const std::uint32_t index : fresh_) entries_[index].code = 0;
    if (++failures_ >= kEagerTries) due_ = columns_ + std::min(kMostPatience, 1u << std::min(failures_, 16u));
    if (full_) restart();
    return false;
  }
  balance_ = balance;
  failures_ = 0;
  due_ = 0;
  if (dictionary_ == 0) dictionary_ = owner_->next_dictionary();
  if (!fresh_.empty()) append_part(context);
  out.put_varint(dictionary_);
  append_others(context, out);
  encode_ints(IntSource::array(codes_.data(), source.count, kTypeU32), IntHint::kOffsets, context.ints(), out);
  return true;
}

void SharedColumn::append_others(const StringContext& context, ByteBuffer& out) {
  out.put_varint(others_.size());
  if (others_.empty()) return;
  const std::span<const std::uint8_t> column = encode_apart(others_, kOthersPart, context);
  out.put_varint(column.size());
  out.put_bytes(column.data(), column.size());
}

// Into the owner's buffer, until the next call.
std::span<const std::uint8_t> SharedColumn::encode_apart(std::span<const StringRef> strings, std::uint64_t part_id,
                                                         const StringContext& context) {
  ByteBuffer& column = owner_->column();
  column.clear();
  encode_distinct_strings(StringSource::of(strings), context.inside(CodecId::kSharedStrings).part(part_id), column);
  return {column.data(), column.size()};
}

void SharedColumn::append_part(const StringContext& context) {
  strings_.clear();
  for (const std::uint32_t index : fresh_) strings_.push_back(entries_[index].string);
  const auto count = static_cast<std::uint32_t>(strings_.size());
  append_strings_part({dictionary_, written_, count, encode_apart(strings_, kSharedPart, context)}, owner_->parts());
  written_ += count;
}

// Forgets what did not come in the stretch that ends.
void SharedColumn::begin_stretch() {
  dictionary_ = 0;
  balance_ = 0;
  if (written_ + 1 < entries_.size()) {
    std::vector<Entry> old;
    old.swap(entries_);
    StringStore store;
    std::vector<StringBlocks> old_blocks;
    old_blocks.swap(blocks_);
    clear_entries();
    for (std::size_t i = 1; i < old.size(); ++i) {
      if (old[i].code == 0) continue;
      entries_.push_back({store.add(old[i].string), 0});
      blocks_.push_back(old_blocks[i]);
    }
    store_ = std::move(store);
    rebuild(std::max(kLeastSlots, std::bit_ceil(entries_.size() * 2)));
    full_ = false;
  }
  for (Entry& entry : entries_) entry.code = 0;
  written_ = 0;
}

void SharedColumn::restart() {
  clear_entries();
  store_.clear();
  slots_.assign(kLeastSlots, 0);
  dictionary_ = 0;
  written_ = 0;
  full_ = false;
}

SharedColumn* SharedStrings::of(std::uint32_t site, std::uint32_t argument) {
  const std::uint64_t key = std::uint64_t{site} << 32 | argument;
  const auto found = columns_.find(key);
  if (found != columns_.end()) return found->second.get();
  if (columns_.size() >= kMostColumns) return nullptr;
  return columns_.emplace(key, std::make_unique<SharedColumn>(this)).first->second.get();
}

void SharedStrings::begin_stretch() {
  for (const auto& [key, column] : columns_) column->begin_stretch();
}

void SharedStrings::begin_session(std::uint64_t first) {
  begin_stretch();
  next_dictionary_ = first;
}

std::size_t SharedStrings::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, column] : columns_) bytes += column->bytes();
  return bytes;
}

void SharedStrings::keep_bound() {
  if (bytes() > most_bytes_) columns_.clear();
}

namespace {

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  return context.shared != nullptr && context.shared->encode(source, context.bits, context, out);
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  SharedCodes read;
  if (!read_shared_codes(in, n, place, &read, arena)) return false;
  std::size_t other = 0;
  for (std::size_t i = 0; i < n; ++i) out[i] = read.codes[i] == 0 ? read.others[other++] : read.string(read.codes[i]);
  return true;
}

}  // namespace

bool read_shared_head(ByteReader& in, std::size_t n, SharedHead* head) {
  head->dictionary = in.get_varint();
  head->others = in.get_varint();
  if (!in.ok() || head->others > n) return false;
  head->column = {};
  if (head->others == 0) return true;
  const std::uint64_t size = in.get_varint();
  const std::uint8_t* bytes = in.take(size);
  if (bytes == nullptr) return false;
  head->column = {bytes, size};
  return true;
}

bool read_shared_codes(ByteReader& in, std::size_t n, const StringPlace& place, SharedCodes* read, StringArena* arena) {
  SharedHead head;
  if (place.shared == nullptr || !read_shared_head(in, n, &head)) return false;
  resize_anew(read->others, head.others);
  if (head.others != 0) {
    ByteReader others(head.column.data(), head.column.size());
    if (!decode_strings(others, head.others, place.inside(CodecId::kSharedStrings), arena, read->others.data()))
      return false;
    if (!others.at_end()) return false;
  }
  resize_anew(read->codes, n);
  if (!decode_ints(in, kTypeU32, n, 1, read->codes.data())) return false;
  std::uint64_t others = 0;
  read->greatest = 0;
  for (const std::uint64_t code : read->codes) {
    others += code == 0 ? 1 : 0;
    read->greatest = std::max(read->greatest, code);
  }
  if (read->greatest > kMaxSharedStrings || others != head.others) return false;
  read->strings = place.shared->strings_of(head.dictionary);
  if (others != n) arena->add(place.shared->facts_of(head.dictionary));
  if (read->greatest > read->strings.size()) arena->add(kMissingFacts);
  return true;
}

const StringCodec kSharedStringCodec{
    .id = CodecId::kSharedStrings,
    .name = "shared_strings",
    .may_be_within = within_bit(CodecId::kStringDictionary) | within_bit(CodecId::kShapedStrings),
    .form = ColumnForm::kShared,
    .encode = encode,
    .decode = decode};

}  // namespace steno::format
