#include "ledger.h"

#include <algorithm>
#include <charconv>

namespace steno::crash {
namespace {

constexpr std::size_t kMostProblems = 12;
constexpr std::size_t kShown = 100;  // bytes of a message

bool leading_number(std::string_view text, std::uint64_t* number) {
  return std::from_chars(text.data(), text.data() + text.size(), *number).ec == std::errc();
}

std::string shown(std::string_view message) {
  return "'" + std::string(message.substr(0, kShown)) + (message.size() > kShown ? "...'" : "'");
}

bool has_number(std::uint64_t number) {
  return shape_of(number) != Shape::kNothing && shape_of(number) != Shape::kShort;
}

}  // namespace

void Ledger::report(const Key& key, const std::string& what) {
  if (++problem_count_ > kMostProblems) return;
  problems_.push_back(thread_name(key.first, key.second) + ": " + what);
}

std::string Ledger::problems() const {
  std::string text;
  for (const std::string& problem : problems_) text += problem + "\n";
  if (problem_count_ > problems_.size()) text += std::to_string(problem_count_ - problems_.size()) + " more\n";
  return text;
}

std::uint64_t Ledger::dropped(std::uint64_t run) const {
  const auto discarded = discarded_.find(run);
  std::uint64_t total = discarded != discarded_.end() ? discarded->second : 0;
  for (const auto& [key, thread] : threads_) total += key.first == run ? thread.dropped : 0;
  return total;
}

bool Ledger::absent(std::uint64_t run) const {
  return std::none_of(threads_.begin(), threads_.end(), [run](const auto& entry) { return entry.first.first == run; });
}

std::uint64_t Ledger::deaths(pid_t pid) const {
  const auto found = deaths_.find(static_cast<std::uint64_t>(pid));
  return found != deaths_.end() ? found->second : 0;
}

// The protocol's own message about the end of a process.
bool Ledger::add_death(std::string_view message) {
  constexpr std::string_view kProcess = "process ";
  std::uint64_t pid = 0;
  if (!message.starts_with(kProcess) || message.find(") died at about ") == std::string_view::npos) return false;
  if (!leading_number(message.substr(kProcess.size()), &pid)) return false;
  if (++deaths_[pid] > 1) report({}, shown(message) + " is told again");
  return true;
}

// The protocol's own messages about records that are not there.
bool Ledger::add_loss(std::uint64_t run, Thread* thread, std::string_view message) {
  std::uint64_t count = 0;
  if (!leading_number(message, &count)) return false;
  if (message.find(" records dropped here:") != std::string_view::npos) {
    thread->dropped += count;
    thread->pending += count;
    return true;
  }
  if (message.find(" records discarded:") == std::string_view::npos) return false;
  discarded_[run] += count;
  return true;
}

bool Ledger::place(unsigned id, Thread* thread, const Line& line, std::uint64_t number) {
  const Expected expected = expected_message(id, number);
  if (expected.logger != line.logger || expected.level != line.level || !reads_as(expected, line.message)) return false;
  if (number != thread->next) thread->gap = std::min(thread->gap, thread->next);
  thread->next = number + 1;
  thread->pending = 0;
  return true;
}

// Returns whether the records that carry no number are, in this order, numbers up to `end`.
bool Ledger::place_unplaced(unsigned id, Thread* thread, std::uint64_t end) {
  std::uint64_t number = thread->next;
  for (const std::string& message : thread->unplaced) {
    while (number < end && (has_number(number) || expected_message(id, number).message != message)) ++number;
    if (number++ >= end) return false;
  }
  thread->unplaced.clear();
  return true;
}

void Ledger::place_behind_gap(const Key& key, Thread* thread, const Line& line) {
  std::uint64_t number = 0;
  const bool numbered = leading_number(line.message, &number) && has_number(number);
  if (!numbered) {
    thread->unplaced.emplace_back(line.message);
    return;
  }
  if (number < thread->next) {
    report(key, shown(line.message) + " comes again, or late: " + std::to_string(thread->next) + " was next");
    --thread->present;
    return;
  }
  if (!place_unplaced(key.second, thread, number)) {
    report(key, shown(thread->unplaced.front()) + " before number " + std::to_string(number) + " is no message from " +
                    std::to_string(thread->next) + " on");
    thread->unplaced.clear();
  }
  if (!place(key.second, thread, line, number)) {
    report(key, shown(line.message) + " should read " + shown(expected_message(key.second, number).message));
    thread->next = number + 1;
  }
}

void Ledger::add(const Line& line) {
  ++records_;
  if (add_death(line.message) || line.message.starts_with("flight recorder: ")) return;
  Key key;
  if (!parse_thread_name(line.thread, &key.first, &key.second)) {
    report(key, "unknown thread " + shown(line.thread) + " says " + shown(line.message));
    return;
  }
  Thread& thread = threads_[key];
  if (add_loss(key.first, &thread, line.message)) return;
  ++thread.present;
  if (thread.unplaced.empty()) {
    if (place(key.second, &thread, line, thread.next)) return;
    if (thread.pending != 0 && place(key.second, &thread, line, thread.next + thread.pending)) return;
  }
  place_behind_gap(key, &thread, line);
}

void Ledger::check(std::uint64_t run, const Counts& counts, bool orderly) {
  const std::uint64_t inside = orderly ? 0 : 1;  // calls that had not returned
  std::uint64_t unexplained = 0;
  std::uint64_t in_flight = 0;  // threads whose last call may or may not have been refused
  // Drops that a killed process had not told of are told under the name of who had the ring last: their number is
  // right, of all threads together.
  std::uint64_t told_of_others = 0;
  std::vector<std::pair<Key, std::string>> disagree;
  for (unsigned id = 0; id < kMaxThreads; ++id) {
    const Key key{run, id};
    Thread& thread = threads_[key];
    const std::uint64_t done = counts.threads[id].done;
    if (!place_unplaced(id, &thread, done + inside)) report(key, shown(thread.unplaced.front()) + " cannot be placed");
    if (thread.next > done + inside) {
      report(key, "has number " + std::to_string(thread.next - 1) + ", but only " + std::to_string(done) +
                      " calls had returned");
    }
    const bool one_more = thread.next == done + 1;
    const std::uint64_t missing = done + (one_more ? 1 : 0) - thread.present;
    if (missing == thread.dropped) continue;
    if (missing + inside == thread.dropped && !one_more) continue;  // its last call was refused, and had not returned
    if (static_cast<std::int64_t>(missing) > static_cast<std::int64_t>(thread.dropped)) {
      unexplained += missing - thread.dropped;
      in_flight += one_more ? 0 : inside;
      if (discarded_[run] != 0) continue;
    } else if (!orderly) {
      told_of_others += thread.dropped - missing;
    }
    disagree.emplace_back(
        key, std::to_string(done) + " calls returned, " + std::to_string(thread.present) + " records are there" +
                 (one_more ? " (one had not returned)" : "") + ", " + std::to_string(thread.dropped) +
                 " told dropped, " +
                 (thread.gap < thread.next ? "first gap at " + std::to_string(thread.gap) + ", " : "") +
                 "last number " + std::to_string(static_cast<std::int64_t>(thread.next) - 1));
  }
  const std::uint64_t discarded = discarded_[run];
  const std::uint64_t told = discarded + told_of_others;
  const bool agree = told >= unexplained && told <= unexplained + in_flight;
  if (!agree || told_of_others == 0) {
    for (const auto& [key, text] : disagree) report(key, text);
  }
  if (!agree) report({run, 0}, std::to_string(discarded) + " discarded, " + std::to_string(unexplained) + " missing");
}

}  // namespace steno::crash
