#include "input/shifts.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/nanoseconds.h"
#include "base/suggest.h"
#include "input/inputs.h"
#include "output/progress.h"
#include "output/table.h"
#include "query/filter/time_spec.h"
#include "query/statistics/order_search.h"
#include "reader/loss_text.h"

namespace steno::cli {
namespace {

Status bad_shift(const std::string& text) {
  return {StatusCode::kInvalidArgument, "--shift: " + text};
}

constexpr const char* kAuto = "auto";
constexpr const char* kByHand =
    "'steno clocks FILE... \"sent {id}\" \"received {id}\" --key id' takes two statements that must be in order, and "
    "prints the option";

// How far each host's shift may be from the truth, in ns: what the pairs on the way to the first host of its group add
// up to. Hosts that no bounded pairs join are not among them.
std::map<std::string, double> uncertainties(const std::vector<query::ClockShift>& shifts,
                                            const query::ClockGroup& group) {
  std::map<std::string, double> found = {{group.hosts[0], 0}};
  for (std::size_t round = 1; round < group.hosts.size(); ++round) {
    for (const query::ClockShift& shift : shifts) {
      if (!shift.bounded() || shift.contradicts()) continue;
      for (const auto& [from, to] : {std::pair(shift.reference, shift.host), std::pair(shift.host, shift.reference)}) {
        if (found.count(from) == 0) continue;
        const double by_this = found[from] + static_cast<double>(shift.uncertainty());
        const auto [place, added] = found.emplace(to, by_this);
        if (!added) place->second = std::min(place->second, by_this);
      }
    }
  }
  return found;
}

// The hosts that logged, in the order of the files.
std::vector<std::string> hosts_that_logged(const reader::LogSet& logs) {
  std::vector<std::string> hosts;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) hosts.push_back(session->info.host);
  }
  return hosts;
}

// Applies the estimate, with a line on standard error for each host that it moves.
Result<std::vector<std::string>> shifts_by_estimate(const reader::LogSet& logs, const std::string& reference) {
  std::optional<Progress> progress(std::in_place, ::isatty(STDOUT_FILENO) == 1);
  const Result<ShiftEstimate> estimate = estimate_shifts(logs, progress->meter(), reference);
  progress.reset();
  if (!estimate.ok()) return bad_shift("auto: " + estimate.status().message());
  std::vector<std::string> texts;
  std::vector<std::string> said;
  for (const HostEstimate& host : estimate->hosts) {
    texts.push_back(shift_text(host.shift));
    said.push_back("--shift auto: applies " + texts.back() + " (" +
                   duration_text(static_cast<double>(-host.shift.ahead)) + ")" +
                   (host.uncertainty ? ", uncertain by " + duration_text(*host.uncertainty) : std::string()));
  }
  if (said.empty()) said.emplace_back("--shift auto: all pairs are in order as they are, so nothing is moved");
  said.back() += "; by " + reader::counted(estimate->pairs, "pair", "pairs") + " of " + estimate->statements;
  for (const std::string& host : estimate->unknown)
    said.push_back("--shift auto: of '" + host + "' there is no estimate; its times stay as they are");
  for (const std::string& line : said) complain(line);
  return texts;
}

}  // namespace

Status check_reference(const std::string& reference, const reader::LogSet& logs) {
  const std::vector<std::string> hosts = hosts_that_logged(logs);
  if (reference.empty() || std::find(hosts.begin(), hosts.end(), reference) != hosts.end()) return {};
  return {StatusCode::kInvalidArgument,
          "--reference: there is no host '" + reference + "'" + did_you_mean(reference, hosts)};
}

Result<ShiftEstimate> estimate_shifts(const reader::LogSet& logs, WorkMeter* meter, const std::string& reference) {
  const auto none = [](const std::string& why) { return Status(StatusCode::kInvalidArgument, why); };
  const std::vector<std::string> hosts = hosts_that_logged(logs);
  if (std::all_of(hosts.begin(), hosts.end(), [&](const std::string& host) { return host == hosts[0]; })) {
    return none("all records are of one host, so there is nothing to estimate");
  }
  query::Subject subject;
  subject.logs = &logs;
  subject.meter = meter;
  const std::vector<query::OrderedStatements> ordered = query::find_ordered_statements(subject);
  if (ordered.empty()) {
    return none(std::string("there is no estimate, because no requests are known that enclose work on another host; ") +
                kByHand);
  }
  const query::ClockShifts answer = query::find_clock_shifts(subject, ordered);
  ShiftEstimate estimate;
  for (const query::ClockGroup& group : query::group_clocks(answer.shifts, reference)) {
    const bool contradicts = std::any_of(answer.shifts.begin(), answer.shifts.end(),
                                         [](const query::ClockShift& shift) { return shift.contradicts(); });
    if (contradicts || !group.fits) {
      return none("no one shift fits all pairs, so clocks drifted or were set; 'steno clocks' shows which: " +
                  words_for_clocks(ordered));
    }
    const std::map<std::string, double> within = uncertainties(answer.shifts, group);
    for (const query::HostShift& shift : group.shifts) {
      const auto found = within.find(shift.host);
      estimate.hosts.push_back({shift, found == within.end() ? std::nullopt : std::optional<double>(found->second)});
    }
  }
  std::set<std::string> unknown(hosts.begin(), hosts.end());
  for (const query::ClockShift& shift : answer.shifts) {
    estimate.pairs += shift.forth + shift.back;
    unknown.erase(shift.host);
    unknown.erase(shift.reference);
  }
  estimate.unknown = {unknown.begin(), unknown.end()};
  estimate.statements = words_for_clocks(ordered);
  return estimate;
}

std::string shift_text(const query::HostShift& shift) {
  return shift.host + "=" + machine_text(query::Cell::of(-shift.ahead), Zone::kUtc) + "ns";
}

std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-=").find(c) != std::string_view::npos;
  });
  if (plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string words_for_clocks(const std::vector<query::OrderedStatements>& ordered) {
  std::string text;
  for (std::size_t i = 0; i < ordered.size(); i += 2) {
    const query::PairKey& key = ordered[i].keys[0];
    const bool same = key.first.name == key.second.name;
    if (!text.empty()) text += "; ";
    for (std::size_t way = i; way < i + 2; ++way) {
      text += shell_word(ordered[way].first.format) + " " + shell_word(ordered[way].second.format) + " ";
    }
    text += "--key " + shell_word(same ? key.first.name : key.first.name + "=" + key.second.name);
  }
  return text;
}

Result<std::vector<std::string>> shift_hosts(const std::vector<std::string>& given, const reader::LogSet& logs,
                                             const std::string& reference) {
  const bool estimates = std::find(given.begin(), given.end(), kAuto) != given.end();
  if (!reference.empty() && !estimates) {
    return Status(StatusCode::kInvalidArgument, "--reference: it is for --shift auto; write both");
  }
  if (given.empty()) return given;
  const std::vector<std::string> hosts = hosts_that_logged(logs);
  std::vector<std::string> texts = given;
  if (estimates) {
    if (Status status = check_reference(reference, logs); !status.ok()) return status;
    if (given.size() != 1) return bad_shift("auto estimates the shifts of all hosts; give it alone");
    if (hosts.empty()) return std::vector<std::string>();
    auto estimated = shifts_by_estimate(logs, reference);
    if (!estimated.ok()) return estimated.status();
    texts = std::move(estimated).value();
  }
  std::map<std::string, std::int64_t> shifts;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos) return bad_shift("write HOST=DURATION, like db1=-1.7s, or auto");
    const std::string host = text.substr(0, equals);
    std::string amount = text.substr(equals + 1);
    const bool back = amount.starts_with('-');
    if (back || amount.starts_with('+')) amount.erase(0, 1);
    const auto duration = query::parse_duration(amount);
    if (!duration.ok()) return bad_shift(duration.status().message());
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      return bad_shift("there is no host '" + host + "'" + did_you_mean(host, hosts));
    }
    if (!shifts.emplace(host, back ? -*duration : *duration).second) {
      return bad_shift("host '" + host + "' is given twice");
    }
  }
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      const auto found = shifts.find(session->info.host);
      if (found != shifts.end()) session->clock = session->clock.moved(found->second);
    }
  }
  return texts;
}

}  // namespace steno::cli
