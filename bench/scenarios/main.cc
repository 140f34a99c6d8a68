// The scenarios by which mini-async-log and Log4j 2 were compared with others, on the loggers that are here, one
// process for each of logger, scenario and number of threads: many messages by 1 to 16 threads (wall and CPU time, page
// faults), the latency of calls, peak throughput, and response time at a fixed load. What their authors measured is in
// bench/results/published.json.
//
//   scenarios [--messages N] ...      default: 400,000 of 1 to 16 threads
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "common/harness.h"
#include "scenarios/logger.h"
#include "scenarios/process.h"
#include "scenarios/run.h"

namespace steno::bench {
namespace {

std::string with_unit(unsigned threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

void show(const Logger& logger, const std::string& what, const std::vector<double>& numbers) {
  std::printf("%-18s %-34s", logger.name(), what.c_str());
  for (const double number : numbers) std::printf(" %10.4g", number);
  std::printf("\n");
  std::fflush(stdout);
}

// Number by number, the median of as many runs as fit into `seconds`, one at least and five at most.
std::vector<double> median_of_runs(double seconds, const std::function<std::vector<double>()>& run) {
  std::vector<std::vector<double>> runs;
  const double begin = seconds_now();
  do {
    runs.push_back(run());
  } while (runs.size() < 5 && seconds_now() - begin < seconds);
  std::vector<double> medians;
  for (std::size_t n = 0; n < runs.front().size(); ++n) {
    std::vector<double> values;
    for (const std::vector<double>& one : runs) values.push_back(one[n]);
    medians.push_back(median(values));
  }
  return medians;
}

// "400,000"
std::string in_groups(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::vector<Suite> work_suites(const Flags& flags, const Loggers& loggers, const std::vector<unsigned>& threads,
                               std::size_t messages) {
  const std::string all_messages = in_groups(messages) + " messages by 1 to 16 threads";
  Suite calls{"scenario_calls", all_messages + ", until the calls have returned", "million messages/s", false, {}, {}};
  Suite on_file{"scenario_on_file", all_messages + ", until all are on file", "million messages/s", false, {}, {}};
  Suite cpu{"scenario_cpu", all_messages + ": CPU time of the process", "ns a message", true, {}, {}};
  Suite callers{"scenario_callers", all_messages + ": CPU time of the threads that log", "ns a message", true, {}, {}};
  Suite faults{"scenario_faults", all_messages + ": page faults of the process", "see the columns", true, {}, {}};
  for (const auto& logger : loggers) {
    std::vector<Row> rows(5, Row{logger->name(), {}});
    double major = 0;
    double missing = 0;
    for (const unsigned t : threads) {
      const std::vector<double> found = median_of_runs(flags.smoke ? 0 : 0.6, [&] {
        return in_own_process(flags.directory, [&](const std::string& log) { return work(*logger, log, t, messages); });
      });
      show(*logger, with_unit(t), found);
      const int numbers[] = {kCallsPerSecond, kOnFilePerSecond, kCpu, kCallersCpu, kMinorFaults};
      for (std::size_t n = 0; n < rows.size(); ++n)
        rows[n].values.emplace_back(with_unit(t), found[static_cast<std::size_t>(numbers[n])]);
      major += found[kMajorFaults];
      missing += found[kMissing];
    }
    rows[4].values.emplace_back("major ones, all runs", major);
    rows[4].values.emplace_back("messages missing, all runs", missing);
    Suite* const suites[] = {&calls, &on_file, &cpu, &callers, &faults};
    for (std::size_t n = 0; n < rows.size(); ++n) suites[n]->rows.push_back(rows[n]);
    if (rows[0].label.starts_with("steno"))
      faults.bars.push_back({"scenarios, " + rows[0].label + ": messages missing", missing, 0, missing == 0});
  }
  return {calls, on_file, cpu, callers, faults};
}

Row row_of_times(const Logger& logger, const std::vector<double>& us, bool with_mean) {
  Row row{logger.name(), {{"p50", us[kP50]}, {"p99", us[kP99]}, {"p99.9", us[kP999]}, {"max", us[kMax]}}};
  if (with_mean) {
    row.values.emplace_back("mean", us[kMean]);
    row.values.emplace_back("standard deviation", us[kDeviation]);
  } else {
    row.values.insert(row.values.end() - 1, {"p99.99", us[kP9999]});
  }
  return row;
}

std::vector<Suite> latency_suites(const Flags& flags, const Loggers& loggers, const std::vector<unsigned>& threads) {
  const std::size_t messages = flags.smoke ? 1'600 : 100'000;
  std::vector<Suite> suites;
  for (const unsigned t : threads) {
    Suite suite{"scenario_latency_" + std::to_string(t),
                "100,000 messages by " + with_unit(t) + " at full speed, each call timed",
                "us",
                true,
                {},
                {}};
    for (const auto& logger : loggers) {
      const std::vector<double> us =
          in_own_process(flags.directory, [&](const std::string& log) { return latency(*logger, log, t, messages); });
      show(*logger, "latency, " + with_unit(t), us);
      suite.rows.push_back(row_of_times(*logger, us, true));
    }
    suites.push_back(suite);
  }
  return suites;
}

Suite peak_suite(const Flags& flags, const Loggers& loggers, const std::vector<unsigned>& threads) {
  const std::size_t messages = flags.smoke ? 6'400 : kQueue;
  Suite suite{"scenario_peak",
              "Peak throughput: bursts of 262,144 calls by 1 to 64 threads",
              "thousand calls/s of each thread",
              false,
              {},
              {}};
  for (const auto& logger : loggers) {
    Row row{logger->name(), {}};
    for (const unsigned t : threads) {
      const std::vector<double> rate =
          in_own_process(flags.directory, [&](const std::string& log) { return peak(*logger, log, t, messages); });
      show(*logger, "peak, " + with_unit(t), rate);
      row.values.emplace_back(with_unit(t), rate[0]);
    }
    suite.rows.push_back(row);
  }
  return suite;
}

struct Load {
  const char* name;
  const char* title;
  unsigned threads;
  double per_second;
  double seconds;
};

std::vector<Suite> response_suites(const Flags& flags, const Loggers& loggers) {
  static constexpr Load kLoads[] = {
      {"scenario_response_10k", "10,000 messages a second by one thread", 1, 1e4, 1},
      {"scenario_response_100k", "100,000 messages a second by one thread", 1, 1e5, 0.6},
      {"scenario_response_1m", "a million messages a second by one thread", 1, 1e6, 0.3},
      {"scenario_response_16", "100,000 messages a second by 16 threads that sleep between", 16, 1e5, 0.6}};
  std::vector<Suite> suites;
  for (const Load& load : kLoads) {
    Suite suite{load.name, std::string("Response time at ") + load.title, "us", true, {}, {}};
    const auto messages = static_cast<std::size_t>(load.per_second * (flags.smoke ? 0.01 : load.seconds));
    for (const auto& logger : loggers) {
      const std::vector<double> us = in_own_process(flags.directory, [&](const std::string& log) {
        return response(*logger, log, load.threads, load.per_second, messages);
      });
      show(*logger, load.name, us);
      suite.rows.push_back(row_of_times(*logger, us, false));
    }
    suites.push_back(suite);
  }
  return suites;
}

std::vector<Suite> run(const Flags& flags, std::size_t messages) {
  (void)ns_per_tick();  // measured once, here
  const std::vector<unsigned> threads =
      flags.smoke ? std::vector<unsigned>{1, 16} : std::vector<unsigned>{1, 2, 4, 8, 16};
  Loggers loggers = make_loggers();
  std::vector<Suite> suites = work_suites(flags, loggers, threads, messages);
  suites.push_back(peak_suite(flags, loggers, flags.smoke ? threads : std::vector<unsigned>{1, 2, 4, 8, 16, 64}));
  loggers.insert(loggers.begin(), make_no_logger());
  for (const Suite& suite : latency_suites(flags, loggers, threads)) suites.push_back(suite);
  for (const Suite& suite : response_suites(flags, loggers)) suites.push_back(suite);
  return suites;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  std::size_t messages = take_number(&argc, argv, "--messages", 400'000);
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) messages = 1'600;
  return finish(flags, run(flags, messages));
}
