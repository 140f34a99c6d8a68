// Bytes a message: a mix of the six messages with varying values, beside zstd of the text; and a slow log.
#include <steno/log.h>
#include <steno/reader.h>
#include <steno/session.h>
#include <zstd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "common/harness.h"

namespace steno::bench {
namespace {

void start_session(const Flags& flags, const char* name, int zstd_level) {
  Options options;
  options.path = flags.directory + "/" + name;
  options.zstd_level = zstd_level;
  options.keep_up = false;
  std::remove(options.path.c_str());
  if (!steno::start(options)) std::exit(1);
}

// Random 16-bit and counter integers, doubles of two decimals, strings from a few hundred.
void log_mix(std::size_t messages) {
  std::mt19937 random(3);
  std::vector<std::string> addresses;
  for (int i = 0; i < 300; ++i) {
    addresses.push_back("basic+udp:host=192.168." + std::to_string(random() % 256) + "." +
                        std::to_string(random() % 256) + ",port=" + std::to_string(10000 + random() % 50000));
  }
  const auto two_decimals = [&] { return std::round(static_cast<double>(random() % 1'000'000)) / 100; };
  for (std::size_t i = 0; i < messages; ++i) {
    switch (random() % 6) {
      case 0:
        STENO_INFO("Starting backup replica garbage collector thread");
        break;
      case 1:
        STENO_INFO("Opened session with coordinator at {}", addresses[random() % addresses.size()]);
        break;
      case 2:
        STENO_INFO("Backup storage speeds (min): {} MB/s read", static_cast<int>(random() & 0xFFFF));
        break;
      case 3:
        STENO_INFO("buffer has consumed {} bytes of extra storage, current allocation: {} bytes", static_cast<int>(i),
                   static_cast<int>(random() & 0xFFFF));
        break;
      case 4:
        STENO_INFO("Using tombstone ratio balancer with ratio = {}", two_decimals());
        break;
      default:
        STENO_INFO(
            "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} MB), took {:.2f} ms",
            static_cast<int>(random() & 0xFFFF), static_cast<int>(i & 0xFF), static_cast<int>(i), 50, two_decimals());
    }
  }
}

// The log as `steno cat` prints it, near enough: time, level, thread, place, message.
std::string text_of(const std::string& path) {
  std::string text;
  auto log = LogReader::open({path});
  if (!log.ok()) std::exit(1);
  log->for_each([&](const Record& r) {
    const std::time_t seconds = static_cast<std::time_t>(r.time_ns() / 1'000'000'000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char prefix[96];
    const std::size_t n = std::strftime(prefix, sizeof prefix, "%F %T", &utc);
    text.append(prefix, n);
    const SiteFacts site = r.site();
    std::snprintf(prefix, sizeof prefix, ".%09dZ %-6s [%s] file_size.cc:%u ",
                  static_cast<int>(r.time_ns() % 1'000'000'000), level_name(site.level),
                  std::string(r.thread()).c_str(), site.line);
    text += prefix;
    r.append_message(&text);
    text += '\n';
  });
  return text;
}

Suite mix(const Flags& flags, std::size_t messages) {
  Suite suite{"file_mix", "A mix of the six messages with varying values", "bytes a message", true, {}, {}};
  const auto each = [&](double bytes) { return bytes / static_cast<double>(messages); };
  start_session(flags, "mix.steno", 0);
  log_mix(messages);
  (void)steno::flush();
  const double plain = each(static_cast<double>(steno::stats().bytes));
  steno::stop();
  start_session(flags, "mix-zstd.steno", 3);
  log_mix(messages);
  (void)steno::flush();
  const double with_zstd = each(static_cast<double>(steno::stats().bytes));
  steno::stop();

  const std::string text = text_of(flags.directory + "/mix.steno");
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const double zstd =
      each(static_cast<double>(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3)));
  suite.rows = {{"text", {{"bytes", each(static_cast<double>(text.size()))}}},
                {"zstd -3 of the text", {{"bytes", zstd}}},
                {"steno", {{"bytes", plain}}},
                {"steno, strings with zstd -3", {{"bytes", with_zstd}}}};
  suite.bars = {{"mix, bytes a message", plain, 6, plain <= 6},
                {"mix, steno / zstd -3 of the text", plain / zstd, 1, plain < zstd}};
  return suite;
}

Suite slow(const Flags& flags, int messages) {
  Suite suite{"file_slow", "A slow log: one message a second, in real time", "bytes a message", true, {}, {}};
  start_session(flags, "slow.steno", 0);
  STENO_INFO("heartbeat {} of {}", 0, messages);
  (void)steno::flush();
  const std::uint64_t before = steno::stats().bytes;  // the session's start is no message's
  for (int i = 1; i <= messages; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(flags.smoke ? 1 : 1000));
    STENO_INFO("heartbeat {} of {}", i, messages);
  }
  (void)steno::flush();
  const double bytes = static_cast<double>(steno::stats().bytes - before) / messages;
  steno::stop();
  suite.rows = {{"one message a second", {{"bytes", bytes}}}};
  suite.bars = {{"one message a second, bytes each", bytes, 24, bytes <= 24}};
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {mix(flags, flags.smoke ? 2'000 : 2'000'000), slow(flags, flags.smoke ? 3 : 40)});
}
