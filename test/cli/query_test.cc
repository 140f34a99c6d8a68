// agg, pair and diff, run as commands: what they print, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>

#include "../query/claims_log.h"
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
using test::run_shell;
using test::run_steno;
using test::sample_log;
using test::TempFile;

// Whatever it was, it is neither severe nor the least: only who asks for nothing sees it.
TEST(QueryCommands, ARecordOfAStatementThatIsLostHasNoLevel) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kError, "lost {}", "i").flush();
  std::string bytes = b.bytes();
  bytes[bytes.rfind("lost")] = 'x';  // under its checksum
  const std::size_t begin = bytes.size();
  b.site(17, Level::kInfo, "kept {}", "i");
  for (int i = 0; i < 10; ++i) b.log(0, i < 4 ? 16 : 17, kT + static_cast<std::uint64_t>(i), Args().i32(i));
  const TempFile file(bytes + b.end().bytes().substr(begin));
  EXPECT_EQ(run_steno({"cat", "--count", file.path()}).out, "10\n");
  for (const char* level : {"DEBUG", "WARN", "CRITICAL", "fatal"}) {
    const std::string expected = std::string(level) == "DEBUG" ? "6\n" : "0\n";
    EXPECT_EQ(run_steno({"cat", "--count", "--level", level, file.path()}).out, expected) << level;
    EXPECT_EQ(run_steno({"cat", "--count", "--where", std::string("level >= ") + level, file.path()}).out, expected);
  }
  EXPECT_EQ(run_steno({"agg", file.path(), "--by", "level", "--op", "count", "--format", "csv"}).out,
            "level,count\r\nINFO,6\r\n?,4\r\n");
}

// Arguments are named here as in the JSON of records.
TEST(QueryCommands, NamesThatRepeatGetANumber) {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "sent {count} at {time}", "ii").site(17, Level::kInfo, "acked at {time}", "i");
  for (int i = 0; i < 2; ++i) {
    b.log(0, 16, kT + static_cast<std::uint64_t>(i), Args().i32(7).i32(i));
    b.log(0, 17, kT + static_cast<std::uint64_t>(i) + 10, Args().i32(2 * i));
  }
  const TempFile file(b.end().bytes());
  const auto agg = [&](const char* format) {
    return run_steno({"agg", file.path(), "sent", "--by", "arg count", "--op", "count", "--format", format}).out;
  };
  EXPECT_EQ(agg("json"), "{\"count\":7,\"count_2\":2}\n");
  EXPECT_EQ(agg("csv"), "count,count_2\r\n7,2\r\n");
  const std::string pair = run_steno({"pair", file.path(), "sent", "acked", "--key", "time", "--format", "json"}).out;
  EXPECT_NE(pair.find("\"first_examples\":[{\"time\":1,\"time_2\":\"20"), std::string::npos) << pair;
}

TEST(QueryCommands, ColumnsThatRepeatGetANumber) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "{id}", "i").log(0, 16, kT, Args().i32(7));
  const TempFile file(b.end().bytes());
  const auto cat = [&](const char* format) {
    return run_steno({"cat", file.path(), "--columns", "time:%H,id,time:%M,id", "--format", format}).out;
  };
  EXPECT_EQ(cat("json"), "{\"time\":\"08\",\"id\":7,\"time_2\":\"00\",\"id_2\":7}\n");
  EXPECT_EQ(cat("csv"), "time,id,time_2,id_2\r\n08,7,00,7\r\n");
  EXPECT_EQ(cat("logfmt"), "time=08 id=7 time_2=00 id_2=7\n");
  EXPECT_EQ(cat("text"), "08\t7\t00\t7\n");
}

TEST(QueryCommands, TimesThatTheLogDoesNotCoverAreReported) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "n", "").log(0, 16, kT);
  const TempFile file(b.end().bytes());
  const std::vector<std::vector<std::string>> commands = {
      {"cat", file.path()}, {"cat", "--count", file.path()}, {"tail", file.path()}, {"agg", file.path()}};
  for (std::vector<std::string> command : commands) {
    std::vector<std::string> later = command;
    command.insert(command.end(), {"--since", "2027-01-16"});
    const Ran since = run_steno(command);
    EXPECT_EQ(since.code, 0);
    EXPECT_EQ(since.err,
              "steno: nothing since '2027-01-16': the log ends at 2027-01-15 08:00:00.000000000Z; 'last 10m' counts "
              "from there\n");
    later.insert(later.end(), {"--until", "2027-01-14"});
    EXPECT_EQ(run_steno(later).err,
              "steno: nothing until '2027-01-14': the log begins at 2027-01-15 08:00:00.000000000Z; 'first 10m' "
              "counts from there\n");
    later.back() = "2027-01-16";
    EXPECT_EQ(run_steno(later).err, "");
  }
}

TEST(QueryCommands, TextsThatAreNearlyThereAreNamed) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "filled {qty} for {client}", "iS");
  for (int i = 0; i < 6; ++i)
    b.log(0, 16, kT + static_cast<std::uint64_t>(i), Args().i32(i).text(i < 3 ? "acme" : "bolt"));
  const TempFile file(b.end().bytes());
  const auto said = [&](const std::string& command, const std::string& where) {
    const Ran ran = run_steno({command, file.path(), "--where", where});
    EXPECT_EQ(ran.code, 0) << where;
    return ran.err;
  };
  for (const char* command : {"cat", "tail", "agg"}) {
    EXPECT_EQ(said(command, "client == 'ACME'"), "steno: no record has client == \"ACME\"; did you mean 'acme'?\n");
  }
  EXPECT_EQ(said("cat", "qty > 2 and client in ('Acme', 'volt')"),
            "steno: no record has client == \"Acme\"; did you mean 'acme'?\n"
            "steno: no record has client == \"volt\"; did you mean 'bolt'?\n");
  for (const char* where : {"client == 'acme' and qty > 2", "client == 'zzzz'", "qty > 9", "client != 'ACME'"}) {
    EXPECT_EQ(said("cat", where), "") << where;
  }
}

TEST(Agg, MedianIsTheHalfWayPercentile) {
  const TempFile file(sample_log());
  const Ran ran = run_steno({"agg", file.path(), "order sent", "--arg", "id", "--op", "median,p50", "--format", "csv"});
  EXPECT_EQ(ran.out, "median,p50\r\n19,19\r\n");
}

// Records that a dead scribe left twice count once.
TEST(Agg, CountsCopiesOnce) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "n {}", "i");
  for (int i = 0; i < 300; ++i) b.log(0, 16, kT + static_cast<std::uint64_t>(i), Args().i32(i));
  b.flush();
  std::string bytes = b.bytes();
  const std::size_t block = bytes.rfind("STN1");
  const TempFile file(bytes + bytes.substr(block));
  const Ran ran = run_steno({"agg", file.path(), "n {}", "--op", "count,sum,max,p50", "--format", "csv"});
  EXPECT_EQ(ran.out, "count,sum,max,p50\r\n300,44850,299,149\r\n");
  const std::string text = run_steno({"cat", file.path()}).out;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 300);
}

TEST(Agg, Golden) {
  const TempFile file(sample_log());
  std::string text;
  const auto add = [&](std::vector<std::string> arguments) {
    std::string line = "$ steno agg FILE";
    for (const std::string& argument : arguments) line += " '" + argument + "'";
    arguments.insert(arguments.begin(), {"agg", file.path()});
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    text += line + "\n" + ran.out + "\n";
  };
  add({});
  add({"order acked", "--arg", "us"});
  add({"order acked", "--arg", "us", "--by", "time:10ms", "--op", "count,mean,max,stddev"});
  add({"order sent", "--arg", "venue"});
  add({"order sent", "--arg", "venue", "--by", "arg venue", "--op", "count", "--format", "json"});
  add({"order acked", "--arg", "us", "--op", "hist:4,top:2", "--format", "json"});
  add({"order acked", "--arg", "us", "--op", "hist:4", "--plot"});
  add({"--op", "count", "--by", "thread", "--plot"});
  add({"odd", "--arg", "1", "--op", "count,sum"});
  add({"order sent", "--arg", "venue", "--by", "arg venue", "--op", "count,distinct", "--format", "csv"});
  add({"order acked", "--arg", "us", "--op", "hist:4", "--format", "csv"});
  add({"order acked", "--arg", "us", "--where", "id > 1000", "--op", "count,min,mean,p50,stddev,sum"});
  expect_golden(kGolden + "agg.txt", text);
}

TEST(Agg, KeysAndOrdersAsPeopleWriteThem) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "got {n} at {hour}", "mm");
  b.site(17, Level::kWarn, "late {n}", "m").site_in_context(18, 16, "m", {"a,b"});
  for (std::uint64_t i = 0; i < 6; ++i) {
    b.log(0, 18, kT + i * 20'000'000'000, Args().u64(i).u64(i % 3).u64(i % 2));
    b.log(0, 17, kT + i * 20'000'000'000 + 1, Args().u64(i));
  }
  const TempFile file(b.end().bytes());
  const auto agg = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"agg", file.path(), "--format", "csv"});
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  };
  const auto same = [&](const std::vector<std::string>& some, const std::vector<std::string>& others) {
    const std::string out = agg(some);
    EXPECT_EQ(out, agg(others));
    return out;
  };
  EXPECT_EQ(same({"--by", "level,host"}, {"--by", "level", "--by", "host"}),
            "level,host,count\r\nINFO,testhost,6\r\nWARN,testhost,6\r\n");
  same({"--by", "level, time:1m"}, {"--by", "level", "--by", "time:1m"});
  for (const char* step : {"minute", "1m", "1min"}) same({"--by", step}, {"--by", "time:1m"});
  same({"--by", "1m30s,n"}, {"--by", "time:90s", "--by", "arg n"});
  // A name of an argument is that.
  EXPECT_EQ(agg({"--by", "a,b"}), "\"a,b\",count\r\n0,3\r\n1,3\r\n");
  EXPECT_EQ(agg({"--by", "hour"}), "hour,count\r\n0,2\r\n1,2\r\n2,2\r\n");
  same({"late", "--by", "hour"}, {"late", "--by", "time:1h"});  // a statement that has none
  const std::string descending = agg({"--by", "n", "--sort", "n:desc"});
  for (const char* sort : {"-n", "n desc", "n DESC", " n:desc"})
    EXPECT_EQ(agg({"--by", "n", "--sort", sort}), descending);
  same({"--by", "n", "--sort", "count,n asc"}, {"--by", "n", "--sort", "count,n:asc"});
}

TEST(Agg, LocalDaysBeginAtLocalMidnight) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "n", "");
  for (std::uint64_t hour = 0; hour < 48; ++hour) b.log(0, 16, kT + hour * 3'600'000'000'000);  // from 13:30 there
  const TempFile file(b.end().bytes());
  const Ran ran = run_shell("TZ=IST-5:30 $STENO agg $FILE --local --by time:1d --op count", file.path());
  EXPECT_EQ(ran.out,
            "time                                 count\n"
            "2027-01-15 00:00:00.000000000+05:30     11\n"
            "2027-01-16 00:00:00.000000000+05:30     24\n"
            "2027-01-17 00:00:00.000000000+05:30     13\n");
}

TEST(Agg, Picture) {
  const TempFile file(sample_log());
  const TempFile picture;
  const Ran ran = run_steno({"agg", file.path(), "order sent", "--arg", "venue", "--svg", picture.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  expect_golden(kGolden + "agg.svg", test::read_file(picture.path()));
  EXPECT_EQ(run_steno({"agg", file.path(), "order sent", "--arg", "venue", "--svg", "/no/such/place"}).code, 3);
}

// Checks what a viewer would see: nothing is outside of the picture, by the widths of letters. Prints the number of
// shapes.
const std::string kLookAt = R"(python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
width, height = float(root.get("width")), float(root.get("height"))
shapes = {}
for one in root:
    kind = one.tag.split("}")[1]
    shapes[kind] = shapes.get(kind, 0) + 1
    if kind == "text":
        wide = len(one.text) * float(one.get("font-size", "12")) * 0.55
        x = float(one.get("x")) - {"end": wide, "middle": wide / 2}.get(one.get("text-anchor"), 0)
        assert x >= 0 and x + wide <= width and 0 < float(one.get("y")) < height, one.text
print(shapes["path"] if "path" in shapes else shapes["rect"] - 1, "shapes", "tall" if height > 1000 else "fits")
for one in root:
    if one.get("font-size") == "15": print(one.text)
' $FILE)";

TEST(Agg, PicturesFitAndSayWhatTheyShow) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "took {ms} for {client}", "mS");
  b.site(17, Level::kWarn, "late", "");
  for (std::uint64_t i = 0; i < 2000; ++i) {
    b.log(0, 16, kT + i * 250'000'000, Args().u64(i * i % 97).text(std::to_string(i % 90) + std::string(60, 'x')));
    b.log(0, 17, kT + i * 250'000'000);
  }
  const TempFile file(b.end().bytes());
  const auto look = [&](std::vector<std::string> arguments) {
    const TempFile picture;
    arguments.insert(arguments.begin(), {"agg", file.path()});
    arguments.insert(arguments.end(), {"--svg", picture.path()});
    EXPECT_EQ(run_steno(arguments).code, 0);
    return run_shell(kLookAt, picture.path()).out;
  };
  EXPECT_EQ(look({"took", "--arg", "ms", "--by", "time:1s", "--op", "p99"}),  // 500 steps
            "1 shapes fits\np99 of ms: took {ms} for {client}\n");
  EXPECT_EQ(look({"--by", "level", "--by", "time:10s", "--op", "count"}), "2 shapes fits\ncount: all statements\n");
  EXPECT_EQ(look({"took", "--arg", "ms", "--op", "hist:10"}),
            "10 shapes fits\ndistribution of ms: took {ms} for {client}\n");
  EXPECT_EQ(look({"took", "--arg", "ms", "--by", "client", "--op", "max"}),
            "40 shapes fits\nmax of ms: took {ms} for {client} (the greatest 40 of 90)\n");
}

// A record of a span: begin, or end with a duration.
Args span_args(std::uint64_t level, std::uint64_t span, std::uint64_t parent) {
  return Args().u64(level).u64(span).u64(parent);
}

TEST(Pair, Spans) {
  FileBuilder b;
  b.session().thread(0, 1, "main", 4242);
  b.site(20, Level::kInfo, "compact {level}: begin", "m")
      .site(21, Level::kInfo, "compact {level}: end, {duration} ns", "mm");
  b.site_in_context(16, 20, "mm", {"span", "parent"}).site_in_context(17, 21, "mm", {"span", "parent"});
  b.site(18, Level::kInfo, "step {span}", "m", 5);  // no span
  b.log(0, 16, kT, span_args(1, 100, 0));
  b.log(0, 18, kT + 1, Args().u64(100));
  b.log(0, 16, kT + 10, span_args(2, 101, 100));
  b.log(0, 17, kT + 40, Args().u64(2).u64(30).u64(101).u64(100));
  b.log(0, 17, kT + 1'000, Args().u64(1).u64(1'000).u64(100).u64(0));
  b.log(0, 16, kT + 2'000, span_args(3, 102, 0));
  const TempFile file(b.end().bytes());
  const Ran ran = run_steno({"pair", file.path(), "--spans", "--format", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("\"pairs\":2,\"first_alone\":1,\"second_alone\":0,\"min\":30,"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\"first_examples\":[{\"span\":\"102\","), std::string::npos) << ran.out;
  const Ran table = run_steno({"pair", "--spans", file.path()});
  EXPECT_NE(table.out.find("begun, without an end, the earliest"), std::string::npos) << table.out;
  // One alone; and all that are in another.
  const Ran one = run_steno({"pair", "--spans", file.path(), "--where", "span == 101", "--format", "csv"});
  EXPECT_NE(one.out.find("\r\n1,0,0,30,"), std::string::npos) << one.out;
  const Ran inner = run_steno({"cat", file.path(), "--where", "parent == 100", "--pattern", "{message}"});
  EXPECT_EQ(inner.out, "compact 2: begin\ncompact 2: end, 30 ns\n");
  const Ran slow = run_steno({"agg", file.path(), ": end", "--arg", "duration", "--op", "max", "--format", "csv"});
  EXPECT_EQ(slow.out, "max\r\n1000\r\n") << slow.err;

  const TempFile none(sample_log());
  const Ran without = run_steno({"pair", "--spans", none.path()});
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("these files have no spans"), std::string::npos) << without.err;
}

// The values of a key of the first line and of one of the second: groups are those that pairs have, not all that could
// be.
TEST(Pair, GroupsOfBothLinesAreThoseThatAreThere) {
  constexpr int kValues = 150;
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "sent {id} by {user}", "ii").site(17, Level::kInfo, "acked {id} in {zone}", "ii");
  for (int i = 0; i < 2 * kValues; ++i) {
    const std::uint64_t at = kT + static_cast<std::uint64_t>(i) * 100;
    b.log(0, 16, at, Args().i32(i).i32(i % kValues));
    b.log(0, 17, at + 10, Args().i32(i).i32(i % kValues));
  }
  const TempFile file(b.end().bytes());
  const Ran ran =
      run_shell("$STENO pair $FILE sent acked --key id --by user --by zone --format csv | wc -l", file.path());
  EXPECT_EQ(ran.out, std::to_string(kValues + 1) + "\n") << ran.err;
}

// Others round them.
TEST(Pair, LargeKeysAreTextsInJson) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "sent {id}", "m").site(17, Level::kInfo, "acked {id}", "m");
  std::uint64_t at = kT;
  for (const std::uint64_t id : {kExact, kExact + 1, UINT64_MAX}) {
    b.log(0, 16, at += 100, Args().u64(id));
    b.log(0, 17, at += 100 + id % 7, Args().u64(id));
  }
  const TempFile file(b.end().bytes());
  const std::vector<std::string> pair = {"pair", file.path(), "sent", "acked", "--key", "id"};
  std::vector<std::string> json = pair;
  json.insert(json.end(), {"--format", "json"});
  const std::string out = run_steno(json).out;
  for (const char* id : {":9007199254740992,", ":\"9007199254740993\",", ":\"18446744073709551615\","})
    EXPECT_NE(out.find(std::string("{\"id\"") + id), std::string::npos) << out;
  std::vector<std::string> one = json;
  one.insert(one.end(), {"--where", "id == 9007199254740993"});
  EXPECT_NE(run_steno(one).out.find("\"pairs\":1,"), std::string::npos);
  EXPECT_NE(run_steno(pair).out.find(" 9007199254740993  "), std::string::npos) << run_steno(pair).out;
}

TEST(Pair, Golden) {
  const TempFile file(sample_log());
  const Ran ran = run_steno({"pair", file.path(), "order sent", "order acked", "--key", "id", "--slowest", "3"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Ran json = run_steno(
      {"pair", file.path(), "order sent", "order acked", "--key", "id", "--slowest", "2", "--format", "json"});
  const Ran csv = run_steno({"pair", file.path(), "order sent", "order acked", "--key", "id", "--format", "csv"});
  expect_golden(kGolden + "pair.txt", ran.out + "\n" + json.out + "\n" + csv.out);
}

TEST(Diff, Golden) {
  const auto log = [](int more) {
    FileBuilder b;
    b.session().thread(0, 1, "main");
    b.site(16, Level::kInfo, "steady {}", "i", 10).site(17, Level::kWarn, "retry of {host} in {ms} ms", "Si", 20);
    b.site(more == 0 ? 18 : 19, Level::kError, more == 0 ? "gone for good" : "brand new {}", more == 0 ? "" : "i", 30);
    for (int i = 0; i < 1000; ++i) {
      const auto at = kT + static_cast<std::uint64_t>(i) * 1'000'000;
      b.log(0, 16, at, Args().i32(i % 100));
      for (int k = 0; k <= more; ++k) {
        b.log(0, 17, at + 1, Args().text(i % (more == 0 ? 10 : 2) == 0 ? "db-2" : "db-1").i32(i % 100 + 60 * more));
      }
      if (i % 250 == 0) b.log(0, more == 0 ? 18 : 19, at + 2, more == 0 ? Args() : Args().i32(i));
    }
    return b.end().bytes();
  };
  const TempFile before(log(0));
  const TempFile after(log(1));
  const Ran ran = run_steno({"diff", before.path(), after.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  expect_golden(kGolden + "diff.txt", ran.out);
}

struct Mistake {
  std::vector<std::string> arguments;  // FILE stands for the sample
  int code;
  std::string error;  // the beginning of what is said
};

TEST(QueryCommands, MistakesAreOneSentence) {
  const TempFile file(sample_log());
  const TempFile nothing("");
  const std::string newer = STENO_SOURCE_DIR "/spec/vectors/newer_version.steno";
  const std::vector<Mistake> mistakes = {
      {{"agg", "FILE", "order sent", "--arg", "venu"},
       2,
       "'order sent {id} to {venue}' has no argument 'venu'; did you mean 'venue'?"},
      {{"agg", "FILE", "order", "--op", "count"},
       2,
       "'order' is in several statements; write more of the text: 'order acked"},
      {{"agg", "FILE", "ordr sent {id} to {venue}"},
       2,
       "no statement has the text 'ordr sent {id} to {venue}'; did you mean 'order sent {id} to {venue}'?"},
      {{"agg", "FILE", "order sent", "--arg", "venue", "--op", "mean"}, 2, "--op mean: 'venue' is a string"},
      {{"agg", "FILE", "order sent", "--op", "mean"},
       2,
       "'order sent {id} to {venue}' has several arguments; name one of 'id', 'venue'"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--op", "meen"},
       2,
       "--op: there is no operation 'meen'; did you mean 'mean'?"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--op", "average"},
       2,
       "--op: there is no operation 'average'; it is called 'mean' here"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--op", "p101"}, 2, "--op: there is no operation 'p101'"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--by", "leval"},
       2,
       "--by: cannot group by 'leval'; did you mean 'level'?"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--by", "time"}, 2, "--by: how long a step?"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--by", "time:5parsec"}, 2, "--by: '5parsec' is not a duration"},
      {{"agg", "FILE", "--op", "mean"}, 2, "which argument?"},
      {{"agg", "FILE", "--site", "server.cc:121"}, 2, "--site: there is no statement 'server.cc:121'; did you mean"},
      {{"agg", "FILE", "--where", "idd == 5"}, 2, "--where: no statement has an argument 'idd'; did you mean 'id'?"},
      {{"agg", "FILE", "--grep", "("}, 2, "--grep: '(' is not a valid regular expression: missing )"},
      {{"agg", "FILE", "--since", "teatime"}, 2, "--since: 'teatime' is not a time"},
      {{"agg", "FILE", "--level", "LOUD"}, 2, "--level: there is no level 'LOUD'"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--op", "count,top", "--format", "csv"},
       2,
       "--op: CSV output is a single table"},
      {{"pair", "FILE", "order sent", "order acked", "--key", "nr"},
       2,
       "'order sent {id} to {venue}' has no argument 'nr'"},
      {{"pair", "FILE", "order sent", "order sent", "--key", "id"}, 2, "both statements are"},
      {{"pair", "FILE", "order sent", "--key", "id"}, 2, "write the files, then the text"},
      {{"diff", "FILE"}, 2, "diff compares two files"},
      {{"agg", "/no/such.steno"}, 3, "/no/such.steno: no such file"},
      {{"agg", nothing.path()}, 3, nothing.path() + ": "},
      {{"agg", newer}, 3, newer + ": "},
      {{"pair", newer, "a", "b", "--key", "id"}, 3, newer + ": "},
      {{"diff", newer, newer}, 3, newer + ": "},
  };
  for (Mistake mistake : mistakes) {
    std::string line;
    for (std::string& argument : mistake.arguments) {
      line += " " + argument;
      if (argument == "FILE") argument = file.path();
    }
    const Ran ran = run_steno(mistake.arguments);
    EXPECT_EQ(ran.code, mistake.code) << line << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_NE(ran.err.find(mistake.error), std::string::npos) << line << "\n" << ran.err;
  }
}

// One that rules its block out hides it from conditions, as docs/cli.md says.
TEST(Zones, ThatLieAreNamedByWhateverReadsTheColumn) {
  const auto lines = [](const Ran& ran) { return std::count(ran.out.begin(), ran.out.end(), '\n'); };
  const auto expect_named = [](const Ran& ran) {
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE((ran.out + ran.err).find("outside of the zone"), std::string::npos) << ran.out << ran.err;
  };
  const TempFile all_in(test::with_zone(test::three_blocks(), 1, 0, 160, 199));
  const TempFile ruled_out(test::with_zone(test::three_blocks(), 1, 0, -7, -5));
  for (const TempFile* file : {&all_in, &ruled_out}) {
    expect_named(run_steno({"cat", file->path()}));
    expect_named(run_steno({"agg", file->path(), "value", "--arg", "v"}));
    expect_named(run_steno({"verify", "--content", file->path()}));
  }
  const Ran found = run_steno({"cat", "--where", "v >= 150", all_in.path()});
  expect_named(found);
  EXPECT_EQ(lines(found), 1000);
  const Ran counted = run_steno({"cat", "--count", "--where", "v >= 150", all_in.path()});
  expect_named(counted);
  EXPECT_EQ(counted.out, "1000\n");
  const Ran hidden = run_steno({"cat", "--where", "v >= 150", ruled_out.path()});
  EXPECT_EQ(hidden.code, 0) << hidden.err;
  EXPECT_EQ(lines(hidden), 1000);
}

}  // namespace
}  // namespace steno
