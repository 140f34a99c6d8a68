// Messages a second into a file, until all of them are in it; by one producer beside what it could log if nobody had to
// write, with varying strings, and by several producers.
#include <steno/log.h>
#include <steno/session.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "common/harness.h"
#include "common/ring_consumer.h"
#include "common/six_messages.h"

namespace steno::bench {
namespace {

void start_session(const Flags& flags, const char* name) {
  Options options;
  options.path = flags.directory + "/" + name;
  options.scribe_cpu = cpu(1);
  std::remove(options.path.c_str());
  if (!steno::start(options)) std::exit(1);
  prepare_thread();
}

template <class F>
double million_per_second(std::size_t messages, F&& f) {
  const double begin = seconds_now();
  for (std::size_t i = 0; i < messages; ++i) f(i);
  (void)steno::flush();
  return static_cast<double>(messages) / (seconds_now() - begin) / 1e6;
}

Suite six(const Flags& flags, std::size_t messages, int repeats) {
  Suite suite{"sustained", "Sustained by one producer until all is on file", "million messages/s", false, {}, {}};
  Row alone{"producer alone, nobody writes", {}};
  Row whole{"steno, on file", {}};
  Row ratio{"ratio", {}};
  Row size{"bytes a message", {}};
  for_each_message([&](auto statement, int m) {
    std::vector<double> free_rates;
    std::vector<double> rates;
    std::vector<double> sizes;
    for (int r = 0; r < repeats; ++r) {
      {
        const RingConsumer discard;
        const double begin = seconds_now();
        for (std::size_t i = 0; i < messages; ++i) statement(i);
        free_rates.push_back(static_cast<double>(messages) / (seconds_now() - begin) / 1e6);
      }
      start_session(flags, "sustained.steno");
      rates.push_back(million_per_second(messages, statement));
      sizes.push_back(static_cast<double>(steno::stats().bytes) / static_cast<double>(messages));
      steno::stop();
    }
    const double rate = median(rates);
    const double free_rate = median(free_rates);
    alone.values.emplace_back(kMessageNames[m], free_rate);
    whole.values.emplace_back(kMessageNames[m], rate);
    ratio.values.emplace_back(kMessageNames[m], rate / free_rate);
    size.values.emplace_back(kMessageNames[m], median(sizes));
    suite.bars.push_back({std::string("sustained / producer alone, ") + kMessageNames[m], rate / free_rate, 0.9,
                          rate >= 0.9 * free_rate});
    suite.bars.push_back({std::string("bytes a message, ") + kMessageNames[m], median(sizes), 2, median(sizes) <= 2});
  });
  suite.rows = {alone, whole, ratio, size};
  return suite;
}

// 5 to 60 characters; two in three from a pool that repeats.
std::vector<std::string> varying_strings() {
  std::mt19937 random(1);
  const auto make = [&] {
    std::string s(5 + random() % 56, ' ');
    for (char& c : s) c = static_cast<char>('a' + random() % 26);
    return s;
  };
  std::vector<std::string> pool;
  for (int i = 0; i < 300; ++i) pool.push_back(make());
  std::vector<std::string> strings;
  for (int i = 0; i < 16384; ++i) strings.push_back(i % 3 != 0 ? pool[random() % pool.size()] : make());
  return strings;
}

Suite strings(const Flags& flags, std::size_t messages, int repeats, double six_rate) {
  Suite suite{"sustained_strings",
              "Sustained with strings of 5 to 60 characters, two in three repeated",
              "million messages/s",
              false,
              {},
              {}};
  const std::vector<std::string> values = varying_strings();
  std::vector<double> rates;
  double bytes = 0;
  for (int r = 0; r < repeats; ++r) {
    start_session(flags, "strings.steno");
    rates.push_back(
        million_per_second(messages, [&](std::size_t i) { STENO_INFO("request for {}", values[i & 16383]); }));
    bytes = static_cast<double>(steno::stats().bytes) / static_cast<double>(messages);
    steno::stop();
  }
  suite.rows.push_back({"varying strings", {{"million messages/s", median(rates)}, {"bytes a message", bytes}}});
  // The bar speaks of a machine on which the six reach 100.
  const double limit = 0.5 * std::min(six_rate, 100.0);
  suite.bars.push_back(
      {"varying strings, million messages/s (bar: half of the six)", median(rates), limit, median(rates) >= limit});
  return suite;
}

Suite producers(const Flags& flags, std::size_t messages, int repeats) {
  Suite suite{"sustained_producers",
              "Sustained by several producers on two cores, the int message",
              "million messages/s",
              false,
              {},
              {}};
  for (const int count : {1, 2, 4, 8}) {
    std::vector<double> rates;
    for (int r = 0; r < repeats; ++r) {
      Options options;
      options.path = flags.directory + "/producers.steno";
      std::remove(options.path.c_str());
      if (!steno::start(options)) std::exit(1);
      const double begin = seconds_now();
      std::vector<std::thread> threads;
      for (int t = 0; t < count; ++t) {
        threads.emplace_back([&] {
          pin(t % 2);
          for (std::size_t i = 0; i < messages / static_cast<std::size_t>(count); ++i) {
            STENO_INFO("Backup storage speeds (min): {} MB/s read", arguments.speed);
          }
        });
      }
      for (auto& thread : threads) thread.join();
      (void)steno::flush();
      rates.push_back(static_cast<double>(messages) / (seconds_now() - begin) / 1e6);
      steno::stop();
    }
    suite.rows.push_back(
        {std::to_string(count) + (count == 1 ? " producer" : " producers"), {{"million messages/s", median(rates)}}});
  }
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  pin(0);
  const std::size_t messages = flags.smoke ? 2'000 : 30'000'000;
  const int repeats = flags.smoke ? 1 : 3;
  std::vector<Suite> suites = {six(flags, messages, repeats)};
  const double six_rate = suites[0].rows[1].values[2].second;
  suites.push_back(strings(flags, messages / 2, repeats, six_rate));
  suites.push_back(producers(flags, messages, repeats));
  return finish(flags, suites);
}
