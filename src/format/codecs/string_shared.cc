// shared strings: numbers of strings in a dictionary of the session, then the strings that are not in it (file.md §9.3,
// §12).
#include "format/codecs/string_shared.h"

#include <algorithm>
#include <bit>

#include "format/codecs/int_column.h"
#include "format/codecs/string_hash.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastSlots = 64;
constexpr std::size_t kMostSeen = std::size_t{1} << 14;
constexpr std::size_t kMostEntries = kMaxSharedStrings - 1;
constexpr std::size_t kMostStored = kMaxSharedBytes / 2;
constexpr std::size_t kLeastBits = 12;   // a string that takes fewer otherwise is left alone
constexpr std::size_t kLeastShare = 8;   // one value in so many must be found: what it would cost else is an estimate
constexpr std::size_t kColumnBits = 96;  // what a column takes besides its strings, about
constexpr std::size_t kBatch = 16;       // lookups under way at a time, so that they wait for memory together
constexpr unsigned kMostPatience = 64;   // columns between two tries, at most
constexpr unsigned kEagerTries = 4;      // failures until tries become rare
// The new strings of a dictionary may take so many bits more than it has saved in a stretch.
constexpr std::int64_t kCredit = std::int64_t{8} << 17;

std::uint32_t upper_half(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
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

void SharedColumn::insert(std::uint64_t hash, std::uint32_t index) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0) slot = (slot + 1) & mask;
  slots_[slot] = std::uint64_t{upper_half(hash)} << 32 | (index + 1);
}

void SharedColumn::rebuild(std::size_t slots) {
  slots_.assign(slots, 0);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) insert(hash_of(entries_[i].string, entries_[i].ends), i);
}

// Whether it came before; from now on it did.
bool SharedColumn::is_known(std::uint64_t hash) {
  std::uint32_t& seen = seen_[(hash >> 8) & (seen_.size() - 1)];
  const std::uint32_t mark = upper_half(hash) | 1;
  return std::exchange(seen, mark) == mark;
}

// The entry of a string + 1, a new one if it came before and there is room; else 0.
std::uint32_t SharedColumn::find(const StringRef& s, const StringEnds& ends, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    const std::uint64_t taken = slots_[slot];
    if (taken == 0) {
      if (full_ || s.bytes() > StringStore::kLongest || !is_known(hash)) return 0;
      entries_.push_back({ends, store_.add(s), 0});
      const auto entry = static_cast<std::uint32_t>(entries_.size());
      slots_[slot] = std::uint64_t{upper_half(hash)} << 32 | entry;
      full_ = entries_.size() >= kMostEntries || store_.bytes() >= kMostStored;
      if (entries_.size() * 2 > slots_.size()) rebuild(slots_.size() * 4);
      return entry;
    }
    if (taken >> 32 != upper_half(hash)) continue;
    const auto entry = static_cast<std::uint32_t>(taken);
    const Entry& candidate = entries_[entry - 1];
    if (same_string(s, ends, candidate.string, candidate.ends)) return entry;
  }
  return 0;
}

void SharedColumn::look_up(const StringSource& source) {
  if (slots_.empty()) slots_.assign(kLeastSlots, 0);
  if (const std::size_t most = std::min(kMostSeen, std::bit_ceil(4 * source.count)); seen_.size() < most) {
    seen_.assign(most, 0);
  }
  found_.resize(source.count);
  std::uint64_t hashes[kBatch];
  std::uint64_t taken[kBatch];
  StringRef strings[kBatch];
  StringEnds ends[kBatch];
  for (std::size_t i = 0; i < source.count; i += kBatch) {
    const std::size_t n = std::min(kBatch, source.count - i);
    const std::uint64_t* const slots = slots_.data();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t k = 0; k < n; ++k) {
      strings[k] = source.at(i + k);
      ends[k] = StringEnds(strings[k]);
      hashes[k] = hash_of(strings[k], ends[k]);
      __builtin_prefetch(&slots[hashes[k] & mask]);
    }
    const Entry* const entries = entries_.data();
    for (std::size_t k = 0; k < n; ++k) {
      taken[k] = slots[hashes[k] & mask];
      // Without a branch on whether there is one.
      const auto entry = static_cast<std::uint32_t>(taken[k]);
      __builtin_prefetch(entries + (entry - (entry != 0 ? 1 : 0)));
    }
    for (std::size_t k = 0; k < n; ++k) {
      const auto entry = static_cast<std::uint32_t>(taken[k]);
      // Most are where they belong. What new strings change in the tables leaves an entry what it is.
      const bool likely = entry != 0 && taken[k] >> 32 == upper_half(hashes[k]);
      found_[i + k] = likely && same_string(strings[k], ends[k], entries_[entry - 1].string, entries_[entry - 1].ends)
                          ? entry
                          : find(strings[k], ends[k], hashes[k]);
    }
  }
}

// Bits that the column takes, the new strings of the dictionary not counted. Gives those numbers, and the values their
// codes.
std::size_t SharedColumn::take_codes(const StringSource& source) {
  fresh_.clear();
  others_.clear();
  fresh_bytes_ = 0;
  std::size_t bytes = 0;
  std::uint32_t next = written_;
  std::uint32_t greatest = 0;
  for (std::size_t i = 0; i < source.count; ++i) {
    if (found_[i] == 0) {
      others_.push_back(source.at(i));
      bytes += others_.back().bytes();
      continue;
    }
    Entry& entry = entries_[found_[i] - 1];
    if (entry.code == 0) {
      entry.code = ++next;
      fresh_.push_back(found_[i] - 1);
      fresh_bytes_ += entry.string.bytes() + 1;
    }
    found_[i] = entry.code;
    greatest = std::max(greatest, entry.code);
  }
  return kColumnBits + source.count * static_cast<std::size_t>(std::bit_width(greatest)) + 8 * bytes +
         4 * others_.size();
}

bool SharedColumn::encode(const StringSource& source, std::size_t bits, StringScratch& scratch, ByteBuffer& out) {
  look_up(source);
  const auto saved = static_cast<std::int64_t>(bits * source.count) - static_cast<std::int64_t>(take_codes(source));
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
  if (!fresh_.empty()) append_part(scratch);
  out.put_varint(dictionary_);
  append_others(scratch, out);
  encode_ints(IntSource::array(found_.data(), source.count, kTypeU32), IntHint::kOffsets, *scratch.ints, out);
  return true;
}

void SharedColumn::append_others(StringScratch& scratch, ByteBuffer& out) {
  out.put_varint(others_.size());
  if (others_.empty()) return;
  const std::span<const std::uint8_t> column = encode_apart(others_, kOthersPart, scratch);
  out.put_varint(column.size());
  out.put_bytes(column.data(), column.size());
}

// Into the owner's buffer, until the next call.
std::span<const std::uint8_t> SharedColumn::encode_apart(const std::vector<StringRef>& strings, std::uint64_t part_id,
                                                         StringScratch& scratch) {
  StringSource source;
  source.count = strings.size();
  source.array = strings.data();
  ByteBuffer& column = owner_->column();
  column.clear();
  const ColumnPart part(scratch, part_id);
  encode_distinct_strings(source, scratch, column);
  return {column.data(), column.size()};
}

void SharedColumn::append_part(StringScratch& scratch) {
  strings_.clear();
  for (const std::uint32_t index : fresh_) strings_.push_back(entries_[index].string);
  const auto count = static_cast<std::uint32_t>(strings_.size());
  append_strings_part({dictionary_, written_, count, encode_apart(strings_, kSharedPart, scratch)}, owner_->parts());
  written_ += count;
}

// Forgets what did not come in the stretch that ends.
void SharedColumn::begin_stretch() {
  dictionary_ = 0;
  balance_ = 0;
  if (written_ < entries_.size()) {
    std::vector<Entry> old;
    old.swap(entries_);
    StringStore store;
    for (const Entry& entry : old) {
      if (entry.code != 0) entries_.push_back({entry.ends, store.add(entry.string), 0});
    }
    store_ = std::move(store);
    rebuild(std::max(kLeastSlots, std::bit_ceil(entries_.size() * 2)));
    full_ = false;
  }
  for (Entry& entry : entries_) entry.code = 0;
  written_ = 0;
}

void SharedColumn::restart() {
  entries_.clear();
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

bool encode(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  return scratch.shared != nullptr && scratch.shared->encode(source, scratch.bits, scratch, out);
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
  if (place.shared == nullptr || (place.within & kWithinShared) != 0 || !read_shared_head(in, n, &head)) return false;
  read->others.resize(head.others);
  if (head.others != 0) {
    ByteReader others(head.column.data(), head.column.size());
    if (!decode_strings(others, head.others, place.inside(kWithinShared), arena, read->others.data())) return false;
    if (!others.at_end()) return false;
  }
  read->codes.resize(n);
  if (!decode_ints(in, kTypeU32, n, 1, read->codes.data())) return false;
  const auto beyond = [](std::uint64_t code) { return code > kMaxSharedStrings; };
  if (std::any_of(read->codes.begin(), read->codes.end(), beyond)) return false;
  if (static_cast<std::size_t>(std::count(read->codes.begin(), read->codes.end(), 0)) != head.others) return false;
  read->strings = place.shared->strings_of(head.dictionary);
  return true;
}

const StringCodec kSharedStringCodec{CodecId::kSharedStrings, "shared_strings", encode, decode};

}  // namespace steno::format
