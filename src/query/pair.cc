#include "query/pair.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <map>
#include <mutex>

#include "base/checksum.h"
#include "query/text_codes.h"

namespace steno::query {
namespace {

constexpr std::size_t kExamples = 5;
constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};

// A key's value in 128 bits: a number as it is, a text by its hash (which two of 2^64 texts might share).
struct KeyBits {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const KeyBits&, const KeyBits&) = default;
};

struct Event {
  KeyBits key;
  std::int64_t time = 0;
  std::uint32_t side = 0;  // 0: the first statement
};

bool event_before(const Event& a, const Event& b) {
  if (a.key != b.key) return a.key < b.key;
  return a.time != b.time ? a.time < b.time : a.side < b.side;
}

KeyBits bits_of_text(std::string_view text) {
  return {xxh3(text.data(), text.size(), 1), xxh3(text.data(), text.size(), 2)};
}

KeyBits bits_of_number(ArgType type, std::uint64_t value) {
  if (kind_of_type(type) == NumberKind::kReal) {
    const double real = type == ArgType::kF32
                            ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)))
                            : std::bit_cast<double>(value);
    return {0, std::bit_cast<std::uint64_t>(real)};
  }
  const bool negative = is_signed_integer(type) && static_cast<std::int64_t>(value) < 0;
  return {negative ? ~std::uint64_t{0} : 0, value};
}

std::uint64_t spread(const KeyBits& key) {
  std::uint64_t h = (key.low ^ std::rotl(key.high, 32)) * 0x9E3779B97F4A7C15;
  return h ^ h >> 31;
}

Cell cell_of_number(ArgType type, std::uint64_t value) {
  if (kind_of_type(type) == NumberKind::kReal)
    return Cell::of_real(std::bit_cast<double>(bits_of_number(type, value).low));
  return is_signed_integer(type) ? Cell::of(static_cast<std::int64_t>(value))
                                 : Cell::of(static_cast<text::Int128>(value));
}

// visit(row, bits, text or nullptr, number) for the kept rows of a part.
template <class Visit>
void each_key(const Part& part, std::uint32_t column, const Visit& visit) {
  const ArgType type = part.view->type_of(part.group, column);
  if (counts_as_text(type)) {
    const TextCodes texts = read_texts(part, column);
    std::vector<KeyBits> bits;
    for (const std::string& text : texts.texts) bits.push_back(bits_of_text(text));
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (part.keep != nullptr && part.keep[row] == 0) continue;
      visit(row, bits[texts.codes[row]], &texts.texts[texts.codes[row]], std::uint64_t{0});
    }
    return;
  }
  const std::span<const std::uint64_t> values = part.view->ints(part.group, column);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (part.keep != nullptr && part.keep[row] == 0) continue;
    visit(row, bits_of_number(type, values[row]), static_cast<const std::string*>(nullptr), values[row]);
  }
}

class Pairing {
 public:
  explicit Pairing(const PairQuestion& question) : q_(question), both_(join(question)), walk_(subject()) {}

  Result<PairAnswer> run() {
    if (Status status = check(); !status.ok()) return status;
    const std::uint64_t total = count();
    const std::size_t room = std::max<std::size_t>(q_.memory / 2 / sizeof(Event), 1024);
    most_durations_ = q_.memory / 2 / sizeof(std::int64_t);
    passes_ = total / room + 1;
    for (std::uint64_t pass = 0; pass < passes_; ++pass) {
      if (!match(collect(pass))) {
        return Status(StatusCode::kExhausted,
                      "more pairs than --memory has room for; ask for less with --since or --where");
      }
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
      each_key(part, (side == 0 ? q_.first_key : q_.second_key).index,
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

  std::vector<Event> collect(std::uint64_t pass) {
    std::vector<std::vector<Event>> of_worker(walk_.workers());
    walk_.run([&](unsigned worker, const Part& part) {
      each_event(part, [&](const Event& event, const std::string*, std::uint64_t, std::size_t) {
        if (passes_ == 1 || spread(event.key) % passes_ == pass) of_worker[worker].push_back(event);
      });
    });
    answer_.failures = walk_.failures();
    std::vector<Event> events = std::move(of_worker[0]);
    for (std::size_t w = 1; w < of_worker.size(); ++w) {
      events.insert(events.end(), of_worker[w].begin(), of_worker[w].end());
      of_worker[w] = {};
    }
    std::sort(events.begin(), events.end(), event_before);
    return events;
  }

  // False: too many.
  bool match(const std::vector<Event>& events) {
    for (std::size_t begin = 0; begin < events.size();) {
      std::size_t end = begin;
      while (end < events.size() && events[end].key == events[begin].key) ++end;
      std::size_t open = begin;  // the earliest of the first statement that nothing has ended
      for (std::size_t i = begin; i < end; ++i) {
        if (events[i].side == 0) continue;
        while (open < i && events[open].side != 0) ++open;
        if (open < i) {
          if (durations_.size() >= most_durations_) return false;
          note_pair(events[open], events[i]);
          ++open;
        } else {
          note_alone(events[i], &answer_.second_alone, &second_);
        }
      }
      for (; open < end; ++open) {
        if (events[open].side == 0) note_alone(events[open], &answer_.first_alone, &first_);
      }
      begin = end;
    }
    return true;
  }

  void note_pair(const Event& from, const Event& to) {
    std::int64_t duration = 0;
    if (__builtin_sub_overflow(to.time, from.time, &duration)) duration = INT64_MAX;
    durations_.push_back(duration);
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
  // A heap with the least slow on top.
  static bool slower(const Slow& a, const Slow& b) {
    return a.duration != b.duration ? a.duration > b.duration : a.begin < b.begin;
  }

  static void note_alone(const Event& event, std::uint64_t* count, std::vector<Event>* examples) {
    ++*count;
    examples->push_back(event);
    std::sort(examples->begin(), examples->end(),
              [](const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.key < b.key; });
    if (examples->size() > kExamples) examples->pop_back();
  }

  void finish() {
    for (const std::int64_t d : durations_)
      answer_.durations.add(NumberKind::kSigned, static_cast<std::uint64_t>(d) ^ kSignBit);
    for (const double q : kQuantiles) {
      if (durations_.empty()) break;
      const double position = std::ceil(q * static_cast<double>(durations_.size()) - 1e-9);
      const std::size_t rank = std::min(durations_.size() - 1, static_cast<std::size_t>(std::max(1.0, position)) - 1);
      std::nth_element(durations_.begin(), durations_.begin() + static_cast<std::ptrdiff_t>(rank), durations_.end());
      answer_.quantiles.emplace_back(q, durations_[rank]);
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
        found->second =
            text != nullptr ? Cell::of_text(*text) : cell_of_number(site.layout()->fields[key.index].type, number);
        found->second.copied = true;
      });
    });
  }

  const PairQuestion& q_;
  Statement both_;
  PartWalk walk_;
  std::uint64_t passes_ = 1;
  std::size_t most_durations_ = 0;
  std::vector<std::int64_t> durations_;
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
