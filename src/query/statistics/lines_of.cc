#include "query/statistics/lines_of.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "query/ordered.h"
#include "query/statistics/key_reader.h"

namespace steno::query {
namespace {

// The record of a key that comes first, by the key's text.
using Firsts = std::unordered_map<std::string, RecordRef>;

void keep_first(Firsts* firsts, std::string key, const RecordRef& ref) {
  const auto [found, added] = firsts->try_emplace(std::move(key), ref);
  if (!added && is_before(ref, found->second)) found->second = ref;
}

auto place_of(const RecordRef& ref) {
  return std::tie(ref.file, ref.block, ref.record);
}

// A number that is whole reads as an integer of any type does.
std::string text_of_real(double value) {
  constexpr double kWhole = 9007199254740992;  // 2^53: from there on not every integer is one
  if (value > -kWhole && value < kWhole && value == static_cast<double>(static_cast<std::int64_t>(value))) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return "real " + std::to_string(std::bit_cast<std::uint64_t>(value));
}

// A key of a row as a text that is the same in all blocks, threads and types.
std::string key_text(const KeySpec& spec, std::uint64_t value, const Interner& interner) {
  if (spec.is_text()) return interner.text_of(value);
  const ArgType type = spec.argument.types[0];
  if (type == ArgType::kF64) return text_of_real(std::bit_cast<double>(value));
  if (type == ArgType::kF32) return text_of_real(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
  return is_signed_integer(type) ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
}

// One of the names: the statements that have it, and how its values are read.
struct KeyName {
  std::string name;
  Statement statement;
  std::vector<KeySpec> specs;  // one
};

Result<KeyName> find_name(const reader::LogSet& logs, const std::string& name) {
  KeyName found;
  found.name = name;
  found.statement = all_statements(logs);
  auto specs = parse_keys({"arg " + name}, &found.statement);
  if (!specs.ok()) {
    std::string text = specs.status().message();
    if (text.starts_with("--by: ")) text.erase(0, 6);
    return Status(specs.status().code(), text);
  }
  found.specs = std::move(specs).value();
  found.statement.require(found.specs[0].argument);
  return found;
}

// A record that has a value of the name, and fulfils the condition.
Predicate has_value(const std::string& name, const std::optional<Expression>& condition, const reader::LogSet& logs) {
  std::vector<Expression> all = {Expression::has_value(name)};
  if (condition) all.push_back(*condition);
  return Predicate(Expression::all_of(std::move(all)), logs);
}

// visit(key, row) for the rows of a part that are kept. One a thread.
class KeyVisitor {
 public:
  explicit KeyVisitor(const std::vector<KeySpec>& specs)
      : specs_(specs), interner_(std::make_unique<Interner>()), keys_(specs, interner_.get()) {}

  template <class Visit>
  void each(const Part& part, const Visit& visit) {
    keys_.read(part, range_);
    for (std::uint32_t row = 0; row < part.rows; ++row) {
      if (!part.is_kept(row)) continue;
      visit(key_text(specs_[0], keys_.at(row)[0], *interner_), row);
    }
  }

 private:
  const std::vector<KeySpec>& specs_;
  std::unique_ptr<Interner> interner_;
  KeyReader keys_;
  KeyRange range_;
};

class LinesSearch {
 public:
  LinesSearch(const reader::LogSet& logs, const LinesOf& question, WorkMeter* meter)
      : logs_(logs), question_(question), meter_(meter) {}

  Result<FoundLines> run() {
    for (const std::string& name : question_.names) {
      auto found = find_name(logs_, name);
      if (!found.ok()) return found.status();
      names_.push_back(std::move(found).value());
    }
    if (question_.these != nullptr) note_these();
    for (const KeyName& name : names_) gather_keys(name);
    if (keys_.size() > question_.most_keys) {
      std::string names;
      for (const std::string& name : question_.names) names += (names.empty() ? "" : "=") + name;
      return Status(StatusCode::kInvalidArgument, "there are " + std::to_string(keys_.size()) + " values of '" + names +
                                                      "', more than " + std::to_string(question_.most_keys) +
                                                      "; select fewer records");
    }
    rank_keys();
    if (!ranks_.empty()) {
      for (const KeyName& name : names_) gather_lines(name);
    }
    put_in_order();
    found_.without_key = static_cast<std::uint64_t>(std::count(has_key_.begin(), has_key_.end(), 0));
    return std::move(found_);
  }

 private:
  // Runs visit(worker, part, key, row) over the records that have a value of the name; all blocks, or these.
  template <class Visit>
  void walk(const KeyName& name, const std::optional<Expression>& condition, const std::vector<BlockRef>* blocks,
            const Visit& visit) {
    const Predicate predicate = has_value(name.name, condition, logs_);
    Subject subject;
    subject.logs = &logs_;
    subject.statement = &name.statement;
    subject.predicate = &predicate;
    subject.meter = meter_;
    PartWalk parts(subject);
    std::vector<std::unique_ptr<KeyVisitor>> visitors;
    for (unsigned n = 0; n < parts.workers(); ++n) visitors.push_back(std::make_unique<KeyVisitor>(name.specs));
    const auto visit_part = [&](unsigned worker, const Part& part) {
      visitors[worker]->each(part,
                             [&](std::string key, std::uint32_t row) { visit(worker, part, std::move(key), row); });
    };
    blocks != nullptr ? parts.run(*blocks, visit_part) : parts.run(visit_part);
    reader::add_failures(parts.failures(), &found_.lines.failures);
  }

  void note_these() {
    const std::vector<RecordRef>& these = *question_.these;
    has_key_.assign(these.size(), 0);
    for (std::size_t i = 0; i < these.size(); ++i) {
      places_.emplace(std::tuple(these[i].file, these[i].block, these[i].record), i);
      blocks_.push_back({these[i].file, these[i].block});
    }
    std::sort(blocks_.begin(), blocks_.end());
    const auto is_same = [](const BlockRef& a, const BlockRef& b) { return !(a < b) && !(b < a); };
    blocks_.erase(std::unique(blocks_.begin(), blocks_.end(), is_same), blocks_.end());
  }

  // The keys of the selected records that are called so.
  void gather_keys(const KeyName& name) {
    std::vector<Firsts> firsts(thread_count());
    if (question_.these == nullptr) {
      walk(name, question_.condition, nullptr,
           [&](unsigned worker, const Part& part, std::string key, std::uint32_t row) {
             keep_first(&firsts[worker], std::move(key), ref_of(part, row, 0));
           });
    } else {
      walk(name, {}, &blocks_, [&](unsigned worker, const Part& part, std::string key, std::uint32_t row) {
        const RecordRef ref = ref_of(part, row, 0);
        const auto place = places_.find(place_of(ref));
        if (place == places_.end()) return;
        has_key_[place->second] = 1;
        keep_first(&firsts[worker], std::move(key), ref_of(part, row, place->second));
      });
    }
    for (Firsts& some : firsts) {
      for (const auto& [key, ref] : some) keep_first(&keys_, key, ref);
    }
  }

  // Keys of one record are of one rank.
  void rank_keys() {
    std::vector<std::pair<RecordRef, const std::string*>> order;
    for (const auto& [key, ref] : keys_) order.emplace_back(ref, &key);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return is_before(a.first, b.first); });
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i != 0 && place_of(order[i].first) != place_of(order[i - 1].first)) ++rank;
      ranks_.emplace(*order[i].second, rank);
    }
    found_.lines.keys = ranks_.size();
  }

  void gather_lines(const KeyName& name) {
    std::vector<std::vector<RecordRef>> lines(thread_count());
    walk(name, {}, nullptr, [&](unsigned worker, const Part& part, const std::string& key, std::uint32_t row) {
      const auto rank = ranks_.find(key);
      if (rank != ranks_.end()) lines[worker].push_back(ref_of(part, row, rank->second));
    });
    std::vector<RecordRef>& all = found_.lines.records;
    for (const auto& some : lines) all.insert(all.end(), some.begin(), some.end());
  }

  // A record that has several of the names was found by each.
  void put_in_order() {
    std::vector<RecordRef>& all = found_.lines.records;
    if (names_.size() > 1) {
      std::sort(all.begin(), all.end(), [](const RecordRef& a, const RecordRef& b) {
        return place_of(a) != place_of(b) ? place_of(a) < place_of(b) : a.rank < b.rank;
      });
      const auto is_same = [](const RecordRef& a, const RecordRef& b) { return place_of(a) == place_of(b); };
      all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
    }
    std::sort(all.begin(), all.end(), is_before);
  }

  const reader::LogSet& logs_;
  const LinesOf& question_;
  WorkMeter* const meter_;
  std::vector<KeyName> names_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> places_;  // of LinesOf::these
  std::vector<BlockRef> blocks_;                                                           // likewise
  std::vector<std::uint8_t> has_key_;                                                      // likewise, in their order
  Firsts keys_;
  std::unordered_map<std::string, std::uint64_t> ranks_;  // of the keys
  FoundLines found_;
};

}  // namespace

Result<FoundLines> find_lines_of(const reader::LogSet& logs, const LinesOf& question, WorkMeter* meter) {
  return LinesSearch(logs, question, meter).run();
}

}  // namespace steno::query
