// Measures the scribe's cost for a record: walk, group, gather, pack and write. The producer fills rings on one CPU;
// only the scribe's work, done by hand on another, is timed.
#include <steno/log.h>
#include <steno/session.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "base/pause.h"
#include "common/harness.h"
#include "common/six_messages.h"
#include "steno/detail/site.h"

namespace steno::bench {
namespace {

constexpr int kManySites = 1000;

template <int kNumber>
void log_site(std::size_t i) {
  STENO_INFO("one of many {} {}", i, kNumber);
}

template <int... kNumbers>
constexpr auto site_table(std::integer_sequence<int, kNumbers...>) {
  return std::array<void (*)(std::size_t), sizeof...(kNumbers)>{log_site<kNumbers>...};
}

void log_one(std::size_t i) {
  STENO_INFO("one site {} {}", i, arguments.consumed);
}

void log_four(std::size_t i) {
  switch (i & 3) {
    case 0:
      STENO_INFO("first {}", i);
      break;
    case 1:
      STENO_INFO("second {} {}", arguments.consumed, i);
      break;
    case 2:
      STENO_INFO("third {:.1f}", arguments.ratio);
      break;
    default:
      STENO_INFO("fourth {} {} {} {} {:.1f}", arguments.receive_buffers, i, arguments.transmit_buffers, i,
                 arguments.took_ms);
  }
}

// ns a record, median over rounds. `log` runs on CPU 0.
double scribe_ns(const Flags& flags, std::size_t rounds, std::size_t records, void (*log)(std::size_t)) {
  Options options;
  options.path = flags.directory + "/scribe.steno";
  options.scribe_thread = false;
  options.ring_bytes = std::size_t{1} << 20;
  std::remove(options.path.c_str());
  if (!steno::start(options)) std::exit(1);
  std::atomic<std::size_t> asked{0};
  std::atomic<std::size_t> filled{0};
  std::thread producer([&] {
    pin(0);
    for (std::size_t round = 1; round <= rounds; ++round) {
      while (asked.load() < round) cpu_pause();
      for (std::size_t i = 0; i < records; ++i) log(i);
      filled = round;
    }
  });
  pin(1);
  std::vector<double> each;
  for (std::size_t round = 1; round <= rounds; ++round) {
    asked = round;
    while (filled.load() < round) cpu_pause();
    const double begin = seconds_now();
    (void)steno::flush();
    each.push_back((seconds_now() - begin) * 1e9 / static_cast<double>(records));
  }
  producer.join();
  steno::stop();
  return median(each);
}

void register_more_sites(int count) {
  static std::deque<std::uint64_t> words;
  static std::deque<std::string> formats;
  static std::deque<detail::SiteEntry> entries;
  static const char kLibrary = 0;
  for (int i = 0; i < count; ++i) {
    formats.push_back("never logged " + std::to_string(i) + " {} {}");
    entries.push_back({&words.emplace_back(0), &kLibrary, formats.back().c_str(), __FILE__, __func__, "ii",
                       static_cast<std::uint32_t>(i), 3, Level::kInfo, 0, false});
    (void)detail::register_site(entries.back());
  }
}

std::vector<std::uint16_t> random_order;

void log_many(std::size_t i) {
  static constexpr auto kSites = site_table(std::make_integer_sequence<int, kManySites>());
  kSites[random_order[i % random_order.size()]](i);
}

Suite scribe(const Flags& flags) {
  Suite suite{"scribe", "The scribe, per record: walk, group, gather, pack, write", "ns", true, {}, {}};
  const std::size_t rounds = flags.smoke ? 1 : 200;
  const std::size_t records = flags.smoke ? 100 : 20'000;  // what half a ring holds
  const auto add = [&](const char* label, double limit, void (*log)(std::size_t)) {
    const double ns = scribe_ns(flags, rounds, records, log);
    suite.rows.push_back({label, {{"ns a record", ns}}});
    suite.bars.push_back({std::string("scribe, ns a record, ") + label, ns, limit, ns <= limit});
  };
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) random_order.push_back(static_cast<std::uint16_t>(random() % kManySites));
  add("one site, two integers", 3, log_one);
  add("four sites mixed", 6, log_four);
  add("1,000 sites in random order", 10, log_many);
  register_more_sites(10'000);
  add("one site, 10,000 more registered", 3, log_one);
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {scribe(flags)});
}
