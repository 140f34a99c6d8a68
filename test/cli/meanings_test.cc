// Tests how commands treat numbers with a meaning: units, times, names of enumerations.
#include <gtest/gtest.h>

#include "../reader/file_builder.h"
#include "golden.h"
#include "run_command.h"
#include "sample_log.h"

namespace steno {
namespace {

using test::Args;
using test::expect_golden;
using test::FileBuilder;
using test::kGolden;
using test::kT;
using test::Ran;
using test::run_steno;
using test::sample_log;
using test::TempFile;

std::string with_meanings() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site_with_meanings(16, "took {took} at {at}, {side}, {size}", "llim",
                       {{0, "ms"}, {1, "@s"}, {2, "=0 buy,-1 sell"}, {3, "B"}});
  b.site_with_meanings(17, "slept {time}", "d", {{0, "s"}});
  b.site_with_meanings(18, "idle {idle}", "l", {{0, "us"}});
  b.site_with_meanings(19, "idle {idle}", "l", {{0, "ms"}});
  for (std::int64_t i = 0; i < 10; ++i) {
    const auto side = static_cast<std::int32_t>(i % 3 == 0 ? -1 : i % 3 - 1);
    b.log(0, 16, kT + static_cast<std::uint64_t>(i) * 1'000'000,
          Args().add('l', i * 1000).add('l', std::int64_t{1'800'000'000} + i).i32(side).u64(512));
    b.log(0, 17, kT + static_cast<std::uint64_t>(i) * 1'000'000 + 1, Args().f64(0.5 * static_cast<double>(i)));
  }
  b.log(0, 18, kT + 11'000'000, Args().add('l', std::int64_t{1500}));
  b.log(0, 19, kT + 12'000'000, Args().add('l', std::int64_t{2}));
  return b.end().bytes();
}

TEST(Agg, ShowsWhatNumbersMean) {
  const TempFile file(with_meanings());
  std::string text;
  const auto add = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, file.path());
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    text += ran.out;
  };
  add({"agg", "took", "--arg", "took", "--op", "count,min,mean,max,p99,sum", "--format", "csv"});
  add({"agg", "took", "--arg", "took", "--op", "count,min,mean,max,p99,sum"});
  add({"agg", "took", "--arg", "at", "--op", "count,min,max"});
  add({"agg", "took", "--arg", "side", "--op", "count,min,sum"});
  add({"agg", "took", "--arg", "side", "--op", "top", "--format", "json"});
  add({"agg", "took", "--arg", "took", "--by", "arg side", "--op", "max", "--format", "json"});
  add({"agg", "took", "--arg", "took", "--op", "hist:1"});
  add({"agg", "slept", "--op", "mean"});
  expect_golden(kGolden + "agg_meanings.txt", text);
}

// 1500 us in one place and 2 ms in another are one quantity, in the smaller unit.
TEST(Agg, DurationsOfSeveralUnitsAreOneQuantity) {
  const TempFile file(with_meanings());
  const auto agg = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"agg", file.path(), "--arg", "idle"});
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  };
  const std::vector<std::string> csv = {"--op", "count,min,max,mean,sum,p50,p99,distinct", "--format", "csv"};
  EXPECT_EQ(agg(csv), "count,min,max,mean,sum,p50,p99,distinct\r\n2,1500,2000,1750,3500,1500,2000,2\r\n");
  EXPECT_EQ(agg({"--by", "line", "--op", "p50", "--sort", "p50", "--format", "csv"}),
            "line,p50\r\n19,2000\r\n18,1500\r\n");
  EXPECT_EQ(agg({"--by", "line", "--op", "max", "--having", "max > 1.6ms", "--format", "csv"}),
            "line,max\r\n19,2000\r\n");
  EXPECT_EQ(agg({"--op", "top:2", "--format", "json"}),
            "{\"top\":[{\"value\":1500,\"count\":1},{\"value\":2000,\"count\":1}]}\n");
  EXPECT_NE(agg({"--op", "max"}).find("2,000us"), std::string::npos) << agg({"--op", "max"});
  const Ran top = run_steno({"cat", file.path(), "--top", "2", "--arg", "idle", "--columns", "idle"});
  EXPECT_EQ(top.out, "2ms\n1500us\n") << top.err;
  EXPECT_EQ(run_steno({"agg", file.path(), "idle", "--op", "mean", "--format", "csv"}).out, "mean\r\n1750\r\n");
  const Ran key = run_steno({"agg", file.path(), "--by", "idle"});
  EXPECT_EQ(key.code, 2);
  EXPECT_NE(key.err.find("'idle' has different units in different places; select one with --site"), std::string::npos);
}

// Bars between round durations; what a share or a ratio is of is no duration.
TEST(Agg, HistogramsOfDurationsAreLogarithmic) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site_with_meanings(16, "took {took}", "l", {{0, "us"}});
  std::int64_t took = 3;
  for (std::uint64_t i = 0; i < 400; ++i) {
    took = took * 7 % 1'000'003;
    b.log(0, 16, kT + i * 1'000'000, Args().add('l', took));
  }
  const TempFile file(b.end().bytes());
  const auto agg = [&](const std::string& more) {
    const Ran ran = test::run_shell("$STENO agg $FILE took " + more, file.path());
    EXPECT_EQ(ran.err, "");
    return ran.out;
  };
  const std::string ask =
      "--format json | python3 -c '\nimport json, sys, subprocess\n"
      "bars = json.loads(sys.stdin.read())[\"hist\"]\n"
      "values, took = [], 3\n"
      "for i in range(400):\n  took = took * 7 % 1000003\n  values.append(took)\n"
      "print(all(sum(b[\"from\"] <= v < b[\"to\"] for v in values) == b[\"count\"] for b in bars),"
      " sum(b[\"count\"] for b in bars), 10 <= len(bars) <= 60,"
      " all(a[\"to\"] == b[\"from\"] for a, b in zip(bars, bars[1:])))'";
  EXPECT_EQ(agg("--op hist " + ask), "True 400 True True\n");
  const std::string plot = agg("--op hist --plot");
  EXPECT_NE(plot.find("100 ms .. 200 ms"), std::string::npos) << plot;
  EXPECT_NE(plot.find("500 us .. 1 ms"), std::string::npos) << plot;
  EXPECT_NE(agg("--op hist").find("500 ms"), std::string::npos);
  const TempFile picture;
  (void)agg("--svg " + picture.path());
  const std::string svg = test::read_file(picture.path());
  for (const char* tick : {">1 ms<", ">10 ms<", ">100 ms<", ">records<"}) {
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
  }
  (void)agg("--by time:100ms --op p99,max --svg " + picture.path());
  EXPECT_NE(test::read_file(picture.path()).find(" ms<"), std::string::npos);
  EXPECT_EQ(agg("--arg took --op 'share,ratio(level >= WARN)'").find("us"), std::string::npos);
}

// The numbers stay numbers: no program reads a unit, no condition needs one. A condition may have one.
TEST(Agg, UnitsThatATextSaysAreInHeadingsAndAxes) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "took {t:.1f} ms, {size} KiB of {n} pages", "dli");
  for (std::uint64_t i = 0; i < 100; ++i) {
    b.log(0, 16, kT + i * 1'000'000, Args().f64(0.5 * static_cast<double>(1 + i)).add('l', 64 + i).i32(7));
  }
  const TempFile file(b.end().bytes());
  const auto agg = [&](const std::string& more) {
    const Ran ran = test::run_shell("$STENO agg $FILE took " + more, file.path());
    EXPECT_EQ(ran.err, "");
    return ran.out;
  };
  EXPECT_EQ(agg("--arg t --op count,max"), "count  max (ms)\n  100        50\n");
  EXPECT_EQ(agg("--arg size --op min"), "min (KiB)\n       64\n");
  EXPECT_EQ(agg("--arg n --op min"), "min\n  7\n");
  EXPECT_EQ(agg("--arg t --op max --by size --where 't > 49.5'"), "size (KiB)  max (ms)\n       163        50\n");
  for (const char* where : {"t > 49500us", "49.5ms < t", "t > 0.0495s", "t in (50ms)", "not (t <= 49.5ms)"}) {
    EXPECT_EQ(agg("--arg t --op count --format csv --where '" + std::string(where) + "'"), "count\r\n1\r\n") << where;
  }
  const std::string having = "--arg t --op max --by size --format csv --having ";
  EXPECT_EQ(agg(having + "'max > 0.0495s'"), "size,max\r\n163,50\r\n");
  EXPECT_EQ(agg(having + "'max > 49.5'"), "size,max\r\n163,50\r\n");
  for (const char* mistaken : {"--arg n --op max --having 'max > 5ms'", "--op count --having 'count > 5ms'",
                               "--arg t --by size --op max --having 'size > 5ms'"}) {
    const Ran ran = test::run_shell("$STENO agg $FILE took " + std::string(mistaken), file.path());
    EXPECT_EQ(ran.code, 2) << mistaken;
    EXPECT_NE(ran.out.find("is compared with a value without a unit"), std::string::npos) << ran.out;
  }
  const Ran none = test::run_shell("$STENO cat $FILE --where 'n > 300ms'", file.path());
  EXPECT_EQ(none.out,
            "steno: --where: 'n' is a number (src/server.cc:16), it cannot be compared with a duration; no text says "
            "a unit of time after it, so write n > 300\n");
  EXPECT_EQ(agg("--arg t --op max --format csv"), "max\r\n50\r\n");
  EXPECT_EQ(agg("--arg t --op max --format json"), "{\"max\":50}\n");
  EXPECT_NE(agg("--arg t --op max --by level --plot").find(" 50 ms "), std::string::npos);
  EXPECT_NE(agg("--arg size --op max --by level --plot").find("max of size (KiB)\n"), std::string::npos);
  EXPECT_NE(agg("--arg t --op hist --plot").find("20 ms .. "), std::string::npos) << agg("--arg t --op hist --plot");
  const TempFile picture;
  (void)agg("--arg t --by time:10ms --op max --svg " + picture.path());
  EXPECT_NE(test::read_file(picture.path()).find(">50 ms<"), std::string::npos);
  (void)agg("--arg size --by time:10ms --op max --svg " + picture.path());
  EXPECT_NE(test::read_file(picture.path()).find(">max of size (KiB)<"), std::string::npos);
}

TEST(Agg, UnitsThatTextsSayOtherwise) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "read took {t} ms", "i");
  b.site(17, Level::kInfo, "slow read took {t} us", "i")
      .site(18, Level::kInfo, "for {u} µs, {m} min, {w}.{f} s", "iiii");
  b.log(0, 16, kT, Args().i32(5)).log(0, 17, kT, Args().i32(900));
  b.log(0, 18, kT, Args().i32(1).i32(2).i32(3).i32(4));
  const TempFile file(b.end().bytes());
  const auto agg = [&](const std::string& more) { return test::run_shell("$STENO agg $FILE " + more, file.path()); };
  const Ran several = agg("--arg t --op max");
  EXPECT_EQ(
      several.out,
      "steno: t: texts say several units after it (ms, us), and its numbers are taken as they are; --site or a text "
      "selects a statement\nmax\n900\n");
  EXPECT_EQ(agg("for --arg u --op max").out, "max (us)\n       1\n");
  const auto found = [&](const char* where) {
    return test::run_shell("$STENO cat $FILE --columns line --where '" + std::string(where) + "'", file.path()).out;
  };
  EXPECT_EQ(found("t > 1ms"), "16\n");  // each statement in its own unit
  EXPECT_EQ(found("t < 1ms"), "17\n");
  EXPECT_EQ(found("u == 1us"), "18\n");
  EXPECT_EQ(agg("for --arg m --op max").out, "max\n  2\n");  // which may say minimum
  EXPECT_EQ(agg("for --arg w --op max").out, "max\n  3\n");
  EXPECT_EQ(agg("for --arg f --op max").out, "max\n  4\n");  // the digits after a point
}

// `--site` of a whole file: the argument by its name, wherever each of the statements has it.
TEST(Agg, StatementsOfAFileShareArguments) {
  const TempFile file(sample_log());
  const auto agg = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"agg", file.path(), "--site", "server.cc", "--format", "csv"});
    return run_steno(arguments);
  };
  EXPECT_EQ(agg({"--op", "count"}).out, "count\r\n77\r\n");
  EXPECT_EQ(agg({"--arg", "id", "--op", "count,sum,max"}).out, "count,sum,max\r\n76,2444,999\r\n");
  EXPECT_EQ(agg({"--arg", "us", "--op", "count"}).out, "count\r\n36\r\n");  // which one of them has
  EXPECT_EQ(agg({"--arg", "id", "--by", "venue", "--op", "count"}).out.find("39"), std::string::npos);
  EXPECT_EQ(agg({"--arg", "id", "--by", "level", "--op", "sum"}).out, "level,sum\r\nINFO,780\r\nNOTICE,1664\r\n");
  const Ran none = agg({"--arg", "price", "--op", "max"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("the statements of server.cc have no argument 'price'"), std::string::npos) << none.err;
  const Ran number = agg({"--arg", "0", "--op", "max"});
  EXPECT_NE(number.err.find("the statements of server.cc have several arguments: name one"), std::string::npos)
      << number.err;
}

TEST(Cat, WhereComparesMeanings) {
  const TempFile file(with_meanings());
  const std::vector<std::pair<std::string, int>> counts = {
      {"took > 5s", 4},
      {"took >= 5000ms", 5},
      {"took > 0", 9},
      {"took == 0.05min", 1},
      {"took < 0.0015s", 1},
      {"took <= 999999us", 1},
      {"took in (1s, 2s, 2.5s)", 2},
      {"3s > took", 3},
      {"took > 1d", 0},
      {"took > -9223372036854775807d", 10},
      {"{time} < 1s", 2},
      {"{time} >= 1500ms", 7},
      {"idle > 1600us", 1},
      {"idle >= 1.5ms", 2},
      {"side == 'sell'", 4},
      {"side != 'sell'", 6},
      {"side == -1", 4},
      {"side in ('buy', 'sell')", 7},
      {"at >= '2027-01-15 08:00:05'", 5},
      {"at == '2027-01-15 08:00:05'", 1},
      {"at < '2027-01-15 08:00:00.5'", 1},
      {"size == 512", 10},
      {"message contains 'ms at 2027'", 10},
      {"message contains ', sell, 512B'", 4},
      {"message == 'slept 1.5s'", 1},
      {"message =~ 'took [0-9]+ms'", 10},
  };
  for (const auto& [where, count] : counts) {
    const Ran ran = run_steno({"cat", "--count", "--where", where, file.path()});
    EXPECT_EQ(ran.out, std::to_string(count) + "\n") << where << "\n" << ran.err;
  }
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"size > 5ms", "'size' is a number"},
      {"side == 'by'",
       "'side' is an enumeration (src/server.cc:16), it cannot be compared with the text \"by\"; did you "
       "mean 'buy'?"},
      {"side == 'zzzzzz'", "; choose from 'buy', 'sell'"},
      {"took >= 5000",
       "'took' is a duration (src/server.cc:16), it cannot be compared with a number without a unit; "
       "write 5ms, 1.5s or the like"},
      {"took == 'long'", "'took' is a duration"},
      {"at == 'teatime'", "'at' is a time"},
      {"at > 5ms", "'at' is a time"},
      {"took > 5m", "this is not a number"},
      {"time < 1s", "'time' is not a duration"},
  };
  for (const auto& [where, error] : mistakes) {
    const Ran ran = run_steno({"cat", "--where", where, file.path()});
    EXPECT_EQ(ran.code, 2) << where;
    EXPECT_NE(ran.err.find(error), std::string::npos) << where << "\n" << ran.err;
  }
}

}  // namespace
}  // namespace steno
