// The cost of a log call: in bursts beside the bare clock read, with the coarse clock beside a minimal ring push, one
// every 600 ns, and disabled; of a span; and of a record for the flight recorder.
#include <steno/log.h>
#include <steno/session.h>
#include <steno/span.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/harness.h"
#include "common/six_messages.h"

namespace steno::bench {
namespace {

void start_session(const Flags& flags, Clock clock) {
  Options options;
  options.path = flags.directory + "/calls.steno";
  options.clock = clock;
  options.scribe_cpu = cpu(1);
  if (!steno::start(options)) std::exit(1);
  prepare_thread();
}

void drain() {
  (void)steno::flush();
}

Row row_of(const char* label, const double (&values)[kMessages]) {
  Row row{label, {}};
  for (int m = 0; m < kMessages; ++m) row.values.emplace_back(kMessageNames[m], values[m]);
  return row;
}

Suite with_clock_read(const Flags& flags, std::size_t bursts) {
  Suite suite{"calls", "One call in a burst of 2,000, time stamp by the CPU's counter", "ns", true, {}, {}};
  start_session(flags, Clock::kBest);
  double clock[kMessages];
  double call[kMessages];
  double ratio[kMessages];
  for_each_message([&](auto statement, int m) {
    // The clock read is measured beside each message: the machine drifts.
    clock[m] = clock_read_ns(bursts);
    call[m] = burst_ns(bursts, statement, drain);
    clock[m] = std::min(clock[m], clock_read_ns(bursts));
    ratio[m] = call[m] / clock[m];
  });
  steno::stop();
  suite.rows = {row_of("clock read alone", clock), row_of("steno", call), row_of("ratio", ratio)};
  for (int m = 0; m < kMessages; ++m) {
    suite.bars.push_back({std::string("call / clock read, ") + kMessageNames[m], ratio[m], 1.05, ratio[m] <= 1.05});
  }
  return suite;
}

Suite with_coarse_clock(const Flags& flags, std::size_t bursts) {
  Suite suite{"calls_coarse",
              "The same with the coarse clock, beside a minimal ring push of the same bytes",
              "ns",
              true,
              {},
              {}};
  double push[kMessages];
  double call[kMessages];
  double ratio[kMessages];
  {
    const MinimalConsumer consumer(std::size_t{1} << 20);
    for_each_minimal_push<PushClock::kCoarse>(
        [&](auto statement, int m) { push[m] = burst_ns(bursts, statement, [&] { consumer.drain(); }); });
  }
  start_session(flags, Clock::kCoarse);
  for_each_message([&](auto statement, int m) {
    call[m] = burst_ns(bursts, statement, drain);
    ratio[m] = call[m] / push[m];
  });
  steno::stop();
  suite.rows = {row_of("minimal push", push), row_of("steno", call), row_of("ratio", ratio)};
  for (int m = 0; m < kMessages; ++m) {
    suite.bars.push_back(
        {std::string("coarse call / minimal push, ") + kMessageNames[m], ratio[m], 1.5, ratio[m] <= 1.5});
  }
  return suite;
}

// Calls and pushes that read the counter take turns: the machine drifts.
Suite with_counter_push(const Flags& flags, std::size_t bursts) {
  Suite suite{"calls_push", "A call beside a minimal ring push that reads the clock itself", "ns", true, {}, {}};
  constexpr int kTurns = 8;
  std::vector<double> pushes[kMessages];
  std::vector<double> calls[kMessages];
  for (int turn = 0; turn < kTurns; ++turn) {
    {
      const MinimalConsumer consumer(std::size_t{1} << 20);
      for_each_minimal_push<PushClock::kCounter>([&](auto statement, int m) {
        pushes[m].push_back(burst_ns(bursts / kTurns + 1, statement, [&] { consumer.drain(); }));
      });
    }
    start_session(flags, Clock::kBest);
    for_each_message(
        [&](auto statement, int m) { calls[m].push_back(burst_ns(bursts / kTurns + 1, statement, drain)); });
    steno::stop();
  }
  double push[kMessages];
  double call[kMessages];
  double ratio[kMessages];
  for (int m = 0; m < kMessages; ++m) {
    push[m] = median(pushes[m]);
    call[m] = median(calls[m]);
    ratio[m] = call[m] / push[m];
    suite.bars.push_back(
        {std::string("call / push with the clock, ") + kMessageNames[m], ratio[m], 1.10, ratio[m] <= 1.10});
  }
  suite.rows = {row_of("minimal push", push), row_of("steno", call), row_of("ratio", ratio)};
  return suite;
}

// One call every 600 ns, each timed on its own. The counter's own read and its granularity are in every figure.
template <class F>
std::vector<double> spaced(std::size_t calls, F&& f) {
  const auto gap = static_cast<std::uint64_t>(600 / ns_per_tick());
  std::vector<double> each;
  each.reserve(calls);
  std::uint64_t next = ticks_now();
  for (std::size_t i = 0; i < calls; ++i) {
    while (ticks_now() < next) {
    }
    const std::uint64_t begin = ticks_now();
    f(i);
    forget_registers();
    const std::uint64_t end = ticks_now();
    each.push_back(static_cast<double>(end - begin) * ns_per_tick());
    next = end + gap;
  }
  std::sort(each.begin(), each.end());
  return each;
}

Suite latency(const Flags& flags, std::size_t calls) {
  Suite suite{"latency", "One call every 600 ns, timed one by one", "ns", true, {}, {}};
  const auto add = [&](const char* label, const std::vector<double>& sorted) {
    suite.rows.push_back({label,
                          {{"p50", percentile(sorted, 0.5)},
                           {"p99", percentile(sorted, 0.99)},
                           {"p99.9", percentile(sorted, 0.999)},
                           {"p99.99", percentile(sorted, 0.9999)},
                           {"max", sorted.back()}}});
  };
  start_session(flags, Clock::kBest);
  add("nothing (the timing itself)", spaced(calls, [](std::size_t) {}));
  for_each_message([&](auto statement, int m) {
    const std::vector<double> sorted = spaced(calls, statement);
    add(kMessageNames[m], sorted);
    const double ratio = percentile(sorted, 0.999) / percentile(sorted, 0.5);
    suite.bars.push_back({std::string("p99.9 / p50, ") + kMessageNames[m], ratio, 3, ratio <= 3});
  });
  steno::stop();
  return suite;
}

Suite spans(const Flags& flags, std::size_t bursts) {
  Suite suite{"spans", "A span, begin and end, in a burst of 2,000, beside the clock read", "ns", true, {}, {}};
  start_session(flags, Clock::kBest);
  double clock = clock_read_ns(bursts);
  const auto add = [&](const char* label, double ns) {
    clock = std::min(clock, clock_read_ns(bursts));
    const double ratio = ns / clock;
    suite.rows.push_back({label, {{"ns", ns}, {"clock", clock}, {"ratio", ratio}}});
    suite.bars.push_back({std::string(label) + " / clock read", ratio, 2.2, ratio <= 2.2});
  };
  add("span without arguments", burst_ns(
                                    bursts, [](std::size_t) { STENO_SPAN("collect"); }, drain));
  add("span with a number", burst_ns(
                                bursts, [](std::size_t i) { STENO_SPAN("compact {level}", i); }, drain));
  add("span with a string", burst_ns(
                                bursts, [](std::size_t) { STENO_SPAN("open {name}", arguments.address); }, drain));
  const double none = burst_ns(
      bursts, [](std::size_t i) { STENO_SPAN_AT(DEBUG, "compact {level}", i); }, [] {});
  steno::stop();
  suite.rows.push_back({"disabled span", {{"ns", none}}});
  suite.bars.push_back({"disabled span, ns", none, 1, none <= 1});
  return suite;
}

Suite disabled(const Flags& flags, std::size_t bursts) {
  Suite suite{"disabled", "A statement that is disabled at run time", "ns", true, {}, {}};
  start_session(flags, Clock::kBest);
  const double ns = burst_ns(
      bursts, [](std::size_t i) { STENO_DEBUG("never {} {}", i, arguments.ratio); }, [] {});
  steno::stop();
  suite.rows.push_back({"disabled statement", {{"ns", ns}}});
  suite.bars.push_back({"disabled statement, ns", ns, 1, ns <= 1});
  return suite;
}

// Calls for the recorder and for the file run in turn, because the machine drifts.
Suite recorder(const Flags& flags, std::size_t bursts) {
  Suite suite{
      "recorder", "A call for the flight recorder, in a burst of 2,000, beside one for the file", "ns", true, {}, {}};
  Options options;
  options.path = flags.directory + "/recorder.steno";
  options.level = Level::kDebug;
  options.recorder.below = Level::kInfo;
  options.scribe_cpu = cpu(1);
  if (!steno::start(options)) std::exit(1);
  prepare_thread();
  double plain = 0;
  double recorded = 0;
  constexpr int kTurns = 4;
  for (int turn = 0; turn < kTurns; ++turn) {
    const double file = burst_ns(
        bursts / kTurns + 1, [](std::size_t i) { STENO_INFO("compact {level}", i); }, drain);
    const double aside = burst_ns(
        bursts / kTurns + 1, [](std::size_t i) { STENO_DEBUG("compact {level}", i); }, drain);
    plain = turn == 0 ? file : std::min(plain, file);
    recorded = turn == 0 ? aside : std::min(recorded, aside);
  }
  steno::stop();
  const double ratio = recorded / plain;
  suite.rows = {{"for the file", {{"ns", plain}}}, {"for the flight recorder", {{"ns", recorded}}}};
  suite.bars.push_back({"recorded / written", ratio, 1.05, ratio <= 1.05});
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  pin(0);
  const std::size_t bursts = flags.smoke ? 1 : 400;
  return finish(flags, {with_clock_read(flags, bursts), with_coarse_clock(flags, bursts),
                        with_counter_push(flags, bursts), latency(flags, flags.smoke ? 100 : 300'000),
                        spans(flags, bursts), disabled(flags, bursts), recorder(flags, bursts)});
}
