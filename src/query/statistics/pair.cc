#include "query/statistics/pair.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "query/narrow.h"
#include "query/statistics/duration_quantiles.h"
#include "query/statistics/pair_events.h"
#include "query/statistics/text_codes.h"

namespace steno::query {
namespace {

constexpr std::size_t kExamples = 5;
const std::vector<double> kQuantiles = {0.5, 0.9, 0.99, 0.999};

Cell cell_of_number(ArgType type, std::uint64_t value) {
  if (type == ArgType::kF32)
    return Cell::of_real(printed_value(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
  if (kind_of_type(type) == NumberKind::kReal) return Cell::of_real(std::bit_cast<double>(value));
  return is_signed_integer(type) ? Cell::of(static_cast<std::int64_t>(value))
                                 : Cell::of(static_cast<text::Int128>(value));
}

// visit(row, bits, text or nullptr, number) for the kept rows of a part that have a value there.
template <class Visit>
void each_key(const Part& part, std::uint32_t column, const Visit& visit) {
  const ArgType type = part.view->type_of(part.group, column);
  const text::Presence* const presence = part.view->groups()[part.group].site->presences().of(column);
  const std::span<const std::uint64_t> flags =
      presence != nullptr ? part.view->ints(part.group, presence->field) : std::span<const std::uint64_t>();
  const auto skips = [&](std::size_t row) {
    return (part.keep != nullptr && part.keep[row] == 0) || (presence != nullptr && flags[row] != presence->value);
  };
  if (counts_as_text(type)) {
    const TextCodes texts = read_texts(part, column);
    std::vector<KeyBits> bits;
    for (const std::string& text : texts.texts) bits.push_back(KeyBits::of_text(text));
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (skips(row)) continue;
      visit(row, bits[texts.codes[row]], &texts.texts[texts.codes[row]], std::uint64_t{0});
    }
    return;
  }
  const std::span<const std::uint64_t> values = part.view->ints(part.group, column);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (skips(row)) continue;
    visit(row, KeyBits::of_number(type, values[row]), static_cast<const std::string*>(nullptr), values[row]);
  }
}

class Pairing {
 public:
  explicit Pairing(const PairQuestion& question)
      : q_(question),
        both_(join(question)),
        walk_(subject()),
        most_open_(std::max<std::size_t>(q_.memory / 4 / sizeof(std::int64_t), 1024)),
        quantiles_(kQuantiles, q_.memory / 8 / sizeof(std::uint64_t)) {}

  Result<PairAnswer> run() {
    if (Status status = check(); !status.ok()) return status;
    const std::uint64_t total = count();
    const std::size_t room = std::min<std::uint64_t>(q_.memory / 2 / sizeof(Event), total);
    bool again = true;
    for (first_sweep_ = true; again; first_sweep_ = false) {
      EventRoom events(room, walk_.workers());
      if (Status status = sweep(events, total); !status.ok()) return status;
      again = quantiles_.end_of_sweep();
    }
    finish();
    return std::move(answer_);
  }

 private:
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
    if ((as_text(q_.first_key) && as_text(q_.second_key)) || (as_number(q_.first_key) && as_number(q_.second_key)))
      return {};
    return {StatusCode::kInvalidArgument,
            "--key: '" + q_.first_key.name + "' is a text in one statement and a number in the other"};
  }

  template <class Visit>
  void each_event(const Part& part, const Visit& visit) {
    const reader::Site& site = *part.view->groups()[part.group].site;
    const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
    if (walls.empty()) return;
    for (const std::uint32_t side : {0u, 1u}) {
      if (!(side == 0 ? q_.first : q_.second).has(site)) continue;
      each_key(part, (side == 0 ? q_.first_key : q_.second_key).index_in(site),
               [&](std::size_t row, const KeyBits& key, const std::string* text, std::uint64_t number) {
                 visit(Event{key, walls[row], side}, text, number, row);
               });
    }
  }

  std::uint64_t count() {
    std::mutex mutex;
    std::uint64_t total = 0;
    walk_.run([&](unsigned, const Part& part) {
      const reader::Site& site = *part.view->groups()[part.group].site;
      const std::lock_guard lock(mutex);
      total += std::uint64_t{part.kept} * ((q_.first.has(site) ? 1u : 0u) + (q_.second.has(site) ? 1u : 0u));
    });
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
        each_event(part, [&](const Event& event, const std::string*, std::uint64_t, std::size_t) {
          events.add(worker, event);
        });
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
        open_.push_back(event.time);
      } else if (open_.empty()) {
        note_alone(event, &answer_.second_alone, &second_);
      } else {
        note_pair({key_, open_.front(), 0}, event);
        open_.pop_front();
      }
    }
    return true;
  }
  void end_key() {
    for (const std::int64_t time : open_) note_alone({key_, time, 0}, &answer_.first_alone, &first_);
    open_.clear();
  }

  void note_pair(const Event& from, const Event& to) {
    std::int64_t duration = 0;
    if (__builtin_sub_overflow(to.time, from.time, &duration)) duration = INT64_MAX;
    quantiles_.add(duration);
    if (!first_sweep_) return;
    if (slowest_.size() == q_.slowest && (q_.slowest == 0 || duration < slowest_.front().duration)) return;
    slowest_.push_back({from.key, from.time, duration});
    std::push_heap(slowest_.begin(), slowest_.end(), slower);
    if (slowest_.size() > q_.slowest) {
      std::pop_heap(slowest_.begin(), slowest_.end(), slower);
      slowest_.pop_back();
    }
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
    std::sort(slowest_.begin(), slowest_.end(), slower);
    name_keys();
    for (const Slow& one : slowest_) answer_.slowest.push_back({names_[one.key], one.begin, one.duration});
    for (const Event& one : first_) answer_.first_examples.push_back({names_[one.key], one.time});
    for (const Event& one : second_) answer_.second_examples.push_back({names_[one.key], one.time});
  }

  // What the few keys that are shown are called: read again, for it is not kept of all of them.
  void name_keys() {
    for (const Slow& one : slowest_) names_.try_emplace(one.key);
    for (const auto* list : {&first_, &second_}) {
      for (const Event& one : *list) names_.try_emplace(one.key);
    }
    if (names_.empty()) return;
    std::mutex mutex;
    walk_.run([&](unsigned, const Part& part) {
      each_event(part, [&](const Event& event, const std::string* text, std::uint64_t number, std::size_t) {
        const auto found = names_.find(event.key);
        if (found == names_.end()) return;
        const reader::Site& site = *part.view->groups()[part.group].site;
        const ArgumentOf& key = event.side == 0 ? q_.first_key : q_.second_key;
        const std::lock_guard lock(mutex);
        found->second = text != nullptr ? Cell::of_text(*text)
                                        : cell_of_number(site.layout()->fields[key.index_in(site)].type, number);
        found->second.copied = true;
      });
    });
  }

  const PairQuestion& q_;
  Statement both_;
  PartWalk walk_;
  const std::size_t most_open_;
  bool first_sweep_ = true;
  KeyBits key_{};                  // whose records wait
  std::deque<std::int64_t> open_;  // when; the earliest in front
  DurationQuantiles quantiles_;
  std::vector<Slow> slowest_;
  std::vector<Event> first_;
  std::vector<Event> second_;
  std::map<KeyBits, Cell> names_;
  PairAnswer answer_;
};

}  // namespace

Result<PairAnswer> pair_records(const PairQuestion& question) {
  return Pairing(question).run();
}

}  // namespace steno::query
