// The cost of a log call whose format is known only at run time (steno/logf.h), beside a literal one and vsnprintf.
#include <steno/log.h>
#include <steno/logf.h>
#include <steno/session.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "common/harness.h"
#include "common/six_messages.h"

namespace steno::bench {
namespace {

// A wrapper around logging as programs have it, whose format no compiler sees.
__attribute__((noinline)) void log_by_wrapper(const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  vlogf(Level::kInfo, format, list);
  va_end(list);
}
__attribute__((noinline)) int print_by_wrapper(char* to, std::size_t size, const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  const int n = vsnprintf(to, size, format, list);
  va_end(list);
  return n;
}

Suite run_time_formats(const Flags& flags, std::size_t bursts) {
  Suite suite{
      "run_time_formats", "A printf format that is known only at run time, three arguments", "ns", true, {}, {}};
  static const char* const format = "file %d of %u: %.2f ms";
  Options options;
  options.path = flags.directory + "/formats.steno";
  options.scribe_cpu = cpu(1);
  if (!steno::start(options)) std::exit(1);
  prepare_thread();
  const auto drain = [] { (void)steno::flush(); };
  double clock = clock_read_ns(bursts);
  const double literal = burst_ns(
      bursts, [](std::size_t i) { STENO_INFOF("file %d of %u: %.2f ms", static_cast<int>(i), 2000u, 1.5); }, drain);
  const double call = burst_ns(
      bursts, [](std::size_t i) { log_by_wrapper(format, static_cast<int>(i), 2000u, 1.5); }, drain);
  const double print = burst_ns(
      bursts,
      [](std::size_t i) {
        char text[64];
        print_by_wrapper(text, sizeof text, format, static_cast<int>(i), 2000u, 1.5);
        asm volatile("" : : "r"(text) : "memory");
      },
      [] {});
  clock = std::min(clock, clock_read_ns(bursts));
  steno::stop();
  suite.rows = {{"clock read alone", {{"ns", clock}}},
                {"STENO_INFOF", {{"ns", literal}}},
                {"vlogf", {{"ns", call}}},
                {"vsnprintf, nothing written", {{"ns", print}}}};
  suite.bars.push_back({"vlogf above the clock read, ns", call - clock, 40, call - clock <= 40});
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  pin(0);
  return finish(flags, {run_time_formats(flags, flags.smoke ? 1 : 400)});
}
