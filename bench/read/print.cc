// The paper's figure 6 and more: how fast `steno cat` prints each of the paper's six messages, on one core and on all,
// to /dev/null and into a pipe, beside a loop that does nothing but format such lines, and beside the pipe itself; the
// price of sorting by the number of logging threads; the other formats.
//
//   print [--messages N] [--figure6] ...      default: 16 million; all of it
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "common/harness.h"
#include "query/commands.h"
#include "query/tables.h"
#include "read/bare_lines.h"
#include "read/logs.h"
#include "read/pipes.h"

namespace steno::bench {
namespace {

const std::string kSteno = quoted(STENO_BINARY);
const std::string kOneCore = "steno cat --jobs 1";
const std::string kTwoCores = "steno cat --jobs 2";
const std::string kBare = "a bare formatting loop";
const std::string kPipeAlone = "the pipe alone: bytes from memory";
const std::string kIntoPipe = "steno cat";
const std::string kSorted = "steno cat --jobs 1";
const std::string kUnsorted = "steno cat --jobs 1 --no-sort";
constexpr std::size_t kThreads[] = {1, 8, 64, 512, 4096};

struct Scale {
  std::size_t messages;
  int rounds;
};

bool has_double(Message message) {
  return message == Message::kDouble || message == Message::kComplex;
}

class Print {
 public:
  Print(const Flags& flags, const Scale& scale) : log_(flags.directory + "/print.steno"), scale_(scale) {
    const std::string what = "Printing " + short_count(scale.messages) + " messages";
    null_ = {"print", what + " to /dev/null", "million lines/s", false, {}, {}};
    bytes_ = {"print_bytes", what + " to /dev/null", "GB/s of text", false, {}, {}};
    pipe_ = {"print_pipe", what + " into a pipe", "GB/s of text", false, {}, {}};
    formats_ = {"print_formats", "Printing in other formats to /dev/null, one core", "million lines/s", false, {}, {}};
    figure_ = {"figure6", what + " of the first kind, one core, by logging threads", "million lines/s", false, {}, {}};
  }

  std::vector<Suite> run() {
    for (int m = 0; m < kMessages; ++m) each(static_cast<Message>(m), kMessageNames[m]);
    return {null_, bytes_, pipe_, formats_, figure6()};
  }

  // The price of sorting alone.
  Suite figure6() {
    for (const std::size_t threads : kThreads) sorting(threads);
    return figure_;
  }

 private:
  std::string cat(const std::string& options) const { return kSteno + " cat " + options + " " + quoted(log_); }
  double to_null(const std::string& options) const { return seconds_of(cat(options) + " > /dev/null", 1); }
  double millions(double seconds) const { return static_cast<double>(scale_.messages) / seconds / 1e6; }

  // All that is compared with each other takes turns.
  void each(Message message, const char* name) {
    in_child([&] { write_log(log_, message, scale_.messages); });
    double one = std::numeric_limits<double>::infinity();
    double two = one;
    double bare = one;
    Drained one_piped{one, 0};
    Drained piped{one, 0};
    Drained pipe{one, 0};
    const auto keep = [](Drained* least, Drained now) { *least = now.seconds < least->seconds ? now : *least; };
    for (int round = 0; round < scale_.rounds; ++round) {
      one = std::min(one, to_null("--jobs 1"));
      two = std::min(two, to_null("--jobs 2"));
      bare = std::min(bare, bare_lines_seconds(message, scale_.messages));
      keep(&one_piped, drain_command(cat("--jobs 1")));
      keep(&piped, drain_command(cat("")));
      keep(&pipe, drain_bytes(piped.bytes));
    }
    note(&null_, kOneCore, name, millions(one));
    note(&null_, kTwoCores, name, millions(two));
    note(&null_, kBare, name, millions(bare));
    const double gigabytes = static_cast<double>(piped.bytes) / 1e9;
    note(&bytes_, kOneCore, name, gigabytes / one);
    note(&bytes_, kTwoCores, name, gigabytes / two);
    note(&pipe_, kIntoPipe, name, gigabytes / piped.seconds);
    note(&pipe_, kOneCore, name, gigabytes / one_piped.seconds);
    note(&pipe_, kPipeAlone, name, gigabytes / pipe.seconds);
    const std::string of = std::string(", ") + name;
    at_least(&null_, "print, one core, million lines/s" + of, millions(one), has_double(message) ? 10 : 30);
    at_least(&null_, "print, two cores / one" + of, one / two, 1.7);
    at_least(&pipe_, "print into a pipe / the pipe alone" + of, pipe.seconds / piped.seconds, 1);
    formats(name, one);
    std::filesystem::remove(log_);
  }

  void formats(const char* name, double text_seconds) {
    note(&formats_, "text", name, millions(text_seconds));
    for (const std::string format : {"json", "csv", "logfmt"}) {
      note(&formats_, format, name, millions(to_null("--jobs 1 --format " + format)));
    }
  }

  void sorting(std::size_t threads) {
    in_child([&] { write_log(log_, Message::kStatic, scale_.messages, threads); });
    double sorted = std::numeric_limits<double>::infinity();
    double unsorted = sorted;
    for (int round = 0; round < scale_.rounds; ++round) {
      sorted = std::min(sorted, to_null("--jobs 1"));
      unsorted = std::min(unsorted, to_null("--jobs 1 --no-sort"));
    }
    const std::string column = std::to_string(threads);
    note(&figure_, kSorted, column, millions(sorted));
    note(&figure_, kUnsorted, column, millions(unsorted));
    at_least(&figure_, "sorted / unsorted, " + column + " threads", unsorted / sorted, 0.8);
    std::filesystem::remove(log_);
  }

  std::string log_;
  Scale scale_;
  Suite null_;
  Suite bytes_;
  Suite pipe_;
  Suite formats_;
  Suite figure_;
};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  Scale scale{take_number(&argc, argv, "--messages", 16'000'000), 3};
  const bool figure6 = take_flag(&argc, argv, "--figure6");
  const Flags flags = parse_flags_in_memory(argc, argv);
  if (flags.smoke) scale = {20'000, 1};
  Print print(flags, scale);
  return finish(flags, figure6 ? std::vector<Suite>{print.figure6()} : print.run());
}
