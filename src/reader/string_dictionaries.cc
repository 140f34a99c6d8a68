#include "reader/string_dictionaries.h"

#include <algorithm>
#include <cstring>

namespace steno::reader {
namespace {

bool is_missing(std::string_view s) {
  return s.data() == format::kMissingString;
}

// Copies strings, `bytes` together, into an arena, so that they have slack.
void copy_into(std::vector<std::string_view>& strings, std::size_t bytes, const StringFacts& facts,
               format::StringArena* arena) {
  arena->resize(bytes);
  auto* p = reinterpret_cast<char*>(arena->data());
  for (std::string_view& s : strings) {
    if (s.data() == nullptr) continue;
    std::memcpy(p, s.data(), s.size());
    s = {p, s.size()};
    p += s.size();
  }
  StringFacts known = facts;
  known.has_slack = true;
  arena->add(known);
}

}  // namespace

bool StringDictionaries::add_block(std::span<const std::uint8_t> payload, std::uint64_t offset) {
  blocks_.push_back({offset, payload});
  ByteReader in(payload.data(), payload.size());
  while (!in.at_end()) {
    format::StringsPart part;
    if (!format::read_strings_part(in, &part)) return false;
    parts_[part.dictionary].push_back(part);
    part_bytes_ += part.column.size();
  }
  return true;
}

std::span<const std::string_view> StringDictionaries::strings_of(std::uint64_t dictionary) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = tables_.find(dictionary); found != tables_.end()) return found->second.strings;
  const auto parts = parts_.find(dictionary);
  if (parts == parts_.end()) return {};
  Table& table = tables_[dictionary];
  std::size_t size = 0;
  for (const format::StringsPart& part : parts->second) size = std::max<std::size_t>(size, part.first + part.count);
  if (taken_ + size * sizeof(std::string_view) > kMostBytes + kMostEach * part_bytes_) return {};
  taken_ += size * sizeof(std::string_view);
  table.strings.assign(size, format::kMissingString);
  for (const format::StringsPart& part : parts->second) read(part, &table);
  if (std::any_of(table.strings.begin(), table.strings.end(), is_missing)) table.facts.add(format::kMissingFacts);
  return table.strings;
}

StringFacts StringDictionaries::facts_of(std::uint64_t dictionary) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(dictionary);
  return found != tables_.end() ? found->second.facts : StringFacts();
}

// Copies of a part that has been read add nothing.
void StringDictionaries::read(const format::StringsPart& part, Table* table) const {
  const auto begin = table->strings.begin() + part.first;
  if (std::none_of(begin, begin + part.count, is_missing)) return;
  auto arena = std::make_unique<format::StringArena>();
  std::vector<std::string_view> strings(part.count);
  ByteReader in(part.column.data(), part.column.size());
  if (!format::decode_strings(in, part.count, {}, arena.get(), strings.data()) || !in.at_end()) return;
  std::size_t bytes = 0;
  for (const std::string_view s : strings) bytes += s.size();
  if (bytes > format::kMaxSharedBytes) return;
  if (!arena->facts().has_slack) {
    const StringFacts facts = arena->facts();
    arena = std::make_unique<format::StringArena>();
    copy_into(strings, bytes, facts, arena.get());
  }
  if (taken_ + arena->size() > kMostBytes + kMostEach * part_bytes_) return;
  taken_ += arena->size();
  std::copy(strings.begin(), strings.end(), begin);
  table->facts.add(arena->facts());
  table->arenas.push_back(std::move(arena));
}

}  // namespace steno::reader
