#include "query/statistics/pair.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>

#include "query/statistics/duration_quantiles.h"
#include "query/statistics/pair_events.h"

namespace steno::query {
namespace {

constexpr std::size_t kExamples = 5;
const std::vector<double> kQuantiles = {0.5, 0.9, 0.99, 0.999};

class Pairing {
 public:
  explicit Pairing(const PairQuestion& question)
      : q_(question),
        both_(join(question)),
        walk_(subject()),
        readers_(walk_.workers(), PairKeyReader(q_.keys)),
        specs_{specs_of(0), specs_of(1)},
        groups_{PairGroups(specs_[0], walk_.workers()), PairGroups(specs_[1], walk_.workers())},
        most_open_(std::max<std::size_t>(q_.memory / 4 / (sizeof(std::int64_t) * (q_.by.empty() ? 1 : 2)), 1024)),
        quantiles_(kQuantiles, q_.memory / 8 / sizeof(std::uint64_t)) {}

  Result<PairAnswer> run() {
    if (Status status = check(); !status.ok()) return status;
    if (!learn_groups()) return too_many_groups();
    const std::uint64_t total = count();
    const std::size_t room = std::min<std::uint64_t>(q_.memory / 2 / sizeof(Event), total);
    bool again = true;
    for (first_sweep_ = true; again; first_sweep_ = false) {
      EventRoom events(room, walk_.workers());
      if (Status status = sweep(events, total); !status.ok()) return status;
      wanted_ = wanted_ && quantiles_.end_of_sweep();
      again = wanted_;
      for (auto& [number, group] : of_groups_) again |= group.end_of_sweep();
    }
    finish();
    return std::move(answer_);
  }

 private:
  static Status too_many_groups() {
    return {StatusCode::kExhausted, "there are more than " + std::to_string(PairGroups::kMost) +
                                        " groups; select fewer records with --where, or group by less"};
  }
  static Statement join(const PairQuestion& q) {
    Statement both = q.first;
    for (const reader::Site* site : q.second.sites) both.add(*site);
    return both;
  }
  Subject subject() const {
    Subject s = q_.subject;
    s.statement = &both_;
    return s;
  }
  Status check() const {
    for (const reader::Site* site : q_.second.sites) {
      if (q_.first.has(*site)) return {StatusCode::kInvalidArgument, "both statements are '" + q_.first.format + "'"};
    }
    const auto as_text = [](const ArgumentOf& key) {
      return std::all_of(key.types.begin(), key.types.end(), [](ArgType t) { return counts_as_text(t); });
    };
    const auto as_number = [](const ArgumentOf& key) {
      return std::none_of(key.types.begin(), key.types.end(), [](ArgType t) { return counts_as_text(t); });
    };
    for (const PairKey& key : q_.keys) {
      if (key.field != Field::kArgument) continue;
      if ((as_text(key.first) && as_text(key.second)) || (as_number(key.first) && as_number(key.second))) continue;
      return {StatusCode::kInvalidArgument,
              "--key: '" + key.title + "' is a text in one statement and a number in the other"};
    }
    return {};
  }

  // visit(event, row, keys)
  template <class Visit>
  void each_event(unsigned worker, const Part& part, const Visit& visit) {
    const reader::Site& site = *part.view->groups()[part.group].site;
    const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
    PairKeyReader& keys = readers_[worker];
    for (const std::uint32_t side : {0u, 1u}) {
      if (!(side == 0 ? q_.first : q_.second).has(site)) continue;
      keys.read(part, side);
      PairGroups& groups = groups_[side];
      if (groups.any()) groups.read(worker, part);
      for (std::uint32_t row = 0; row < walls.size(); ++row) {
        if (keys.has(row)) visit(Event{keys.bits(row), walls[row], side, groups.group_of(worker, row)}, row, keys);
      }
    }
  }

  std::vector<KeySpec> specs_of(std::uint32_t side) const {
    std::vector<KeySpec> specs;
    for (const PairBy& by : q_.by) {
      if (by.side == side) specs.push_back(by.spec);
    }
    return specs;
  }
  // False: there are too many.
  bool learn_groups() {
    if (q_.by.empty()) return true;
    std::atomic<bool> few = true;
    walk_.run([&](unsigned worker, const Part& part) {
      const reader::Site& site = *part.view->groups()[part.group].site;
      for (const std::uint32_t side : {0u, 1u}) {
        if (!few || !groups_[side].any() || !(side == 0 ? q_.first : q_.second).has(site)) continue;
        if (!groups_[side].learn(worker, part)) few = false;
      }
    });
    for (PairGroups& groups : groups_) groups.settle();
    return few && groups_[0].size() <= PairGroups::kMost && groups_[1].size() <= PairGroups::kMost;
  }

  std::uint64_t count() {
    std::mutex mutex;
    std::uint64_t total = 0;
    std::map<std::string, std::array<std::uint64_t, 2>> of_hosts;  // by side
    walk_.run([&](unsigned, const Part& part) {
      const reader::Site& site = *part.view->groups()[part.group].site;
      const std::lock_guard lock(mutex);
      std::array<std::uint64_t, 2>& of_host = of_hosts[part.view->session().info.host];
      for (const std::uint32_t side : {0u, 1u}) {
        if (!(side == 0 ? q_.first : q_.second).has(site)) continue;
        total += part.kept;
        of_host[side] += part.kept;
      }
    });
    for (const auto& [host, records] : of_hosts) answer_.most_of_one_host += std::min(records[0], records[1]);
    return total;
  }

  // All pairs, in as many passes over the log as there is room for.
  Status sweep(EventRoom& events, std::uint64_t total) {
    std::uint64_t left = total;
    do {
      events.begin_pass(left);
      const std::uint64_t passes = left / std::max<std::uint64_t>(events.likely(), 1) + 1;
      walk_.expect(static_cast<unsigned>(std::min<std::uint64_t>(passes, 1'000'000)));
      walk_.run([&](unsigned worker, const Part& part) {
        each_event(worker, part,
                   [&](const Event& event, std::uint32_t, const PairKeyReader&) { events.add(worker, event); });
      });
      answer_.failures = walk_.failures();
      const std::span<const Event> pass = events.end_pass();
      if (events.stuck()) {
        return {StatusCode::kExhausted,
                "too many records of one key at the same time to fit into --memory; raise it, or select fewer records "
                "with --where"};
      }
      if (!match(pass)) {
        return {StatusCode::kExhausted, "more than " + std::to_string(most_open_) +
                                            " unpaired records of one key do not fit into --memory; raise it, or "
                                            "select fewer records with --since or --where"};
      }
      if (of_groups_.size() > PairGroups::kMost) return too_many_groups();
      left -= std::min<std::uint64_t>(left, pass.size());
    } while (events.more());
    end_key();
    walk_.expect(0);
    return {};
  }

  // Events of a key may continue in the next pass. False: too many are waiting.
  bool match(std::span<const Event> events) {
    for (const Event& event : events) {
      if (event.key != key_) {
        end_key();
        key_ = event.key;
      }
      if (event.side == 0) {
        if (open_.size() == most_open_) return false;
        if (first_sweep_ && !open_.empty()) ++answer_.waiting_twice;
        open_.push_back(event.time);
        if (!q_.by.empty()) open_groups_.push_back(event.group);
      } else if (open_.empty()) {
        ++early_;
        note_alone(event, &answer_.second_alone, &second_);
      } else if (q_.nearest) {
        note_pair({key_, open_.back(), 0, group_at(&std::deque<std::uint32_t>::back)}, event);
        open_.pop_back();
        if (!q_.by.empty()) open_groups_.pop_back();
      } else {
        note_pair({key_, open_.front(), 0, group_at(&std::deque<std::uint32_t>::front)}, event);
        open_.pop_front();
        if (!q_.by.empty()) open_groups_.pop_front();
      }
    }
    return true;
  }
  using GroupEnd = const std::uint32_t& (std::deque<std::uint32_t>::*)() const;
  std::uint32_t group_at(GroupEnd end) const { return q_.by.empty() ? 0 : (open_groups_.*end)(); }

  void end_key() {
    for (const std::uint32_t group : open_groups_) {
      if (first_sweep_ && group != PairGroups::kNone && !groups_[1].any()) ++group_of_pair(group, 0).first_alone;
    }
    open_groups_.clear();
    for (const std::int64_t time : open_) note_alone({key_, time, 0}, &answer_.first_alone, &first_);
    if (first_sweep_) answer_.reversed += std::min<std::uint64_t>(open_.size(), early_);
    open_.clear();
    early_ = 0;
  }

  void note_pair(const Event& from, const Event& to) {
    std::int64_t duration = 0;
    if (__builtin_sub_overflow(to.time, from.time, &duration)) duration = INT64_MAX;
    if (wanted_) quantiles_.add(duration);
    note_group(from.group, to.group, duration);
    if (first_sweep_) bins_.add(duration);
    if (!first_sweep_ || duration < q_.above) return;
    ++answer_.above;
    if (slowest_.size() == q_.slowest && (q_.slowest == 0 || duration < slowest_.front().duration)) return;
    slowest_.push_back({from.key, from.time, duration});
    std::push_heap(slowest_.begin(), slowest_.end(), slower);
    if (slowest_.size() > q_.slowest) {
      std::pop_heap(slowest_.begin(), slowest_.end(), slower);
      slowest_.pop_back();
    }
  }

  // The pairs of one group.
  struct OfGroup {
    OfGroup(std::size_t room) : quantiles(kQuantiles, room) {}
    DurationQuantiles quantiles;
    bool wanted = true;  // the quantiles have to be shown what there is
    std::uint64_t above = 0;
    std::uint64_t first_alone = 0;

    bool end_of_sweep() {
      wanted = wanted && quantiles.end_of_sweep();
      return wanted;
    }
  };
  OfGroup& group_of_pair(std::uint32_t first, std::uint32_t second) {
    const std::size_t number = first * groups_[1].size() + second;
    const std::size_t most = std::min(groups_[0].size() * groups_[1].size(), PairGroups::kMost);  // that there may be
    const std::size_t room = q_.memory / 8 / sizeof(std::uint64_t) / most;
    if (of_groups_.size() > PairGroups::kMost) return of_groups_.begin()->second;  // any: the answer will be a failure
    return of_groups_.try_emplace(number, room).first->second;
  }
  void note_group(std::uint32_t first, std::uint32_t second, std::int64_t duration) {
    if (q_.by.empty() || first == PairGroups::kNone || second == PairGroups::kNone) return;
    OfGroup& group = group_of_pair(first, second);
    if (group.wanted) group.quantiles.add(duration);
    if (first_sweep_ && duration >= q_.above) ++group.above;
  }

  struct Slow {
    KeyBits key;
    std::int64_t begin;
    std::int64_t duration;
  };
  // A heap with the least slow on top. Among equals the one that comes earlier counts as slower.
  static bool slower(const Slow& a, const Slow& b) {
    return a.duration != b.duration ? a.duration > b.duration : a.begin < b.begin;
  }

  static bool earlier(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : before_as_number(a.key, b.key);
  }
  void note_alone(const Event& event, std::uint64_t* count, std::vector<Event>* examples) const {
    if (!first_sweep_) return;
    ++*count;
    if (examples->size() == kExamples && !earlier(event, examples->back())) return;
    examples->insert(std::upper_bound(examples->begin(), examples->end(), event, earlier), event);
    if (examples->size() > kExamples) examples->pop_back();
  }

  void finish() {
    answer_.durations = quantiles_.moments();
    for (std::size_t i = 0; i < quantiles_.results().size(); ++i) {
      answer_.quantiles.emplace_back(kQuantiles[i], quantiles_.results()[i]);
    }
    answer_.bars = bins_.bars();
    for (const auto& [number, group] : of_groups_) add_group(number, group);
    std::sort(slowest_.begin(), slowest_.end(), slower);
    name_keys();
    for (const Slow& one : slowest_) answer_.slowest.push_back({names_[one.key], one.begin, one.duration});
    for (const Event& one : first_) answer_.first_examples.push_back({names_[one.key], one.time});
    for (const Event& one : second_) answer_.second_examples.push_back({names_[one.key], one.time});
  }

  void add_group(std::size_t number, const OfGroup& group) {
    PairGroup& added = answer_.groups.emplace_back();
    const std::vector<Cell> of_sides[2] = {groups_[0].cells(static_cast<std::uint32_t>(number / groups_[1].size())),
                                           groups_[1].cells(static_cast<std::uint32_t>(number % groups_[1].size()))};
    std::size_t next[2] = {};
    for (const PairBy& by : q_.by) added.keys.push_back(of_sides[by.side][next[by.side]++]);
    added.durations = group.quantiles.moments();
    for (std::size_t i = 0; i < group.quantiles.results().size(); ++i) {
      added.quantiles.emplace_back(kQuantiles[i], group.quantiles.results()[i]);
    }
    added.above = group.above;
    added.first_alone = group.first_alone;
  }

  // How the few keys that are shown are called, and where their records are: read again, for it is not kept of all.
  void name_keys() {
    std::map<Event, std::uint64_t> ranks;  // of the records of the slowest
    for (const Slow& one : slowest_) {
      names_.try_emplace(one.key);
      if (!q_.lines) continue;
      const auto rank = static_cast<std::uint64_t>(&one - slowest_.data());
      ranks.emplace(Event{one.key, one.begin, 0}, rank);
      ranks.emplace(Event{one.key, one.begin + one.duration, 1}, rank);
    }
    for (const auto* list : {&first_, &second_}) {
      for (const Event& one : *list) names_.try_emplace(one.key);
    }
    if (names_.empty()) return;
    std::mutex mutex;
    walk_.run([&](unsigned worker, const Part& part) {
      each_event(worker, part, [&](const Event& event, std::uint32_t row, const PairKeyReader& keys) {
        const auto found = names_.find(event.key);
        if (found == names_.end()) return;
        const auto rank = ranks.find(Event{event.key, event.time, event.side});
        const std::lock_guard lock(mutex);
        found->second = keys.cells(row);
        if (rank != ranks.end()) answer_.lines.records.push_back(ref_of(part, row, rank->second));
      });
    });
    for (auto& [key, cells] : names_) cells.resize(q_.keys.size());  // of a block that was not read once more: none
    std::sort(answer_.lines.records.begin(), answer_.lines.records.end(), is_before);
  }

  const PairQuestion& q_;
  Statement both_;
  PartWalk walk_;
  std::vector<PairKeyReader> readers_;  // one a worker
  std::vector<KeySpec> specs_[2];       // of groups, by side
  PairGroups groups_[2];
  const std::size_t most_open_;
  bool first_sweep_ = true;
  KeyBits key_{};                          // whose records wait
  std::deque<std::int64_t> open_;          // when; the earliest in front
  std::deque<std::uint32_t> open_groups_;  // of these, if there are groups
  std::uint64_t early_ = 0;                // of the second statement that nothing waited for
  DurationQuantiles quantiles_;
  bool wanted_ = true;  // they have to be shown what there is
  DurationBins bins_;
  std::map<std::size_t, OfGroup>
      of_groups_;  // by group of the first times groups of the second, plus that of the second
  std::vector<Slow> slowest_;
  std::vector<Event> first_;
  std::vector<Event> second_;
  std::map<KeyBits, std::vector<Cell>> names_;
  PairAnswer answer_;
};

}  // namespace

Result<std::vector<PairBy>> parse_pair_by(const std::vector<std::string>& texts, const Statement& first,
                                          const Statement& second, const TimeSpan* local_span) {
  std::vector<PairBy> all;
  for (const std::string& text : texts) {
    auto of_first = parse_keys({text}, &first, local_span);
    std::uint32_t side = 0;
    if (!of_first.ok()) {
      auto of_second = parse_keys({text}, &second, local_span);
      if (!of_second.ok()) return of_first.status();
      of_first = std::move(of_second);
      side = 1;
    }
    all.push_back({side, std::move((*of_first)[0])});
  }
  if (all.size() > kMaxKeys) {
    return Status(StatusCode::kInvalidArgument, "--by can be given at most " + std::to_string(kMaxKeys) + " times");
  }
  return all;
}

Result<PairAnswer> pair_records(const PairQuestion& question) {
  return Pairing(question).run();
}

}  // namespace steno::query
