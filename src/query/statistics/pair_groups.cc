#include "query/statistics/pair_groups.h"

#include <algorithm>

namespace steno::query {

PairGroups::PairGroups(const std::vector<KeySpec>& specs, unsigned workers)
    : specs_(specs), order_(specs), workers_(workers) {
  for (Worker& worker : workers_) worker.reader = std::make_unique<KeyReader>(specs_, &worker.texts);
}

void PairGroups::read(unsigned number, const Part& part) {
  static const KeyRange kAll;
  Worker& worker = workers_[number];
  const reader::Site& site = *part.view->groups()[part.group].site;
  worker.lacks = std::any_of(specs_.begin(), specs_.end(), [&](const KeySpec& spec) {
    return spec.by == KeySpec::By::kArgument && spec.argument.is_context &&
           spec.argument.places.count(site.ordinal()) == 0;
  });
  if (worker.lacks) return;
  worker.reader->read(part, kAll);
  worker.present.assign(specs_.size(), nullptr);
  worker.values.assign(specs_.size(), 0);
  worker.lengths.assign(specs_.size(), 0);
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (specs_[k].by != KeySpec::By::kArgument) continue;
    const text::Presence* const presence = site.presences().of(specs_[k].argument.index_in(site));
    if (presence == nullptr) continue;
    const std::span<const std::uint64_t> flags = part.view->ints(part.group, presence->field);
    worker.present[k] = flags.data();
    worker.values[k] = presence->value;
    worker.lengths[k] = flags.size();
  }
}

bool PairGroups::has(const Worker& worker, std::size_t row) const {
  if (worker.lacks) return false;
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (worker.present[k] == nullptr && worker.lengths[k] == 0) continue;
    if (row >= worker.lengths[k] || worker.present[k][row] != worker.values[k]) return false;  // or damaged
  }
  return true;
}

bool PairGroups::learn(unsigned number, const Part& part) {
  read(number, part);
  Worker& worker = workers_[number];
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    if (!part.is_kept(row) || !has(worker, row)) continue;
    const Key& key = worker.reader->at(row);
    const auto [found, added] = worker.known.try_emplace(key, static_cast<std::uint32_t>(worker.keys.size()));
    if (added) worker.keys.push_back(key);
    if (worker.keys.size() > kMost) return false;
  }
  return true;
}

void PairGroups::settle() {
  struct Entry {
    KeyBound bound;
    const Worker* worker;
    const Key* key;
  };
  std::vector<Entry> all;
  for (const Worker& worker : workers_) {
    for (const Key& key : worker.keys) all.push_back({order_.bound_of(key, worker.texts), &worker, &key});
  }
  std::sort(all.begin(), all.end(), [this](const Entry& a, const Entry& b) { return order_.before(a.bound, b.bound); });
  for (Entry& entry : all) {
    if (!bounds_.empty() && !order_.before(bounds_.back(), entry.bound)) continue;
    std::vector<Cell>& cells = cells_.emplace_back();
    for (std::size_t k = 0; k < specs_.size(); ++k) {
      cells.push_back(cell_of(specs_[k], (*entry.key)[k], entry.worker->texts));
      cells.back().copied = true;
    }
    bounds_.push_back(std::move(entry.bound));
  }
  for (Worker& worker : workers_) {
    for (auto& [key, number] : worker.known) number = find(worker, key);
  }
}

std::uint32_t PairGroups::find(const Worker& worker, const Key& key) const {
  const KeyBound bound = order_.bound_of(key, worker.texts);
  const auto found = std::lower_bound(bounds_.begin(), bounds_.end(), bound,
                                      [this](const KeyBound& a, const KeyBound& b) { return order_.before(a, b); });
  if (found == bounds_.end() || order_.before(bound, *found)) return kNone;  // of a block that failed before
  return static_cast<std::uint32_t>(found - bounds_.begin());
}

std::uint32_t PairGroups::group_of(unsigned number, std::size_t row) {
  if (!any()) return 0;
  Worker& worker = workers_[number];
  if (!has(worker, row)) return kNone;
  const Key& key = worker.reader->at(row);
  const auto [found, added] = worker.known.try_emplace(key, kNone);
  if (added) found->second = find(worker, key);
  return found->second;
}

std::vector<Cell> PairGroups::cells(std::uint32_t group) const {
  return any() ? cells_[group] : std::vector<Cell>();
}

}  // namespace steno::query
