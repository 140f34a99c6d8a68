#include "query/statistics/chosen_records.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "query/search/number_stream.h"
#include "query/statistics/grouping.h"

namespace steno::query {
namespace {

bool comes_before(const RecordRef& a, const RecordRef& b) {
  return std::tie(a.rank, a.wall, a.file, a.block, a.record) < std::tie(b.rank, b.wall, b.file, b.block, b.record);
}

RecordRef ref_of(const Part& part, std::uint32_t row, std::uint64_t rank) {
  const std::span<const std::uint32_t> records = part.view->records_of(part.group);
  const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
  RecordRef ref;
  ref.file = static_cast<std::uint32_t>(part.file);
  ref.block = static_cast<std::uint32_t>(part.block);
  ref.record = records.empty() ? row : records[row];
  ref.wall = row < walls.size() ? walls[row] : 0;
  ref.rank = rank;
  return ref;
}

// The first `n` of those that are added.
class FirstRecords {
 public:
  explicit FirstRecords(std::size_t n) : n_(n) {}

  bool may_be(std::uint64_t rank) const { return records_.size() < n_ || (n_ != 0 && rank <= records_.front().rank); }
  void add(const RecordRef& ref) {
    if (n_ == 0) return;
    if (records_.size() == n_) {
      if (!comes_before(ref, records_.front())) return;
      std::pop_heap(records_.begin(), records_.end(), comes_before);
      records_.pop_back();
    }
    records_.push_back(ref);
    std::push_heap(records_.begin(), records_.end(), comes_before);
  }
  const std::vector<RecordRef>& records() const { return records_; }

 private:
  std::size_t n_;
  std::vector<RecordRef> records_;  // a heap, the last on top
};

NumberKind common_kind(const std::vector<ArgType>& types) {
  const NumberKind kind = kind_of_type(types[0]);
  for (const ArgType type : types) {
    if (kind_of_type(type) != kind) return NumberKind::kReal;
  }
  return kind;
}

// A key of a row as a text that is the same in all blocks and threads.
std::string key_text(const KeySpec& spec, std::uint64_t value, const Interner& interner) {
  return spec.is_text() ? interner.text_of(value) : std::to_string(value);
}

// visit(key, row) for the rows of a part that are kept.
class KeyVisitor {
 public:
  explicit KeyVisitor(const std::vector<KeySpec>& specs)
      : specs_(specs), interner_(std::make_unique<Interner>()), keys_(specs, interner_.get()) {}

  template <class Visit>
  void each(const Part& part, const Visit& visit) {
    keys_.read(part, range_);
    for (std::uint32_t row = 0; row < part.rows; ++row) {
      if (part.keep != nullptr && part.keep[row] == 0) continue;
      visit(key_text(specs_[0], keys_.at(row)[0], *interner_), row);
    }
  }

 private:
  const std::vector<KeySpec>& specs_;
  std::unique_ptr<Interner> interner_;
  KeyReader keys_;
  KeyRange range_;
};

std::vector<std::unique_ptr<KeyVisitor>> visitors_of(const PartWalk& walk, const std::vector<KeySpec>& specs) {
  std::vector<std::unique_ptr<KeyVisitor>> visitors;
  for (unsigned n = 0; n < walk.workers(); ++n) visitors.push_back(std::make_unique<KeyVisitor>(specs));
  return visitors;
}

}  // namespace

Result<ChosenRecords> find_greatest(const Subject& subject, const ArgumentOf& argument, std::size_t n) {
  for (const ArgType type : argument.types) {
    if (!is_string(type)) continue;
    return Status(StatusCode::kInvalidArgument, "'" + argument.name + "' is a string; only numbers have a greatest");
  }
  const NumberKind kind = argument.scales.empty() ? common_kind(argument.types) : NumberKind::kReal;
  PartWalk walk(subject);
  std::vector<FirstRecords> found(walk.workers(), FirstRecords(n));
  walk.run([&](unsigned number, const Part& part) {
    FirstRecords& mine = found[number];
    const reader::Site& site = *part.view->groups()[part.group].site;
    const double scale = argument.scale_in(site);
    NumberStream stream(*part.view, part.group, argument.index_in(site), kind);
    std::uint32_t first = 0;
    std::uint64_t buffer[format::kMiniBlock];
    for (Numbers numbers; stream.next(&numbers); first += static_cast<std::uint32_t>(numbers.n)) {
      const std::uint64_t* values = numbers.unpack(buffer);
      for (std::uint32_t i = 0; i < numbers.n; ++i) {
        if (part.keep != nullptr && part.keep[first + i] == 0) continue;
        const bool real = kind == NumberKind::kReal;
        if (real && std::isnan(std::bit_cast<double>(values[i]))) continue;
        const std::uint64_t key =
            real ? key_of_real(as_one(std::bit_cast<double>(values[i]) * scale)) : values[i] ^ flip_of(kind);
        if (mine.may_be(~key)) mine.add(ref_of(part, first + i, ~key));
      }
    }
  });
  FirstRecords all(n);
  for (const FirstRecords& some : found) {
    for (const RecordRef& ref : some.records()) all.add(ref);
  }
  ChosenRecords chosen{all.records(), 0, walk.failures()};
  std::sort(chosen.records.begin(), chosen.records.end(), comes_before);
  return chosen;
}

Result<ChosenRecords> find_lines_of(const Subject& subject, const std::string& name, std::size_t most_keys) {
  Statement all = all_statements(*subject.logs);
  auto specs = parse_keys({"arg " + name}, &all);
  if (!specs.ok()) {
    std::string text = specs.status().message();
    if (text.starts_with("--by: ")) text.erase(0, 6);
    return Status(specs.status().code(), text);
  }
  all.require((*specs)[0].argument);

  Subject those = subject;
  those.statement = &all;
  PartWalk walk(those);
  using Firsts = std::unordered_map<std::string, RecordRef>;
  std::vector<Firsts> firsts(walk.workers());
  auto visitors = visitors_of(walk, *specs);
  walk.run([&](unsigned number, const Part& part) {
    visitors[number]->each(part, [&](std::string key, std::uint32_t row) {
      const RecordRef ref = ref_of(part, row, 0);
      const auto [found, added] = firsts[number].try_emplace(std::move(key), ref);
      if (!added && comes_before(ref, found->second)) found->second = ref;
    });
  });
  ChosenRecords chosen;
  chosen.failures = walk.failures();
  Firsts merged;
  for (const Firsts& some : firsts) {
    for (const auto& [key, ref] : some) {
      const auto [found, added] = merged.try_emplace(key, ref);
      if (!added && comes_before(ref, found->second)) found->second = ref;
    }
  }
  if (merged.size() > most_keys) {
    return Status(StatusCode::kInvalidArgument, "there are " + std::to_string(merged.size()) + " values of '" + name +
                                                    "', more than " + std::to_string(most_keys) +
                                                    "; select fewer records");
  }
  std::vector<std::pair<RecordRef, const std::string*>> order;
  for (const auto& [key, ref] : merged) order.emplace_back(ref, &key);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  std::unordered_map<std::string, std::uint64_t> ranks;
  for (const auto& [ref, key] : order) ranks.emplace(*key, ranks.size());
  chosen.keys = ranks.size();

  Subject everything;
  everything.logs = subject.logs;
  everything.statement = &all;
  everything.meter = subject.meter;
  PartWalk lines(everything);
  std::vector<std::vector<RecordRef>> found(lines.workers());
  visitors = visitors_of(lines, *specs);
  lines.run([&](unsigned number, const Part& part) {
    visitors[number]->each(part, [&](const std::string& key, std::uint32_t row) {
      const auto rank = ranks.find(key);
      if (rank != ranks.end()) found[number].push_back(ref_of(part, row, rank->second));
    });
  });
  for (const auto& some : found) chosen.records.insert(chosen.records.end(), some.begin(), some.end());
  std::sort(chosen.records.begin(), chosen.records.end(), comes_before);
  return chosen;
}

}  // namespace steno::query
