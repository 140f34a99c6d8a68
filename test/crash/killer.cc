#include "killer.h"

#include <steno/session.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>

namespace steno::crash {
namespace {

constexpr std::uint64_t kCallsPerLog = 150'000;  // then a fresh log: each round reads all of it
constexpr std::size_t kVictimsPerLog = 12;

using Random = std::mt19937_64;

std::uint64_t between(Random& random, std::uint64_t least, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
}
bool one_in(Random& random, std::uint64_t n) {
  return between(random, 1, n) == 1;
}
template <std::size_t N>
std::uint64_t one_of(Random& random, const std::uint64_t (&values)[N]) {
  return values[between(random, 0, N - 1)];
}

Settings random_settings(Random& random) {
  Settings settings;
  settings.emplace_back("threads", between(random, 1, kMaxThreads));
  settings.emplace_back("ring", one_of(random, {4096, 4096, 16384, 65536, 262144, 1048576}));
  settings.emplace_back("flush_ms", one_of(random, {0, 1, 1, 5, 5000, 5000}));
  settings.emplace_back("pace", one_of(random, {0, 1, 3, 10, 30, 100}));
  settings.emplace_back("drop", one_in(random, 6));
  settings.emplace_back("early", one_in(random, 8));
  settings.emplace_back("poll", one_in(random, 8));
  if (one_in(random, 6)) settings.emplace_back("sync", static_cast<std::uint64_t>(Sync::kEachBlock));
  if (one_in(random, 6)) settings.emplace_back("sync", static_cast<std::uint64_t>(Sync::kInterval));
  if (one_in(random, 6)) settings.emplace_back("flush_us", between(random, 100, 5000));
  if (one_in(random, 4)) settings.emplace_back("restart_us", between(random, 100, 10000));
  if (one_in(random, 4)) settings.emplace_back("rotate_us", between(random, 500, 10000));
  if (one_in(random, 4)) settings.emplace_back("own_rotate_us", between(random, 500, 10000));
  if (one_in(random, 4)) settings.emplace_back("rotate_bytes", between(random, 4096, 65536));
  // Many records of a thread have the same tick.
  if (one_in(random, 6)) settings.emplace_back("clock", static_cast<std::uint64_t>(Clock::kCoarse));
  // This option helps to narrow down a failure.
  if (const char* name = getenv("STENO_CRASH_WITHOUT"))
    std::erase_if(settings, [name](const auto& setting) { return setting.first == name; });
  return settings;
}

// When to kill: so long after something was seen to have happened.
struct Moment {
  const char* name;
  std::function<bool(const Counts&)> happened;
  std::uint64_t delay_us;
};

bool has(const Settings& settings, std::string_view name) {
  return std::any_of(settings.begin(), settings.end(), [name](const auto& setting) { return setting.first == name; });
}

Moment random_moment(Random& random, const Settings& settings) {
  if (has(settings, "restart_us") && one_in(random, 3)) {
    const std::uint64_t restarts = between(random, 1, 4);
    return {"a restart", [restarts](const Counts& counts) { return counts.restarts >= restarts; },
            between(random, 0, 1500)};
  }
  if (has(settings, "rotate_us") && one_in(random, 3)) {
    return {"a rotation", [](const Counts& counts) { return counts.rotations != 0; }, between(random, 0, 3000)};
  }
  if (one_in(random, 4)) return {"its birth", [](const Counts&) { return true; }, between(random, 0, 6000)};
  return {"its start", [](const Counts& counts) { return counts.started != 0; }, between(random, 0, 50000)};
}

// A life of a second and more: so often does the scribe look whether its log is another file.
Moment late_moment(Random& random, Settings* settings) {
  std::erase_if(*settings, [](const auto& setting) { return setting.first == "restart_us"; });
  settings->emplace_back("pace", 3);  // or there is too much to read
  settings->emplace_back("rotate_us", between(random, 500, 500000));
  return {"its log was opened anew", [](const Counts& counts) { return counts.reopened != 0; },
          between(random, 0, 1000)};
}

void wait_for(const Moment& moment, const SharedCounts& counts) {
  for (int i = 0; i < 100'000 && !moment.happened(counts.read()); ++i) sleep_us(50);
  if (moment.delay_us != 0) sleep_us(static_cast<std::int64_t>(moment.delay_us));
}

}  // namespace

std::uint64_t first_seed() {
  const char* given = getenv("STENO_CRASH_SEED");
  return given != nullptr ? strtoull(given, nullptr, 0) : std::random_device{}() * std::uint64_t{1000};
}

Killer::Killer(Arena& arena, std::string checker_program) : arena_(arena), program_(std::move(checker_program)) {}

Problem Killer::round(std::uint64_t seed) {
  Random random(seed);
  story_ = "seed " + std::to_string(seed) + ":";
  Problem problem = kill_one(random, seed % 25 == 0);
  if (!problem) problem = look_after(random);
  if (problem) return problem;
  if (calls_in_log_ < kCallsPerLog && victims_.size() < kVictimsPerLog && !one_in(random, 8)) return std::nullopt;
  return finish();
}

Problem Killer::finish() {
  if (Problem problem = recover()) return problem;
  if (Problem problem = check_recovered()) return problem;
  for (const Victim& victim : victims_) {
    for (const Count& count : victim.counts.threads) report_.calls += count.done;
  }
  report_.dropped += dropped_in_log_;
  start_afresh();
  return std::nullopt;
}

Problem Killer::kill_one(Random& random, bool late) {
  Settings settings = random_settings(random);
  Victim victim;
  victim.run = ++last_run_;
  const SharedCounts counts(arena_.counts_path(victim.run));
  const Moment moment = late ? late_moment(random, &settings) : random_moment(random, settings);
  const bool disturb = one_in(random, 6);
  story_ += " run " + std::to_string(victim.run) + ", " + text_of(settings) + ", killed " +
            std::to_string(moment.delay_us) + " us after " + moment.name + (disturb ? ", a recovery alongside" : "");
  Process checker = arena_.start_checker(program_, victim.run, settings);
  victim.pid = checker.pid();
  std::optional<Process> recovery;
  if (disturb) recovery.emplace(arena_.start_steno({"recover", arena_.log()}, "alongside"));
  wait_for(moment, counts);
  checker.kill();
  const End end = checker.wait();
  if (recovery) recovery->wait();  // there may have been no log yet
  ++report_.kills;
  victim.counts = counts.read();
  victim.in_session = victim.counts.started != 0 && !has(settings, "restart_us") && end.killed();
  bury(victim);
  victims_.push_back(victim);
  if (end.killed()) return std::nullopt;
  return "the checker ended by itself, with " + end.text() + ": " + read_text(arena_.said_path("checker"));
}

// Takes stock of a dead checker. Records that wait for a first start() have no log to be recovered into.
void Killer::bury(Victim& victim) {
  report_.rotations += victim.counts.rotations;
  report_.reopened += victim.counts.reopened;
  report_.restarts += victim.counts.restarts;
  for (const Count& count : victim.counts.threads) calls_in_log_ += count.done;
  if (victim.counts.started != 0) return;
  ++report_.unstarted;
  for (const auto& staging : arena_.stagings()) {
    if (!Arena::is_homeless(staging)) continue;
    arena_.remove_staging(staging);
    victim.counts = {};
  }
}

Problem Killer::look_after(Random& random) {
  if (one_in(random, 3)) {
    story_ += ", read";
    if (Problem problem = check_by_cat("before recovery")) return problem;
  }
  switch (between(random, 0, 3)) {
    case 0:  // the next start() finds it
      story_ += ", left";
      return std::nullopt;
    case 1:
      story_ += ", recovery killed";
      kill_recoveries(random);
      if (one_in(random, 2)) {
        if (Problem problem = check_by_cat("after killed recoveries")) return problem;
      }
      break;
    case 2:
      story_ += ", recovered twice at once";
      if (Problem problem = recover_twice_at_once()) return problem;
      break;
    default:
      break;
  }
  story_ += ", recovered";
  if (Problem problem = recover()) return problem;
  return check_recovered();
}

Problem Killer::check_end(const End& end, const std::string& who) {
  if (end.ok()) return std::nullopt;
  return "steno " + who + " ends with " + end.text() + ": " + read_text(arena_.said_path(who));
}

Problem Killer::recover() {
  // A process that dies before it opens the log leaves nothing to recover.
  if (arena_.log_files().empty() && arena_.stagings().empty()) return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  const End end = arena_.start_steno({"recover", arena_.log()}, "recover").wait();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  report_.longest_recovery = std::max(report_.longest_recovery, took.count());
  ++report_.recoveries;
  return check_end(end, "recover");
}

Problem Killer::recover_twice_at_once() {
  if (arena_.log_files().empty() && arena_.stagings().empty()) return std::nullopt;
  Process one = arena_.start_steno({"recover", arena_.log()}, "recover-one");
  Process other = arena_.start_steno({"recover", arena_.log()}, "recover-other");
  const End one_end = one.wait();
  const End other_end = other.wait();
  report_.recoveries += 2;
  if (Problem problem = check_end(one_end, "recover-one")) return problem;
  return check_end(other_end, "recover-other");
}

void Killer::kill_recoveries(Random& random) {
  for (std::uint64_t n = between(random, 1, 4); n != 0; --n) {
    Process recovery = arena_.start_steno({"recover", arena_.log()}, "recover-killed");
    sleep_us(static_cast<std::int64_t>(between(random, 0, 6000)));
    recovery.kill();
    report_.recoveries_killed += recovery.wait().killed();
  }
}

Problem Killer::hold(Ledger& ledger, const std::string& where) {
  for (const Victim& victim : victims_) {
    ledger.check(victim.run, victim.counts);
    const std::uint64_t deaths = ledger.deaths(victim.pid);
    if (victim.in_session && deaths != 1) {
      return where + ": run " + std::to_string(victim.run) + " died, and " + std::to_string(deaths) +
             " records tell it";
    }
  }
  if (ledger.complete()) return std::nullopt;
  return where + ":\n" + ledger.problems();
}

Problem Killer::check_by_cat(const std::string& where) {
  Ledger ledger;
  if (arena_.log_files().empty() && arena_.stagings().empty()) return std::nullopt;
  if (Problem problem = arena_.cat_log(&ledger)) return where + ": " + *problem;
  return hold(ledger, "steno cat " + where);
}

Problem Killer::check_recovered() {
  Ledger ledger;
  if (Problem problem = arena_.read_log(&ledger)) return problem;
  if (Problem problem = hold(ledger, "recovered")) return problem;
  if (const std::string left = arena_.leftovers(); !left.empty()) return "staging is left: " + left;
  dropped_in_log_ = 0;
  for (const Victim& victim : victims_) dropped_in_log_ += ledger.dropped(victim.run);
  return check_verify(dropped_in_log_ != 0);
}

// `steno verify` agrees: complete, or nothing but drops is missing.
Problem Killer::check_verify(bool drops) {
  const std::optional<End> end = arena_.verify_log();
  if (!end) return std::nullopt;
  const std::string said = read_text(arena_.said_path("verify"));
  std::size_t others = 0;
  for (std::size_t at = 0; at < said.size();) {
    const std::string line = said.substr(at, said.find('\n', at) - at);
    at += line.size() + 1;
    others += line.find("complete: ") == std::string::npos && line.find("dropped") == std::string::npos;
  }
  if (!end->signalled && end->code == (drops ? 1 : 0) && others == 0) return std::nullopt;
  return "steno verify ends with " + end->text() + (drops ? " (there are drops): " : ": ") + said;
}

void Killer::start_afresh() {
  for (const Victim& victim : victims_) std::filesystem::remove(arena_.counts_path(victim.run));
  victims_.clear();
  calls_in_log_ = 0;
  arena_.remove_logs();
}

}  // namespace steno::crash
