// The paper's figure 7: minimum, mean and maximum of the argument of "Hello World # {}" among many messages, at 100,
// 50, 10 and 1 % matching. Beside us awk, python, ripgrep and C++ with mmap and memmem on the text, and DuckDB on
// Parquet.
//
//   figure7 [--messages N] [--text-messages N] [--duckdb-messages N] ...      defaults: 100, 5 and 20 million
//
// Text and Parquet take long to make and to read, so they have fewer messages; their times, less what the tool takes to
// start, are scaled to ours. DuckDB's row is there if $STENO_BENCH_PYTHON (python3 by default) can import duckdb.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/harness.h"
#include "query/commands.h"
#include "query/logs.h"
#include "query/tables.h"
#include "query/text_tools.h"

namespace steno::bench {
namespace {

const std::string kSteno = quoted(STENO_BINARY);
const std::string kOne = "steno, one core";
const std::string kDuckDb = "DuckDB on Parquet, one core (without its start)";
const std::string kWhere = "min,mean,max where the argument is above a third";
constexpr unsigned kShares[] = {100, 50, 10, 1};

std::string share_name(unsigned percent) {
  return std::to_string(percent) + " %";
}

struct Scale {
  std::size_t messages;
  std::size_t text_messages;
  std::size_t duckdb_messages;
  int rounds;
};

class Figure {
 public:
  Figure(const Flags& flags, const Scale& scale) : directory_(flags.directory), scale_(scale) {
    const std::string size = short_count(scale.messages) + " messages";
    figure_ = {"figure7", "Min, mean and max of `Hello World # {}` among " + size + ", by the share that matches",
               "s",       true,
               {},        {}};
    more_ = {"figure7_more", "Other questions to the same logs, one core", "s", true, {}, {}};
    std::ofstream file(empty());
  }

  std::vector<Suite> run() {
    std::printf("text tools read %zu messages, DuckDB %zu; their times are scaled to %zu\n", scale_.text_messages,
                scale_.duckdb_messages, scale_.messages);
    for (const unsigned percent : kShares) {
      counting(percent);
      random(percent);
      duckdb(percent);
      texts(percent);
    }
    few();
    bars();
    return {figure_, more_};
  }

 private:
  std::string log() const { return directory_ + "/log.steno"; }
  std::string empty() const { return directory_ + "/empty.txt"; }

  void write_log(std::size_t messages, unsigned percent, Numbers numbers) const {
    in_child([&] { write_hello_log(log(), messages, percent, numbers); });
  }

  double agg(const std::string& what, std::string* output = nullptr) const {
    return seconds_of(kSteno + " agg " + quoted(log()) + " 'Hello World # {}' " + what, scale_.rounds, output);
  }

  // The statement's arguments count up with the messages.
  void counting(unsigned percent) {
    const std::string column = share_name(percent);
    write_log(scale_.messages, percent, Numbers::kCounting);
    check(percent);
    note(&figure_, kOne, column, agg("--op min,mean,max --jobs 1"));
    note(&figure_, "steno, all cores", column, agg("--op min,mean,max"));
    others(percent, "counting", scale_.messages / 3);
    std::filesystem::remove(log());
  }

  void random(unsigned percent) {
    write_log(scale_.messages, percent, Numbers::kRandom);
    note(&more_, "min,mean,max, random", share_name(percent), agg("--op min,mean,max --jobs 1"));
    others(percent, "random", (std::size_t{1} << 31) / 3);
    std::filesystem::remove(log());
  }

  void others(unsigned percent, const std::string& kind, std::size_t third) {
    const std::string column = share_name(percent);
    note(&more_, "count, " + kind, column, agg("--op count --jobs 1"));
    note(&more_, "p50,p99,p99.9, " + kind, column, agg("--op p50,p99,p99.9 --jobs 1"));
    note(&more_, kWhere + ", " + kind, column,
         agg("--op min,mean,max --jobs 1 --where '{0} > " + std::to_string(third) + "'"));
  }

  // 4,096 different values.
  void few() {
    for (const unsigned percent : kShares) {
      write_log(scale_.messages, percent, Numbers::kFew);
      note(&more_, "distinct, of 4,096 values", share_name(percent), agg("--op distinct --jobs 1"));
      note(&more_, "top:10, of 4,096 values", share_name(percent), agg("--op top:10 --jobs 1"));
      std::filesystem::remove(log());
    }
  }

  // A figure for a wrong answer is worth nothing.
  void check(unsigned percent) const {
    std::string output;
    agg("--op count --format csv", &output);
    const std::string last = output.substr(output.find('\n') + 1);
    const std::size_t expected = scale_.messages * percent / 100;
    if (std::strtoull(last.c_str(), nullptr, 10) == expected) return;
    std::fprintf(stderr, "steno agg counts '%s', expected %zu\n", last.c_str(), expected);
    std::exit(1);
  }

  void duckdb(unsigned percent) {
    if (no_duckdb_) return;
    const char* python = std::getenv("STENO_BENCH_PYTHON");
    const std::string parquet = directory_ + "/log.parquet";
    const std::string interpreter = quoted(python != nullptr ? python : "python3");
    if (std::system((interpreter + " -c 'import duckdb' 2>/dev/null").c_str()) != 0) {
      std::printf("%s has no module duckdb: its rows are left out\n", interpreter.c_str());
      no_duckdb_ = true;
      return;
    }
    std::string output;
    seconds_of(interpreter + " " + quoted(STENO_ASK_DUCKDB) + " " + std::to_string(scale_.duckdb_messages) + " " +
                   std::to_string(percent) + " " + quoted(parquet) + " " + std::to_string(scale_.rounds),
               1, &output);
    std::istringstream lines(output);
    std::string name;
    double seconds = 0;
    const double factor = static_cast<double>(scale_.messages) / static_cast<double>(scale_.duckdb_messages);
    while (lines >> name >> seconds) {
      const bool figure = name == "min,mean,max";
      const std::string label = figure ? kDuckDb : name == "where" ? "DuckDB, " + kWhere : "DuckDB, p50,p99,p99.9";
      note(figure ? &figure_ : &more_, figure ? label : label + ", counting", share_name(percent), factor * seconds);
    }
    std::filesystem::remove(parquet);
  }

  void texts(unsigned percent) {
    const std::string text = directory_ + "/log.txt";
    write_log(scale_.text_messages, percent, Numbers::kCounting);
    if (write_text(STENO_BINARY, log(), text) == 0) std::exit(1);
    std::filesystem::remove(log());
    const double factor = static_cast<double>(scale_.messages) / static_cast<double>(scale_.text_messages);
    for (const auto& [name, seconds] : ask_text_tools(text, empty(), factor, scale_.rounds)) {
      note(&figure_, name, share_name(percent), seconds);
    }
    std::filesystem::remove(text);
  }

  // "proportionally less below 100 %": as many bars, less what a process takes to start.
  void bars() {
    for (const unsigned percent : kShares) {
      const std::string column = share_name(percent);
      const std::string at = " at " + column;
      const double ours = value_of(figure_, kOne, column);
      at_most(&figure_, "min, mean, max of 100 M, s" + at, ours, 0.05);
      at_most(&more_, "percentiles of 100 M, s" + at, value_of(more_, "p50,p99,p99.9, counting", column), 0.2);
      at_most(&more_, "percentiles of 100 M random numbers, s" + at, value_of(more_, "p50,p99,p99.9, random", column),
              0.2);
      at_most(&more_, "--where, 100 M, s" + at, value_of(more_, kWhere + ", counting", column), 0.2);
      at_most(&more_, "--where, 100 M random numbers, s" + at, value_of(more_, kWhere + ", random", column), 0.2);
      at_least(&figure_, "awk / steno" + at, value_of(figure_, kAwk, column) / ours, 100);
      at_least(&figure_, "python / steno" + at, value_of(figure_, kPython, column) / ours, 100);
      at_least(&figure_, "C++ with mmap and memmem / steno" + at, value_of(figure_, kMemmem, column) / ours, 30);
    }
  }

  std::string directory_;
  Scale scale_;
  Suite figure_;
  Suite more_;
  bool no_duckdb_ = false;
};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  Scale scale{take_number(&argc, argv, "--messages", 100'000'000),
              take_number(&argc, argv, "--text-messages", 5'000'000),
              take_number(&argc, argv, "--duckdb-messages", 20'000'000), 3};
  const Flags flags = parse_flags_in_memory(argc, argv);
  if (flags.smoke) scale = {20'000, 2'000, 2'000, 1};
  return finish(flags, Figure(flags, scale).run());
}
