// Logs as real programs write them: bytes a record beside the log's entropy and beside zstd of the text; how fast
// records go to the file, and what they cost the scribe; how fast they are printed.
//
//   real_logs [--records N] [--lines N] [--only LOG] ...     defaults: 4 million in a file, 2 million lines for rates
//             [--zstd19-bytes N] [--sizes]                   of each text at most 64 MiB for zstd -19; nothing but
//             sizes
//   real_logs --only LOG --records N --write FILE            only writes that log
//   real_logs ... --without CODEC                            the writer does without it (encode.cc)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness.h"
#include "format/without.h"
#include "query/commands.h"
#include "query/logs.h"
#include "query/tables.h"
#include "read/pipes.h"
#include "real/compress.h"
#include "real/rates.h"
#include "real/write_log.h"

namespace steno::bench {
namespace {

const std::string kSteno = quoted(STENO_BINARY);
constexpr unsigned kThreads = 4;

struct Scale {
  std::size_t records;
  std::size_t lines;
  std::size_t zstd19_bytes;  // that is slow
  bool sizes_only;
  int repeats = 3;
};

// The bars of a log; 0 where there is none.
struct Bars {
  const char* log;
  double bytes;
  double scribe_ns;
};
constexpr Bars kBars[] = {{"service", 11, 0}, {"store", 2, 0}, {"varying", 9, 15}, {"demo", 5, 20}};

Bars bars_of(const LogKind& kind) {
  for (const Bars& bars : kBars) {
    if (std::strcmp(bars.log, kind.name) == 0) return bars;
  }
  return {kind.name, 0, 0};
}

class RealLogs {
 public:
  RealLogs(const Flags& flags, const Scale& scale) : directory_(flags.directory), scale_(scale) {
    const std::string records = short_count(scale.records) + " records of " + std::to_string(kThreads) + " threads";
    sizes_ = {"real_sizes", "Logs of real programs, " + records, "bytes a record", true, {}, {}};
    ratios_ = {"real_size_ratios", "Size of the same logs", "ratios", true, {}, {}};
    rates_ = {"real_rates", "Sustained by one producer until all is on file", "million messages/s", false, {}, {}};
    rate_ratios_ = {"real_rate_ratios", "Sustained, beside the yardsticks", "ratios", false, {}, {}};
    scribe_ = {"real_scribe", "CPU time of the scribe", "ns a record", true, {}, {}};
    print_ = {"real_print", "Printing the same logs on one core, to /dev/null", "million lines/s", false, {}, {}};
    pipe_ = {"real_pipe", "Printing the same logs", "GB/s of text", false, {}, {}};
  }

  void measure(const LogKind& kind) {
    log_ = directory_ + "/" + kind.name + ".steno";
    text_ = directory_ + "/" + kind.name + ".txt";
    const Written written =
        result_of_child<Written>([&] { return write_real_log(kind, log_, scale_.records, kThreads); });
    expect_same_messages(kind);
    sizes(kind, written);
    if (!scale_.sizes_only) printing(kind);
    std::filesystem::remove(log_);
    std::filesystem::remove(text_);
    if (!scale_.sizes_only) rates(kind);
  }

  std::vector<Suite> suites() const {
    if (scale_.sizes_only) return {sizes_, ratios_};
    return {sizes_, ratios_, rates_, rate_ratios_, scribe_, print_, pipe_};
  }

 private:
  std::string cat(const std::string& options) const { return kSteno + " cat " + options + " " + quoted(log_); }

  // Checks that steno prints the messages that the log's author writes without it.
  void expect_same_messages(const LogKind& kind) const {
    const std::string direct = directory_ + "/messages.txt";
    const std::string printed = directory_ + "/printed.txt";
    write_real_messages(kind, direct, scale_.records, kThreads);
    const std::string print = cat("--no-sort --pattern '{message}'") + " > " + quoted(printed);
    if (std::system(print.c_str()) != 0 || !same_lines(direct, printed)) {
      std::fprintf(stderr, "%s: the log does not have the messages that were logged\n", kind.name);
      std::exit(1);
    }
    std::filesystem::remove(direct);
    std::filesystem::remove(printed);
  }

  // Returns the bytes of all time stamps, as `steno stat` reports them.
  double clock_bytes() const {
    std::string facts;
    seconds_of(kSteno + " stat --json " + quoted(log_), 1, &facts);
    constexpr std::string_view kBefore = "\"clock\":{\"name\":\"clock\",\"bytes\":";
    const std::size_t at = facts.find(kBefore);
    if (at == std::string::npos) return std::numeric_limits<double>::quiet_NaN();
    return std::strtod(facts.c_str() + at + kBefore.size(), nullptr);
  }

  void sizes(const LogKind& kind, const Written& written) {
    const auto each = [&](double bytes) { return bytes / static_cast<double>(scale_.records); };
    const auto compressed = [&](int level, std::size_t most) {
      const Compressed packed = compress_text(text_, level, most);
      return static_cast<double>(packed.bytes) / static_cast<double>(packed.lines);
    };
    const double text = each(static_cast<double>(write_text(STENO_BINARY, log_, text_)));
    const double ours = each(written.bytes);
    const double clocks = each(clock_bytes());
    const double entropy = each(written.entropy);
    const double zstd3 = compressed(3, std::numeric_limits<std::size_t>::max());
    const double zstd19 = compressed(19, scale_.zstd19_bytes);
    note(&sizes_, "text", kind.name, text);
    note(&sizes_, "zstd -3 of the text", kind.name, zstd3);
    note(&sizes_, "zstd -19 of the text", kind.name, zstd19);
    note(&sizes_, "steno", kind.name, ours);
    note(&sizes_, "steno, clocks alone", kind.name, clocks);
    note(&sizes_, "entropy without clocks", kind.name, entropy);
    const double to_entropy = (ours - clocks) / entropy;
    note(&ratios_, "steno / entropy, both without clocks", kind.name, to_entropy);
    note(&ratios_, "steno / zstd -3", kind.name, ours / zstd3);
    note(&ratios_, "steno / zstd -19", kind.name, ours / zstd19);
    const std::string of = std::string(", ") + kind.name;
    const Bars bars = bars_of(kind);
    if (bars.bytes > 0) {
      at_most(&sizes_, "bytes a record" + of, ours, bars.bytes);
      at_most(&ratios_, "bytes / entropy without clocks" + of, to_entropy, 1.3);
    }
    at_most(&ratios_, "bytes / zstd -3 of the text" + of, ours / zstd3, 0.5);
    at_most(&ratios_, "bytes / zstd -19 of the text" + of, ours / zstd19, 1);
  }

  void printing(const LogKind& kind) {
    double null = std::numeric_limits<double>::infinity();
    Drained piped{null, 0};
    Drained pipe{null, 0};
    const auto keep = [](Drained* least, Drained now) { *least = now.seconds < least->seconds ? now : *least; };
    for (int r = 0; r < scale_.repeats; ++r) {  // in turns
      null = std::min(null, seconds_of(cat("--jobs 1") + " > /dev/null", 1));
      keep(&piped, drain_command(cat("")));
      keep(&pipe, drain_bytes(piped.bytes));
    }
    const double lines = static_cast<double>(scale_.records) / null / 1e6;
    const double gigabytes = static_cast<double>(piped.bytes) / 1e9;
    note(&print_, "steno cat --jobs 1", kind.name, lines);
    note(&pipe_, "steno cat --jobs 1 > /dev/null", kind.name, gigabytes / null);
    note(&pipe_, "steno cat, into a pipe", kind.name, gigabytes / piped.seconds);
    note(&pipe_, "the pipe alone: bytes from memory", kind.name, gigabytes / pipe.seconds);
    const std::string of = std::string(", ") + kind.name;
    at_least(&print_, "print, one core, of 20 million lines/s or 2 GB/s" + of,
             std::max(lines / 20, gigabytes / null / 2), 1);
    at_least(&pipe_, "print into a pipe / the pipe alone" + of, pipe.seconds / piped.seconds, 0.9);
  }

  void rates(const LogKind& kind) {
    const Rates rates = result_of_child<Rates>([&] { return measure_rates(kind, log_, scale_.lines, scale_.repeats); });
    note(&rates_, "producer alone, nobody writes", kind.name, rates.alone);
    note(&rates_, "a raw copy of the rings", kind.name, rates.raw_copy);
    note(&rates_, "steno, on file", kind.name, rates.steno);
    note(&rates_, "steno, with full effort", kind.name, rates.steno_full);
    note(&rate_ratios_, "steno / producer alone", kind.name, rates.steno / rates.alone);
    note(&rate_ratios_, "steno / raw copy", kind.name, rates.steno / rates.raw_copy);
    note(&scribe_, "steno's scribe", kind.name, rates.scribe_ns);
    note(&scribe_, "with full effort", kind.name, rates.scribe_full_ns);
    note(&sizes_, "steno, flat out", kind.name, rates.bytes);
    note(&sizes_, "raw copy of the rings", kind.name, rates.raw_bytes);
    const std::string of = std::string(", ") + kind.name;
    if (std::strcmp(kind.name, "varying") == 0) {
      at_least(&rate_ratios_, "sustained / producer alone" + of, rates.steno / rates.alone, 0.65);
      at_least(&rate_ratios_, "sustained / raw copy" + of, rates.steno / rates.raw_copy, 1.2);
    }
    const double limit = bars_of(kind).scribe_ns;
    if (limit > 0) at_most(&scribe_, "scribe, ns a record, full effort" + of, rates.scribe_full_ns, limit);
  }

  std::string directory_;
  Scale scale_;
  std::string log_;
  std::string text_;
  Suite sizes_;
  Suite ratios_;
  Suite rates_;
  Suite rate_ratios_;
  Suite scribe_;
  Suite print_;
  Suite pipe_;
};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  Scale scale{take_number(&argc, argv, "--records", 4'000'000), take_number(&argc, argv, "--lines", 2'000'000),
              take_number(&argc, argv, "--zstd19-bytes", std::size_t{64} << 20), take_flag(&argc, argv, "--sizes")};
  const std::string only = take_text(&argc, argv, "--only");
  const std::string path = take_text(&argc, argv, "--write");
  const std::string without = take_text(&argc, argv, "--without");
  std::vector<LogKind> kinds;
  for (const LogKind& kind : log_kinds()) {
    if (only.empty() || only == kind.name) kinds.push_back(kind);
  }
  if (kinds.empty() || (!path.empty() && kinds.size() != 1)) {
    std::fprintf(stderr, "%s: --only LOG: one of", argv[0]);
    for (const LogKind& kind : log_kinds()) std::fprintf(stderr, " %s", kind.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  if (!steno::format::leave_out_codec(without)) {
    std::fprintf(stderr, "%s: --without CODEC: there is no %s, or it must stay\n", argv[0], without.c_str());
    return 2;
  }
  if (!path.empty()) {
    const Written written = write_real_log(kinds[0], path, scale.records, kThreads);
    std::printf("%.3f bytes a record, entropy %.3f\n", written.bytes / static_cast<double>(scale.records),
                written.entropy / static_cast<double>(scale.records));
    return 0;
  }
  const Flags flags = parse_flags_in_memory(argc, argv);
  if (flags.smoke) scale = {4'000, 4'000, std::size_t{1} << 18, false, 1};
  RealLogs logs(flags, scale);
  for (const LogKind& kind : kinds) logs.measure(kind);
  return finish(flags, logs.suites());
}
