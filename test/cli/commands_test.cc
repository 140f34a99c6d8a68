// The other commands, help, and the golden files of spec/vectors.
#include <gtest/gtest.h>

#include <filesystem>

#include "../reader/file_builder.h"
#include "golden.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::expect_golden;
using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

const std::string kGolden = STENO_SOURCE_DIR "/test/cli/golden/";
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

TEST(Command, Usage) {
  EXPECT_EQ(run_steno({}).code, 2);
  EXPECT_EQ(run_steno({"dance"}).code, 2);
  EXPECT_EQ(run_steno({"cat", "--loud", "x"}).code, 2);
  EXPECT_EQ(run_steno({"cat", "--format", "xml", "x"}).code, 2);
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

TEST(Verify, EveryCauseHasItsLine) {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker");
  b.log(0, 16, FileBuilder::kStart, Args().i32(1))
      .flush()
      .skip(0, 4)
      .log(0, 16, FileBuilder::kStart + 5, Args().i32(2));
  b.log(0, wire::kSiteDropped, FileBuilder::kStart + 6, Args().u64(7).u64(0)).flush();
  std::string bytes = b.bytes() + "0123456789abcdef";
  const TempFile file(bytes);
  const Ran ran = run_steno({"verify", file.path()});
  EXPECT_EQ(ran.code, 1);
  expect_golden(kGolden + "verify.txt", without_path(ran.out, file.path()));
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
