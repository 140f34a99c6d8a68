#include "record_builder.h"

#include <cstdlib>

namespace steno::format {

void RecordBuilder::declare(std::uint32_t site, const std::string& types, Level level) {
  auto entry = std::make_unique<Site>();
  if (!wire::Layout::parse(types, &entry->layout)) std::abort();
  entry->level = level;
  sites_[site] = std::move(entry);
}

void RecordBuilder::open_run(std::uint32_t thread, std::uint32_t ring) {
  if (!runs_.empty() && runs_.back().records == 0) runs_.pop_back();
  runs_.push_back({thread, ring, 0, 0, 0});
}

void RecordBuilder::add(std::uint32_t site, std::uint64_t clock, const std::vector<Arg>& args, std::uint16_t logger) {
  const Site& info = *sites_.at(site);
  if (runs_.empty()) open_run(0, 0);
  std::string record(info.layout.fixed_end, '\0');
  for (std::size_t i = 0; i < args.size(); ++i) {
    const wire::Field& field = info.layout.fields.at(i);
    char* p = record.data() + field.offset;
    if (is_string(field.type)) {
      store(p, args[i].text ? static_cast<std::uint32_t>(args[i].text->size()) : kNullString);
      if (args[i].text) record += *args[i].text;
    } else if (fixed_size(field.type) == 16) {
      std::memcpy(p, args[i].wide.data(), 16);
    } else {
      std::memcpy(p, &args[i].bits, fixed_size(field.type));
    }
  }
  const std::size_t words = (record.size() + 7) / 8;
  const wire::Header header{site, static_cast<std::uint16_t>(words), logger};
  store(record.data(), header.pack());
  store(record.data() + 8, clock);
  const auto offset = static_cast<std::uint32_t>(bytes_.size());
  bytes_.resize(bytes_.size() + words);
  std::memcpy(bytes_.data() + offset, record.data(), record.size());

  const auto [at, added] = group_of_.try_emplace({site, logger}, static_cast<std::uint32_t>(groups_.size()));
  if (added) {
    groups_.push_back({site, logger, info.level, &info.layout, 0, 0});
    group_offsets_.emplace_back();
  }
  group_offsets_[at->second].push_back(offset);
  ++groups_[at->second].records;
  order_.push_back(at->second);
  clocks_.push_back(clock);
  ++runs_.back().records;
  runs_.back().end = bytes_.size() * 8;
}

BlockInput RecordBuilder::input() {
  offsets_.clear();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].first = static_cast<std::uint32_t>(offsets_.size());
    offsets_.insert(offsets_.end(), group_offsets_[i].begin(), group_offsets_[i].end());
  }
  return {reinterpret_cast<const std::byte*>(bytes_.data()), runs_, groups_, order_, clocks_, offsets_};
}

const wire::Layout* RecordBuilder::layout_of(std::uint32_t site) const {
  const auto at = sites_.find(site);
  return at != sites_.end() ? &at->second->layout : nullptr;
}

}  // namespace steno::format
