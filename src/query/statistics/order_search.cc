#include "query/statistics/order_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>

#include "query/filter/filter.h"

namespace steno::query {
namespace {

constexpr std::size_t kMostRecords = std::size_t{1} << 20;
constexpr std::size_t kMostOfKey = 64;                 // records of one key; a key of more is no id
constexpr std::size_t kMostStatements = 8;             // of one host that have a key
constexpr std::uint64_t kMostComparisons = 4'000'000;  // a second of work
constexpr std::uint64_t kLeastKeys = 20;
constexpr double kMostOutside = 0.02;  // of the keys
constexpr double kSlopeTolerance = 0.5;
constexpr double kLeastSlope = 5;  // in its standard errors

// One argument of a statement, wherever it is compiled in.
struct KeySource {
  std::uint64_t statement;  // stable id
  std::string name;
  friend auto operator<=>(const KeySource&, const KeySource&) = default;
};

struct KeyedRecord {
  KeyBits key;
  std::uint32_t host;
  std::uint32_t name;
  std::uint32_t source;
  std::int64_t time;
  friend auto operator<=>(const KeyedRecord&, const KeyedRecord&) = default;
};

// The records of keys that a hash chooses, one key in 2^n: n is the least number with which there is room for them. A
// key that more than kMostOfKey records have is no id; its records count as one more than that. So the sample is the
// same in whatever order records come. Thread-safe.
class KeySample {
 public:
  static constexpr std::size_t kAtOnce = 4096;

  // Takes the records, and leaves an empty vector.
  void take(std::vector<KeyedRecord>* records) {
    const std::lock_guard lock(mutex_);
    for (const KeyedRecord& record : *records) {
      if (is_chosen(record.key) && (frequent_.empty() || frequent_.count(record.key) == 0)) records_.push_back(record);
    }
    records->clear();
    if (records_.size() >= kMostRecords) shrink();
  }
  // All of them, sorted; of keys that are no ids some.
  std::vector<KeyedRecord> end() {
    shrink();
    return std::move(records_);
  }

 private:
  bool is_chosen(const KeyBits& key) const {
    const std::uint64_t mixed = ((key.high ^ key.low) + 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
    return bits_ == 0 || mixed >> (64 - bits_) == 0;
  }
  void shrink() {
    std::sort(records_.begin(), records_.end());
    std::size_t kept = 0;
    std::size_t of_key = 0;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      of_key = i == 0 || records_[i].key != records_[kept - 1].key ? 1 : of_key + 1;
      if (of_key == kMostOfKey + 1) frequent_.insert(records_[i].key);
      if (of_key <= kMostOfKey + 1) records_[kept++] = records_[i];
    }
    records_.resize(kept);
    // Half of the room is left, so that there is as much for others until the next time.
    while (records_.size() > kMostRecords / 2 && bits_ < 63) {
      ++bits_;
      std::erase_if(records_, [this](const KeyedRecord& one) { return !is_chosen(one.key); });
      std::erase_if(frequent_, [this](const KeyBits& key) { return !is_chosen(key); });
    }
  }

  std::mutex mutex_;
  std::vector<KeyedRecord> records_;
  std::set<KeyBits> frequent_;  // those of which there are enough
  unsigned bits_ = 0;
};

// Four sources: the outer two are of one host and enclose the inner two of another.
struct Enclosure {
  std::uint32_t outer_host;
  std::uint32_t inner_host;
  std::uint32_t sent;
  std::uint32_t came;
  std::uint32_t answered;
  std::uint32_t got;
  friend auto operator<=>(const Enclosure&, const Enclosure&) = default;
};

// All keys of an enclosure together say this of the clock of the inner host, relative to the outer one.
struct Evidence {
  std::uint64_t keys = 0;
  std::uint64_t outside = 0;
  std::int64_t most = INT64_MAX;
  std::int64_t least = INT64_MIN;
  double outer_base = 0;  // of the first key, so that squares of long times do not swallow what differs
  double inner_base = 0;
  double outer = 0;
  double inner = 0;
  double outer_squares = 0;
  double inner_squares = 0;
  double products = 0;

  void add(std::int64_t sent, std::int64_t came, std::int64_t answered, std::int64_t got) {
    double out = static_cast<double>(got) - static_cast<double>(sent);
    double in = static_cast<double>(answered) - static_cast<double>(came);
    std::int64_t upper = 0;
    std::int64_t lower = 0;
    if (out < in || __builtin_sub_overflow(came, sent, &upper) || __builtin_sub_overflow(answered, got, &lower)) {
      ++outside;
      return;
    }
    most = std::min(most, upper);
    least = std::max(least, lower);
    if (keys++ == 0) {
      outer_base = out;
      inner_base = in;
    }
    out -= outer_base;
    in -= inner_base;
    outer += out;
    inner += in;
    outer_squares += out * out;
    inner_squares += in * in;
    products += out * in;
  }

  // Returns whether the outer time is the inner one and something else: it grows with the inner time by as much, and
  // that is not by chance.
  bool convinces() const {
    const auto n = static_cast<double>(keys);
    if (keys < kLeastKeys || static_cast<double>(outside) > kMostOutside * n || least > most) return false;
    const double of_outer = outer_squares - outer * outer / n;
    const double of_inner = inner_squares - inner * inner / n;
    if (!(of_inner > 0)) return false;
    const double slope = (products - outer * inner / n) / of_inner;
    const double rest = std::max(of_outer - slope * slope * of_inner, 0.0);
    return std::fabs(slope - 1) <= kSlopeTolerance && slope >= kLeastSlope * std::sqrt(rest / (n - 2) / of_inner);
  }
  std::uint64_t range() const { return static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least); }
};

bool may_be_key(const reader::Site& site, std::uint32_t argument) {
  const ArgType type = site.layout()->fields[argument].type;
  if (site.meaning(argument) != nullptr || site.redacts(argument)) return false;
  const std::string_view integers = "asilnhtjm";  // types.md
  return counts_as_text(type) || integers.find(static_cast<char>(type)) != std::string_view::npos;
}

class OrderSearch {
 public:
  explicit OrderSearch(const Subject& subject) : subject_(subject) {
    for (const reader::Site* site : statements_of(*subject.logs)) add_site(*site);
  }

  std::vector<OrderedStatements> run() {
    if (!has_two_hosts()) return {};
    const std::vector<KeyedRecord> records = gather();
    for (std::size_t first = 0; first < records.size() && comparisons_ < kMostComparisons;) {
      std::size_t end = first;
      while (end < records.size() && records[end].key == records[first].key) ++end;
      if (end - first <= kMostOfKey) add_key(std::span(records).subspan(first, end - first));
      first = end;
    }
    return choose();
  }

 private:
  struct Candidate {
    std::uint32_t name;
    std::uint32_t source;
  };

  template <class Key, class Index>
  static std::uint32_t number_of(const Key& key, Index* index) {
    return index->try_emplace(key, static_cast<std::uint32_t>(index->size())).first->second;
  }

  void add_site(const reader::Site& site) {
    if (site.layout() == nullptr) return;
    const std::vector<std::string>& names = site.argument_names();
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      if (site.presences().is_field(i) || !may_be_key(site, i)) continue;
      const std::uint32_t name = number_of(names[i], &names_);
      if (name == keys_.size()) {
        keys_.emplace_back(1);
        keys_[name][0].title = names[i];
      }
      keys_[name][0].first.places[site.ordinal()] = i;
      const std::uint32_t source = number_of(KeySource{site.info().stable_id, names[i]}, &sources_);
      if (source == statements_.size()) statements_.push_back({site.info().format, {}, names[i]});
      statements_[source].sites.push_back(&site);
      candidates_[site.ordinal()].push_back({name, source});
    }
  }

  bool has_two_hosts() {
    std::set<std::string> names;
    for (const auto& file : subject_.logs->files()) {
      for (const auto& session : file->sessions()) names.insert(session->info.host);
    }
    for (const std::string& name : names) number_of(name, &hosts_);
    return names.size() > 1;
  }

  // The records of as many keys as there is room for. Which keys these are depends on all records together, not on the
  // order in which threads find them.
  std::vector<KeyedRecord> gather() {
    struct Worker {
      std::vector<PairKeyReader> readers;
      std::vector<KeyedRecord> found;
    };
    PartWalk walk(subject_);
    std::vector<Worker> workers(walk.workers());
    for (Worker& worker : workers) {
      for (const std::vector<PairKey>& keys : keys_) worker.readers.emplace_back(keys);
    }
    KeySample sample;
    walk.run([&](unsigned number, const Part& part) {
      Worker& worker = workers[number];
      const auto found = candidates_.find(part.view->groups()[part.group].site->ordinal());
      if (found == candidates_.end()) return;
      const std::uint32_t host = hosts_.at(part.view->session().info.host);
      const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
      for (const Candidate& candidate : found->second) {
        PairKeyReader& reader = worker.readers[candidate.name];
        reader.read(part, 0);
        for (std::uint32_t row = 0; row < walls.size(); ++row) {
          if (!reader.has(row)) continue;
          worker.found.push_back({reader.bits(row), host, candidate.name, candidate.source, walls[row]});
          if (worker.found.size() == KeySample::kAtOnce) sample.take(&worker.found);
        }
      }
    });
    for (Worker& worker : workers) sample.take(&worker.found);
    return sample.end();
  }

  // Those of one key, by host, name, statement and time.
  void add_key(std::span<const KeyedRecord> records) {
    std::vector<std::vector<KeyedRecord>> groups;  // of one host and name, those that a statement has once, by time
    for (std::size_t first = 0; first < records.size();) {
      const KeyedRecord& one = records[first];
      std::size_t end = first;
      while (end < records.size() && records[end].host == one.host && records[end].source == one.source) ++end;
      if (end - first == 1) {
        if (groups.empty() || groups.back()[0].host != one.host || groups.back()[0].name != one.name) {
          groups.emplace_back();
        }
        groups.back().push_back(one);
      }
      first = end;
    }
    std::erase_if(groups, [](const auto& group) { return group.size() < 2 || group.size() > kMostStatements; });
    for (auto& group : groups) {
      std::sort(group.begin(), group.end(), [](auto& a, auto& b) { return a.time < b.time; });
    }
    for (const auto& outer : groups) {
      for (const auto& inner : groups) {
        if (outer[0].host != inner[0].host) add_pairs(outer, inner);
      }
    }
  }

  void add_pairs(const std::vector<KeyedRecord>& outer, const std::vector<KeyedRecord>& inner) {
    for (std::size_t sent = 0; sent < outer.size(); ++sent) {
      for (std::size_t got = sent + 1; got < outer.size(); ++got) {
        for (std::size_t came = 0; came < inner.size(); ++came) {
          for (std::size_t answered = came + 1; answered < inner.size(); ++answered) {
            const Enclosure four{outer[0].host,      inner[0].host,          outer[sent].source,
                                 inner[came].source, inner[answered].source, outer[got].source};
            ++comparisons_;
            evidence_[four].add(outer[sent].time, inner[came].time, inner[answered].time, outer[got].time);
          }
        }
      }
    }
  }

  std::vector<OrderedStatements> choose() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<Enclosure, Evidence>>> of_hosts;
    for (const auto& [four, evidence] : evidence_) {
      if (evidence.convinces()) {
        of_hosts[std::minmax(four.outer_host, four.inner_host)].emplace_back(four, evidence);
      }
    }
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> chosen;
    std::vector<OrderedStatements> ordered;
    for (const auto& [hosts, all] : of_hosts) {
      const auto& best = *std::min_element(
          all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second.range() < b.second.range(); });
      if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return excludes(best, one); })) continue;
      const Enclosure& four = best.first;
      if (!chosen.emplace(four.sent, four.came, four.answered, four.got).second) continue;
      ordered.push_back(way(four.sent, four.came));
      ordered.push_back(way(four.answered, four.got));
    }
    return ordered;
  }

  // Returns whether no shift is within the bounds of both. Bounds of the other direction have the other sign.
  static bool excludes(const std::pair<Enclosure, Evidence>& a, const std::pair<Enclosure, Evidence>& b) {
    const bool turned = a.first.outer_host != b.first.outer_host;
    const text::Int128 sign = turned ? -1 : 1;
    const text::Int128 least = sign * (turned ? b.second.most : b.second.least);
    const text::Int128 most = sign * (turned ? b.second.least : b.second.most);
    return a.second.least > most || a.second.most < least;
  }

  OrderedStatements way(std::uint32_t first, std::uint32_t second) const {
    OrderedStatements one;
    PairKey key;
    const auto side = [&](std::uint32_t source, Statement* statement, ArgumentOf* argument) {
      const KeyedStatement& of = statements_[source];
      statement->format = of.format;
      argument->name = of.name;
      argument->is_context = true;
      const ArgumentOf& places = keys_[names_.at(of.name)][0].first;
      for (const reader::Site* site : of.sites) {
        statement->add(*site);
        argument->places[site->ordinal()] = places.places.at(site->ordinal());
        argument->types.push_back(site->layout()->fields[argument->places[site->ordinal()]].type);
      }
    };
    side(first, &one.first, &key.first);
    side(second, &one.second, &key.second);
    key.title = key.first.name;
    one.keys.push_back(std::move(key));
    return one;
  }

  struct KeyedStatement {
    std::string format;
    std::vector<const reader::Site*> sites;
    std::string name;
  };

  const Subject& subject_;
  std::map<std::string, std::uint32_t> names_;
  std::map<std::string, std::uint32_t> hosts_;
  std::map<KeySource, std::uint32_t> sources_;
  std::vector<std::vector<PairKey>> keys_;                                // by name, one each
  std::vector<KeyedStatement> statements_;                                // by source
  std::unordered_map<std::uint32_t, std::vector<Candidate>> candidates_;  // by ordinal
  std::map<Enclosure, Evidence> evidence_;
  std::uint64_t comparisons_ = 0;
};

}  // namespace

std::vector<OrderedStatements> find_ordered_statements(const Subject& subject) {
  return OrderSearch(subject).run();
}

}  // namespace steno::query
