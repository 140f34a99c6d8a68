#include "store.h"

#include <utility>

namespace store {

namespace {

constexpr std::size_t kTableKeys = 64;
constexpr std::size_t kMostFiles = 4;  // of a level

std::size_t BytesOf(const std::map<std::string, std::string>& table) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : table) bytes += key.size() + value.size();
  return bytes;
}

}  // namespace

void Store::Put(const std::string& key, const std::string& value) {
  memory_[key] = value;
  if (memory_.size() >= kTableKeys) Flush();
}

bool Store::Get(const std::string& key, std::string* value) const {
  if (const auto found = memory_.find(key); found != memory_.end()) return *value = found->second, true;
  for (const auto& files : levels_) {
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
      if (const auto found = file->table.find(key); found != file->table.end()) return *value = found->second, true;
    }
  }
  Log(log_, "Get %.*s: not found in %zu levels", static_cast<int>(key.size()), key.data(), levels_.size());
  return false;
}

void Store::Flush() {
  const unsigned long long number = next_file_++;
  Log(log_, "Level-0 table #%llu: started", number);
  Log(log_, "Level-0 table #%llu: %zu bytes %s", number, BytesOf(memory_), "OK");
  if (levels_.empty()) levels_.emplace_back();
  levels_[0].push_back({number, std::exchange(memory_, {})});
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (levels_[level].size() > kMostFiles) Compact(level);
  }
}

void Store::Compact(std::size_t level) {
  const std::vector<File> inputs = std::exchange(levels_[level], {});
  if (level + 1 == levels_.size()) levels_.emplace_back();
  Log(log_, "Compacting %zu@%zu + %zu@%zu files", inputs.size(), level, levels_[level + 1].size(), level + 1);
  File output{next_file_++, {}};
  for (const File& input : inputs) {
    for (const auto& [key, value] : input.table) output.table[key] = value;
    Log(log_, "Delete type=%d #%llu", 2, input.number);
  }
  Log(log_, "Generated table #%llu@%zu: %zu keys, %zu bytes", output.number, level, output.table.size(),
      BytesOf(output.table));
  levels_[level + 1].push_back(std::move(output));
}

}  // namespace store
