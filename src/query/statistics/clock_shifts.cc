#include "query/statistics/clock_shifts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace steno::query {
namespace {

struct HostEvent {
  KeyBits key;
  std::uint32_t side;
  std::uint32_t host;  // index
  std::int64_t time;
  friend auto operator<=>(const HostEvent&, const HostEvent&) = default;
};

// The hosts' names in their order.
std::vector<std::string> hosts_of(const reader::LogSet& logs) {
  std::set<std::string> names;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) names.insert(session->info.host);
  }
  return {names.begin(), names.end()};
}

std::uint32_t index_of_host(const std::vector<std::string>& hosts, const std::string& name) {
  return static_cast<std::uint32_t>(std::lower_bound(hosts.begin(), hosts.end(), name) - hosts.begin());
}

class Shifts {
 public:
  explicit Shifts(const Subject& subject) : subject_(subject), hosts_(hosts_of(*subject.logs)) {}

  void add(const OrderedStatements& ordered) {
    std::vector<HostEvent> events = gather(ordered);
    std::sort(events.begin(), events.end());
    for (std::size_t first = 0; first < events.size();) {
      std::size_t end = first;
      while (end < events.size() && events[end].key == events[first].key) ++end;
      add_key(std::span(events).subspan(first, end - first));
      first = end;
    }
  }

  ClockShifts take() {
    for (const auto& [hosts, shift] : found_) answer_.shifts.push_back(shift);
    return std::move(answer_);
  }

 private:
  std::vector<HostEvent> gather(const OrderedStatements& ordered) {
    Statement both = ordered.first;
    for (const reader::Site* site : ordered.second.sites) both.add(*site);
    Subject subject = subject_;
    subject.statement = &both;
    PartWalk walk(subject);
    std::vector<PairKeyReader> readers(walk.workers(), PairKeyReader(ordered.keys));
    std::vector<std::vector<HostEvent>> found(walk.workers());
    walk.run([&](unsigned worker, const Part& part) {
      const reader::Site& site = *part.view->groups()[part.group].site;
      const std::uint32_t host = index_of_host(hosts_, part.view->session().info.host);
      const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
      for (const std::uint32_t side : {0u, 1u}) {
        if (!(side == 0 ? ordered.first : ordered.second).has(site)) continue;
        readers[worker].read(part, side);
        for (std::uint32_t row = 0; row < walls.size(); ++row) {
          if (readers[worker].has(row)) found[worker].push_back({readers[worker].bits(row), side, host, walls[row]});
        }
      }
    });
    add_failures(walk.failures());
    std::vector<HostEvent> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

  // A block may fail for each of the statements.
  void add_failures(const std::vector<reader::DecodeFailure>& failures) {
    for (const reader::DecodeFailure& failure : failures) {
      if (failed_.emplace(failure.file, failure.damage.offset).second) answer_.failures.push_back(failure);
    }
  }

  // Those of one key, by side, host and time.
  void add_key(std::span<const HostEvent> events) {
    std::vector<std::span<const HostEvent>> groups[2];  // by side, one a host
    for (std::size_t first = 0; first < events.size();) {
      std::size_t end = first;
      while (end < events.size() &&
             std::tie(events[end].side, events[end].host) == std::tie(events[first].side, events[first].host)) {
        ++end;
      }
      groups[events[first].side].push_back(events.subspan(first, end - first));
      first = end;
    }
    for (const auto& from : groups[0]) {
      for (const auto& to : groups[1]) {
        if (from[0].host == to[0].host) continue;
        if (from.size() != to.size()) {
          ++answer_.left_out;
          continue;
        }
        for (std::size_t i = 0; i < from.size(); ++i) add_pair(from[i], to[i]);
      }
    }
  }

  void add_pair(const HostEvent& from, const HostEvent& to) {
    const bool forth = from.host < to.host;
    std::int64_t bound = 0;
    if (__builtin_sub_overflow(forth ? to.time : from.time, forth ? from.time : to.time, &bound)) return;
    const auto hosts = std::minmax(from.host, to.host);
    ClockShift& shift = found_[{hosts.first, hosts.second}];
    shift.reference = hosts_[hosts.first];
    shift.host = hosts_[hosts.second];
    if (forth) {
      ++shift.forth;
      shift.most = std::min(shift.most, bound);
    } else {
      ++shift.back;
      shift.least = std::max(shift.least, bound);
    }
  }

  const Subject& subject_;
  const std::vector<std::string> hosts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ClockShift> found_;
  std::set<std::pair<const reader::LogFile*, std::uint64_t>> failed_;  // files and offsets
  ClockShifts answer_;
};

}  // namespace

ClockShifts find_clock_shifts(const Subject& subject, const std::vector<OrderedStatements>& ordered) {
  Shifts shifts(subject);
  for (const OrderedStatements& statements : ordered) shifts.add(statements);
  return shifts.take();
}

}  // namespace steno::query
