// The other commands, help, and the golden files of spec/vectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../reader/file_builder.h"
#include "golden.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::expect_golden;
using test::FileBuilder;
using test::kGolden;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

const std::string kVectors = STENO_SOURCE_DIR "/spec/vectors/";

std::string without_path(std::string text, const std::string& path) {
  for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.replace(at, path.size(), "FILE");
  return text;
}

TEST(Command, Help) {
  const Ran all = run_steno({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const char* command : {"cat", "sites", "stat", "verify"}) {
    EXPECT_NE(all.out.find(command), std::string::npos);
    const Ran one = run_steno({command, "--help"});
    EXPECT_EQ(one.code, 0);
    EXPECT_NE(one.out.find("Example"), std::string::npos) << command;
    EXPECT_EQ(run_steno({command}).code, 2) << command;
  }
}

TEST(Command, Version) {
  const Ran ran = run_steno({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.substr(0, 6), "steno ");
}

TEST(Command, HelpThatCannotBeWrittenIsAnError) {
  for (const char* line : {"$STENO --help", "$STENO cat --help", "$STENO --version"}) {
    EXPECT_EQ(run_shell(std::string(line) + " > /dev/full; echo $?").out,
              "steno: cannot write the output: No space left on device\n3\n")
        << line;
  }
  EXPECT_EQ(run_shell("$STENO --help | true; echo ${PIPESTATUS[0]}").out, "0\n");
}

TEST(Command, Usage) {
  EXPECT_EQ(run_steno({}).code, 2);
  EXPECT_EQ(run_steno({"dance"}).code, 2);
  EXPECT_EQ(run_steno({"cat", "--loud", "x"}).code, 2);
  EXPECT_EQ(run_steno({"cat", "--format", "xml", "x"}).code, 2);
}

TEST(Sites, StatementsWhoseDeclarationsAreLostAreCountedOneByOne) {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "lost {}", "i").site(17, Level::kInfo, "also lost {}", "i").flush();
  std::string bytes = b.bytes();
  bytes[bytes.rfind("also lost")] = 'x';  // under its checksum
  const std::size_t begin = bytes.size();
  b.site(18, Level::kInfo, "kept {}", "i");
  for (int i = 0; i < 10; ++i) {
    b.log(0, i < 2 ? 16 : i < 5 ? 17 : 18, FileBuilder::kStart + static_cast<std::uint64_t>(i), Args().i32(i));
  }
  const TempFile file(bytes + b.end().bytes().substr(begin));
  const Ran ran = run_steno({"sites", "--json", file.path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 3) << ran.out;
  for (const char* records : {"\"records\":2}", "\"records\":3}", "\"records\":5}"}) {
    EXPECT_NE(ran.out.find(records), std::string::npos) << ran.out;
  }
}

// A log with a damaged block in its middle: each command reads the rest, names the damage and exits alike.
TEST(Damage, EveryCommandReportsItAndExitsAlike) {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "m").thread(0, 1, "t");
  std::size_t middle = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    b.log(0, 16, FileBuilder::kStart + i, Args().u64(i));
    if (i == 99) b.flush();
    if (i == 199) {
      middle = b.size() + 40;
      b.flush();
    }
  }
  std::string bytes = b.end().bytes();
  bytes[middle] ^= 1;
  const TempFile file(bytes);
  const std::vector<std::vector<std::string>> commands = {
      {"cat", file.path()},    {"cat", "--count", file.path()},       {"tail", file.path()},
      {"stat", file.path()},   {"stat", "--json", file.path()},       {"sites", file.path()},
      {"verify", file.path()}, {"agg", "--op", "count", file.path()}, {"diff", file.path(), file.path()},
  };
  for (const auto& command : commands) {
    const Ran ran = run_steno(command);
    EXPECT_EQ(ran.code, 1) << command[0] << ran.err;
    EXPECT_NE((ran.out + ran.err).find("are damaged and were skipped"), std::string::npos) << command[0] << ran.err;
  }
  EXPECT_NE(run_steno({"verify", file.path()}).out.find("100 lost"), std::string::npos);
}

TEST(Sites, Text) {
  const Ran ran = run_steno({"sites", kVectors + "two_sessions.steno"});
  EXPECT_EQ(ran.code, 0);
  expect_golden(kGolden + "sites.txt", ran.out);
}

TEST(Sites, Json) {
  const Ran ran = run_shell(
      "$STENO sites --json $FILE | python3 -c 'import json,sys; print([json.loads(l)[\"line\"] for l in sys.stdin])'",
      kVectors + "two_sessions.steno");
  EXPECT_EQ(ran.out, "[120, 131]\n");
}

TEST(Stat, Text) {
  const Ran ran = run_steno({"stat", kVectors + "two_sessions.steno"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("records   10 in 4 blocks, 6 threads"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("request {id} from {client}"), std::string::npos);
}

TEST(Stat, JsonAddsUp) {
  const std::string check =
      "python3 -c \"\nimport json, sys\nr = json.load(sys.stdin)\n"
      "assert sum(r['levels'].values()) == r['records'] == sum(s['records'] for s in r['sites']) == 10\n"
      "assert sum(c['bytes'] for s in r['sites'] for c in s['columns']) == r['argument_bytes'] > 0\n"
      "assert r['sessions'] == 2\nprint('ok')\n\"";
  EXPECT_EQ(run_shell("$STENO stat --json $FILE | " + check, kVectors + "two_sessions.steno").out, "ok\n");
}

TEST(Verify, Complete) {
  const Ran ran = run_steno({"verify", kVectors + "two_sessions.steno"});
  EXPECT_EQ(ran.out, "complete: 10 records, 6 threads, 2 sessions, 0 lost\n");
  EXPECT_EQ(ran.code, 0);
}

// Compares the output for a small log with a golden file.
TEST(Stat, Golden) {
  const Ran ran = run_steno({"stat", "--columns", kVectors + "two_sessions.steno"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  expect_golden(kGolden + "stat.txt", without_path(ran.out, kVectors));
}

TEST(Cat, GoldenOfLogfmtAndContext) {
  const std::string file = kVectors + "two_sessions.steno";
  std::string text;
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--format", "logfmt"},
                                             {"--grep", "slow", "-A", "1"},
                                             {"--grep", "slow", "-B", "1"},
                                             {"--grep", "slow", "-C", "2"},
                                             {"--level", "WARN", "-C", "1", "--head", "1"}}) {
    std::vector<std::string> arguments = {"cat", file};
    text += "$ steno cat FILE";
    for (const std::string& option : options) text += " " + option;
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    text += "\n" + ran.out + "\n";
  }
  expect_golden(kGolden + "cat_more.txt", text);
}

// One session whose clock is off by 250 ns, one by 2.5 us, and one whose records carry the clock's readings.
std::string three_clocks() {
  FileBuilder b;
  for (const std::uint32_t uncertainty : {250u, 2500u, 0u}) {
    b.session(uncertainty + 1, uncertainty == 0 ? 3 : 1).site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker");
    if (uncertainty != 0) {
      b.clock({{1'000'000, static_cast<std::int64_t>(FileBuilder::kStart), 1.0, uncertainty, 0},
               {9'000'000, static_cast<std::int64_t>(FileBuilder::kStart) + 8'000'000, 1.0, 10, 0},
               // This point is of a time when nothing was logged.
               {99'000'000, static_cast<std::int64_t>(FileBuilder::kStart) + 98'000'000, 1.0, 99'999, 0}});
    }
    b.log(0, 16, uncertainty != 0 ? 2'000'000 : FileBuilder::kStart, Args().i32(1)).end();
  }
  return b.bytes();
}

TEST(Stat, ClockUncertainty) {
  const TempFile file(three_clocks());
  const Ran ran = run_steno({"stat", file.path()});
  for (const char* clock : {" ±250 ns  ", " ±2.5 us  ", "   ±0 ns  "})
    EXPECT_NE(ran.out.find(clock), std::string::npos) << ran.out;
  const Ran json = run_shell(
      "$STENO stat --json $FILE | python3 -c 'import json,sys; print([s[\"clock_uncertainty_ns\"] for "
      "s in json.load(sys.stdin)[\"session_list\"]])'",
      file.path());
  EXPECT_EQ(json.out, "[250, 2500, 0]\n");
  EXPECT_EQ(run_steno({"verify", file.path()}).out,
            "complete: 3 records, 3 threads, 3 sessions, 0 lost; times are within 2.5 us of the clock\n");
}

// A bound that does not fit into its field is no bound: the clock was set back an hour, say.
TEST(Stat, AClockThatWasSetFarIsOffByMoreThanCanBeStated) {
  for (const std::uint32_t uncertainty : {UINT32_MAX, UINT32_MAX - 1}) {
    FileBuilder b;
    b.session(1, 1).site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker");
    b.clock({{1'000'000, static_cast<std::int64_t>(FileBuilder::kStart), 1.0, 40, 0},
             {9'000'000, static_cast<std::int64_t>(FileBuilder::kStart) - 3'600'000'000'000, 1.0, uncertainty, 1}});
    b.log(0, 16, 2'000'000, Args().i32(1)).end();
    const TempFile file(b.bytes());
    const bool more = uncertainty == UINT32_MAX;
    const std::string verified = run_steno({"verify", file.path()}).out;
    EXPECT_EQ(verified, std::string("complete: 1 record, 1 thread, 1 session, 0 lost; ") +
                            (more ? "times may be off by more than 4.29 s: the clock was set\n"
                                  : "times are within 4.295 s of the clock\n"));
    const std::string stat = run_steno({"stat", file.path()}).out;
    EXPECT_NE(stat.find(more ? " >4.29 s  " : " ±4.295 s  "), std::string::npos) << stat;
  }
}

std::string with_every_cause() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker \"1\"");
  b.log(0, 16, FileBuilder::kStart, Args().i32(1))
      .flush()
      .skip(0, 4)
      .log(0, 16, FileBuilder::kStart + 5, Args().i32(2));
  b.log(0, wire::kSiteDropped, FileBuilder::kStart + 6, Args().u64(7).u64(0)).flush();
  return b.bytes() + "0123456789abcdef";
}

TEST(Verify, EveryCauseHasItsLine) {
  const TempFile file(with_every_cause());
  const Ran ran = run_steno({"verify", file.path()});
  EXPECT_EQ(ran.code, 1);
  expect_golden(kGolden + "verify.txt", without_path(ran.out, file.path()));
}

TEST(Verify, Json) {
  const TempFile file(with_every_cause());
  const Ran ran =
      run_steno({"verify", "--json", file.path(), kVectors + "two_sessions.steno", kVectors + "damaged_clock.steno"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "");
  expect_golden(kGolden + "verify.json", without_path(without_path(ran.out, file.path()), kVectors));
  const Ran parsed = run_shell(
      "$STENO verify --json $FILE | python3 -c 'import json,sys; r=json.load(sys.stdin); print(r[\"complete\"], "
      "r[\"lost\"], "
      "[(g[\"cause\"], g[\"records\"], g[\"thread\"]) for g in r[\"gaps\"]])'",
      file.path());
  EXPECT_EQ(parsed.out,
            "False 11 [('damage', None, None), ('missing', 4, 'worker \"1\"'), ('no_end', None, None), ('dropped', 7, "
            "None)]\n");
}

TEST(Context, IsAskedForAsArgumentsAre) {
  const std::string log = kVectors + "context.steno";
  EXPECT_EQ(run_steno({"cat", log, "--where", "request_id == 8 and user == 'ann'", "--pattern",
                       "{arg:request_id}|{arg:user}|{args}"})
                .out,
            "8|ann|{\"bytes\":1400,\"name\":\"disk2\",\"request_id\":8,\"user\":\"ann\"}\n");
  EXPECT_EQ(run_steno({"cat", log, "--where", "request_id == 7", "--count"}).out, "8\n");
  EXPECT_EQ(run_steno({"agg", log, "--by", "user", "--op", "count", "--format", "csv"}).out,
            "user,count\r\nann,14\r\nbob,11\r\n");
  // The argument has another place in each combination of fields.
  EXPECT_EQ(run_steno({"agg", log, "slow: %d", "--arg", "user", "--op", "count", "--format", "csv"}).out,
            "count\r\n5\r\n");
  EXPECT_EQ(
      run_steno({"agg", log, "read {bytes}", "--arg", "request_id", "--by", "user", "--op", "max", "--format", "csv"})
          .out,
      "user,max\r\nann,16\r\nbob,15\r\n");
  EXPECT_EQ(run_steno({"agg", log, "read {bytes}", "--arg", "bytes", "--op", "count", "--format", "csv"}).out,
            "count\r\n100\r\n")
      << "of the statement, in any context or none";
  EXPECT_EQ(run_steno({"diff", log, log}).code, 0);
}

TEST(Verify, CountsTheStringsThatAreMissing) {
  const Ran ran = run_steno({"verify", "--content", kVectors + "missing_strings.steno"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("78 values of session 1 (pid 4242) missing: the strings that they share"), std::string::npos)
      << ran.out;
}

// NAME.steno: NAME.txt is what `cat` prints, NAME.verify.txt what `verify` prints; both end in the exit code.
class Vectors : public testing::TestWithParam<std::string> {};

TEST_P(Vectors, ReadAsExpected) {
  const std::string path = kVectors + GetParam() + ".steno";
  for (const std::string command : {"cat", "verify"}) {
    const Ran ran = run_steno({command, path});
    const std::string text = without_path(ran.out + ran.err, path) + "exit code " + std::to_string(ran.code) + "\n";
    expect_golden(kVectors + GetParam() + (command == "cat" ? ".txt" : ".verify.txt"), text);
  }
}

std::vector<std::string> vector_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kVectors)) {
    if (entry.path().extension() == ".steno") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(Spec, Vectors, testing::ValuesIn(vector_names()),
                         [](const auto& param) { return param.param; });

TEST(VectorFiles, AreThere) {
  EXPECT_GE(vector_names().size(), 9u);
}

}  // namespace
}  // namespace steno
