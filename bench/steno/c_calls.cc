// The cost of a log call in C beside the same in C++.
#include <steno/session.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "common/harness.h"
#include "common/six_messages.h"
#include "steno/c_messages.h"

namespace steno::bench {
namespace {

c_arguments as_in_c(const Arguments& a) {
  return {a.address,         a.speed,      a.consumed,         a.allocated,   a.ratio,
          a.receive_buffers, a.receive_mb, a.transmit_buffers, a.transmit_mb, a.took_ms};
}

Row row_of(const char* label, const double (&values)[kMessages]) {
  Row row{label, {}};
  for (int m = 0; m < kMessages; ++m) row.values.emplace_back(kMessageNames[m], values[m]);
  return row;
}

std::string title_of(Clock clock) {
  return clock == Clock::kCoarse ? "C / C++, coarse clock, " : "C / C++, ";
}

Suite measure(const Flags& flags, const char* name, const char* title, Clock clock, double most) {
  const std::size_t bursts = flags.smoke ? 1 : 400;
  Suite suite{name, title, "ns", true, {}, {}};
  Options options;
  options.clock = clock;
  options.path = flags.directory + "/c_calls.steno";
  options.scribe_cpu = cpu(1);
  if (!steno::start(options)) std::exit(1);
  prepare_thread();
  const auto drain = [] { (void)steno::flush(); };
  const c_arguments in_c = as_in_c(arguments);
  double cxx[kMessages];
  double c[kMessages];
  double c_printf[kMessages];
  double ratio[kMessages];
  for_each_message([&](auto statement, int m) {
    // Both run in turn, and the better of two rounds counts, because the machine drifts.
    for (int round = 0; round < 2; ++round) {
      const auto keep = [round](double ns, double* best) { *best = round == 0 ? ns : std::min(*best, ns); };
      keep(burst_ns(bursts, statement, drain), &cxx[m]);
      keep(burst_ns(
               bursts, [&](std::size_t) { c_messages[m](&in_c); }, drain),
           &c[m]);
      keep(burst_ns(
               bursts, [&](std::size_t) { c_printf_messages[m](&in_c); }, drain),
           &c_printf[m]);
    }
    ratio[m] = c[m] / cxx[m];
  });
  const double bounded = burst_ns(
      bursts, [&](std::size_t) { c_bounded_string(&in_c); }, drain);
  steno::stop();
  suite.rows = {row_of("C++", cxx), row_of("C", c), row_of("C, printf", c_printf), row_of("ratio of C to C++", ratio)};
  suite.rows.push_back({"C, %.*s", {{kMessageNames[1], bounded}}});
  for (int m = 0; m < kMessages; ++m) {
    suite.bars.push_back({title_of(clock) + kMessageNames[m], ratio[m], most, ratio[m] <= most});
  }
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  pin(0);
  return finish(
      flags,
      {measure(flags, "c_calls", "One call in C in a burst of 2,000, beside the same in C++", steno::Clock::kBest, 1.1),
       measure(flags, "c_calls_coarse", "The same with the coarse clock", steno::Clock::kCoarse, 1.25)});
}
