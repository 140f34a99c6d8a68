// Fifty patterns in logs of real programs: `steno cat --grep PATTERN --count` beside `rg --count PATTERN` on the text,
// everything in the page cache, on the same cores. Both find the same, or the benchmark fails.
//
//   real_search [--records N] [--only LOG] ...      default: 8 million
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/harness.h"
#include "query/commands.h"
#include "query/logs.h"
#include "query/tables.h"
#include "real/patterns.h"
#include "real/write_log.h"

namespace steno::bench {
namespace {

constexpr unsigned kThreads = 4;
const std::string kOurs = "steno, s";
const std::string kTheirs = "ripgrep on the text, s";
const std::string kRatio = "ratio";

struct Scale {
  std::size_t records;
  int rounds;
};

struct Log {
  const char* name;
  std::vector<Pattern> (*patterns)(const std::string& messages);
};
constexpr Log kLogs[] = {{"service", service_patterns}, {"demo", demo_patterns}, {"lines", lines_patterns}};

const LogKind& kind_of(const Log& log) {
  const auto& kinds = log_kinds();
  return *std::find_if(kinds.begin(), kinds.end(),
                       [&](const LogKind& k) { return std::strcmp(k.name, log.name) == 0; });
}

// Seconds, and what was counted.
struct Answer {
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t count = 0;
};

// Once more; the least time counts.
void ask(const std::string& command, Answer* answer) {
  std::string output;
  answer->seconds = std::min(answer->seconds, seconds_of(command, 1, &output));
  answer->count = std::strtoull(output.c_str(), nullptr, 10);  // ripgrep prints nothing if that is 0
}

std::string ripgrep(const Pattern& pattern, const std::string& text, const std::string& file) {
  return "rg --count --no-filename " + std::string(pattern.ignore_case ? "-i " : "") + "-e " + quoted(text) + " " +
         quoted(file) + " || [ $? = 1 ]";  // 1: no such line
}

std::string steno(const Pattern& pattern, const std::string& file) {
  return quoted(STENO_BINARY) + " cat --count " + (pattern.ignore_case ? "--ignore-case " : "") + "--grep " +
         quoted(pattern.text) + " " + quoted(file);
}

// Returns the pattern that finds in lines of the text what `pattern` finds in messages: a message begins after thread
// and place.
std::string in_lines(const std::string& pattern) {
  return pattern[0] == '^' ? "\\] [^ ]+ " + pattern.substr(1) : pattern;
}

class Search {
 public:
  Search(const Flags& flags, const Scale& scale)
      : directory_(flags.directory),
        scale_(scale),
        summary_{"real_search",
                 "Fifty patterns in " + short_count(scale.records) + " records: ripgrep on the text / steno",
                 "ratios",
                 false,
                 {},
                 {}} {}

  void run(const Log& log) {
    const std::string file = directory_ + "/" + log.name + ".steno";
    const std::string text = directory_ + "/" + log.name + ".txt";
    const std::string messages = directory_ + "/" + log.name + ".messages";
    const LogKind& kind = kind_of(log);
    in_child([&] { (void)write_real_log(kind, file, scale_.records, kThreads); });
    write_real_messages(kind, messages, scale_.records, kThreads);
    if (write_text(STENO_BINARY, file, text) == 0) std::exit(1);

    Suite suite{std::string("real_search_") + log.name,
                std::string("Searching the ") + log.name + " log, the least ratio first",
                "see the columns",
                true,
                {},
                {}};
    for (const Pattern& pattern : log.patterns(messages)) {
      const std::string search = steno(pattern, file);
      const std::string rival = ripgrep(pattern, in_lines(pattern.text), text);
      Answer ours;
      Answer theirs;
      for (int round = 0; round < scale_.rounds; ++round) {
        ask(search, &ours);
        ask(rival, &theirs);
      }
      Answer right;
      ask(ripgrep(pattern, pattern.text, messages), &right);
      expect_same(log, pattern, ours, right);
      note_answer(&suite, log, pattern, ours.seconds, theirs.seconds);
    }
    std::filesystem::remove(file);
    std::filesystem::remove(text);
    std::filesystem::remove(messages);
    summarise(std::move(suite), log);
  }

  std::vector<Suite> suites() const {
    std::vector<Suite> all = {summary_};
    all.insert(all.end(), each_.begin(), each_.end());
    return all;
  }

 private:
  // The messages were written without steno.
  static void expect_same(const Log& log, const Pattern& pattern, const Answer& ours, const Answer& right) {
    if (ours.count == right.count) return;
    std::fprintf(stderr, "%s: steno counts %zu of '%s'%s, ripgrep %zu\n", log.name, ours.count, pattern.text.c_str(),
                 pattern.ignore_case ? " in either case" : "", right.count);
    std::exit(1);
  }

  static void note_answer(Suite* suite, const Log& log, const Pattern& pattern, double ours, double theirs) {
    const std::string label = std::string(pattern.kind) + ": `" + pattern.text + "`";
    note(suite, label, kOurs, ours);
    note(suite, label, kTheirs, theirs);
    note(suite, label, kRatio, theirs / ours);
    if (pattern.bar > 1) {
      at_least(suite, std::string("ripgrep / steno, ") + log.name + ", " + label, theirs / ours, pattern.bar);
    }
  }

  void summarise(Suite suite, const Log& log) {
    const auto ratio = [](const Row& row) { return row.values.back().second; };
    std::stable_sort(suite.rows.begin(), suite.rows.end(),
                     [&](const Row& a, const Row& b) { return ratio(a) < ratio(b); });
    const double least = ratio(suite.rows.front());
    note(&summary_, "the least", log.name, least);
    note(&summary_, "the median", log.name, ratio(suite.rows[suite.rows.size() / 2]));
    note(&summary_, "the greatest", log.name, ratio(suite.rows.back()));
    at_least(&summary_, std::string("ripgrep / steno, ") + log.name + ", the least of fifty patterns", least, 1);
    each_.push_back(std::move(suite));
  }

  std::string directory_;
  Scale scale_;
  Suite summary_;
  std::vector<Suite> each_;
};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  Scale scale{take_number(&argc, argv, "--records", 8'000'000), 5};
  const std::string only = take_text(&argc, argv, "--only");
  const Flags flags = parse_flags_in_memory(argc, argv);
  if (flags.smoke) scale = {4'000, 1};
  if (!have("rg")) {
    std::printf("ripgrep is not installed: nothing to compare with\n");
    return finish(flags, {});
  }
  Search search(flags, scale);
  for (const Log& log : kLogs) {
    if (only.empty() || only == log.name) search.run(log);
  }
  return finish(flags, search.suites());
}
