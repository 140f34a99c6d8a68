// The last 30 seconds of a log of an hour, which as text has 10 GB: how long until the first line is there, and the
// last.
//
//   window [--messages N] ...      default: 110 million
//
// The log is written by a session whose clock is ours, so that the hour takes seconds; it is flushed once in each of
// its seconds, as a session does whose log is not slow.
#include <steno/log.h>
#include <steno/session.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "common/harness.h"
#include "query/commands.h"
#include "query/tables.h"

namespace steno::bench {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kStart = 1'800'000'000 * kSecond;  // 2027-01-15 08:00:00 UTC
constexpr std::uint64_t kHour = 3600;
const std::string kWindow = "--since 'last 30s'";

std::uint64_t now_ns = kStart;

void write_hour(const std::string& path, std::size_t messages) {
  Options options;
  options.path = path;
  options.clock = Clock::kUser;
  options.user_clock = [] { return now_ns; };
  if (!steno::start(options)) std::exit(1);
  const std::size_t each = std::max<std::size_t>(messages / kHour, 1);
  std::uint32_t state = 1;
  for (std::uint64_t second = 0; second < kHour; ++second) {
    for (std::size_t i = 0; i < each; ++i) {
      state = state * 1664525 + 1013904223;
      now_ns = kStart + second * kSecond + i * kSecond / each;
      STENO_INFO("request {id} of client {client} took {us} us", i, static_cast<int>(state >> 28),
                 static_cast<int>(state >> 16 & 0xFFF));
    }
    if (!steno::flush().ok()) std::exit(1);
  }
  steno::stop();
}

class Window {
 public:
  Window(const Flags& flags, std::size_t messages, int rounds)
      : log_(flags.directory + "/hour.steno"), messages_(messages), rounds_(rounds) {}

  Suite run() {
    in_child([&] { write_hour(log_, messages_); });
    std::string lines;
    seconds_of(cat(kWindow), 1, &lines);
    const auto count = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
    const std::size_t expected = std::max<std::size_t>(messages_ / kHour, 1) * 30;
    if (count < expected || count > expected + 1) {
      std::fprintf(stderr, "%zu lines in 30 s, expected %zu\n", count, expected);
      std::exit(1);
    }
    const double text = static_cast<double>(lines.size()) / static_cast<double>(count) * static_cast<double>(messages_);
    std::printf("%.2f GB of text, in a file of %.2f GB\n", text / 1e9,
                static_cast<double>(std::filesystem::file_size(log_)) / 1e9);
    char title[160];
    std::snprintf(title, sizeof title, "The last 30 s (%s lines) of a log of an hour that has %.3g GB as text",
                  short_count(count).c_str(), text / 1e9);
    suite_ = {"window", title, "ms", true, {}, {}};
    rows("a log that was closed", kWindow);
    rows("the same, what is slow only", kWindow + " --where 'us > 4000'");
    at_most(&suite_, "last 30 s, ms to the first line", value_of(suite_, "a log that was closed", kFirst), 50);
    open_end();
    rows("without its end and index", kWindow);
    return suite_;
  }

 private:
  static constexpr const char* kFirst = "to the first line";

  std::string cat(const std::string& options) const {
    return quoted(STENO_BINARY) + " cat " + options + " " + quoted(log_);
  }

  void rows(const std::string& label, const std::string& options) {
    note(&suite_, label, kFirst, 1e3 * seconds_to_first_byte(cat(options) + " 2>/dev/null", rounds_));
    note(&suite_, label, "to the end", 1e3 * seconds_of(cat(options) + " > /dev/null 2>&1 || [ $? = 1 ]", rounds_));
  }

  // Leaves the log like a process that died: there is no index, and every header must be looked at.
  void open_end() const { std::filesystem::resize_file(log_, std::filesystem::file_size(log_) - 64); }

  std::string log_;
  std::size_t messages_;
  int rounds_;
  Suite suite_;
};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  std::size_t messages = take_number(&argc, argv, "--messages", 110'000'000);
  const Flags flags = parse_flags_in_memory(argc, argv);
  if (flags.smoke) messages = 36'000;
  return finish(flags, {Window(flags, messages, flags.smoke ? 1 : 5).run()});
}
