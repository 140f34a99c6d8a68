#include "reader/string_dictionaries.h"

#include <algorithm>

namespace steno::reader {

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
  return table.strings;
}

// Copies of a part that has been read add nothing.
void StringDictionaries::read(const format::StringsPart& part, Table* table) const {
  const auto known = [](std::string_view s) { return s.data() != format::kMissingString; };
  const auto begin = table->strings.begin() + part.first;
  if (std::all_of(begin, begin + part.count, known)) return;
  auto arena = std::make_unique<format::StringArena>();
  std::vector<std::string_view> strings(part.count);
  ByteReader in(part.column.data(), part.column.size());
  if (!format::decode_strings(in, part.count, {}, arena.get(), strings.data()) || !in.at_end()) return;
  std::size_t bytes = 0;
  for (const std::string_view s : strings) bytes += s.size();
  if (bytes > format::kMaxSharedBytes || taken_ + arena->size() > kMostBytes + kMostEach * part_bytes_) return;
  taken_ += arena->size();
  std::copy(strings.begin(), strings.end(), begin);
  table->arenas.push_back(std::move(arena));
}

}  // namespace steno::reader
