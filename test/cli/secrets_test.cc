// Secrets (spec/types.md) in every command that prints or asks: never shown, and no question tells anything of them.
#include <gtest/gtest.h>

#include <cstdio>

#include "../reader/file_builder.h"
#include "golden.h"
#include "run_command.h"

namespace steno {
namespace {

using test::expect_golden;
using test::kGolden;
using test::Ran;
using test::run_steno;

const std::string kSecrets = STENO_SOURCE_DIR "/spec/vectors/secrets.steno";

std::string printed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, kSecrets);
  const Ran ran = run_steno(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return ran.out;
}

std::string count(const std::string& condition, bool show = false) {
  std::vector<std::string> arguments = {"cat", "--count", "--where", condition};
  if (show) arguments.emplace_back("--show-secrets");
  return printed(arguments);
}

TEST(Secrets, Printed) {
  const std::vector<std::vector<std::string>> ways = {
      {"--format", "json"}, {"--format", "csv"}, {"--format", "logfmt"}, {"--pattern", "{message} {arg:pin}"}};
  for (const auto& way : ways) {
    std::vector<std::string> arguments = {"cat"};
    arguments.insert(arguments.end(), way.begin(), way.end());
    const std::string text = printed(arguments);
    EXPECT_NE(text.find("[redacted]"), std::string::npos) << way[1];
    EXPECT_EQ(text.find("kk"), std::string::npos) << way[1];
    EXPECT_EQ(text.find("1443"), std::string::npos) << way[1];  // the greatest pin
    arguments.emplace_back("--show-secrets");
    const std::string shown = printed(arguments);
    EXPECT_NE(shown.find("kkkkkk"), std::string::npos) << way[1];
    EXPECT_NE(shown.find("1443"), std::string::npos) << way[1];
    EXPECT_EQ(shown.find("[redacted]"), std::string::npos) << way[1];
  }
}

// Conditions see the text that stands for the value, and so are true of all or of none.
TEST(Secrets, Conditions) {
  EXPECT_EQ(count("key == \"kkkkkk\""), "0\n");
  EXPECT_EQ(count("key == \"kkkkkk\"", true), "5\n");
  EXPECT_EQ(count("key == \"[redacted]\""), "41\n");
  EXPECT_EQ(count("pin == \"[redacted]\""), "41\n");
  EXPECT_EQ(count("pin > 1000", true), "12\n");
  EXPECT_EQ(count("took > 1s", true), "8\n");
  EXPECT_EQ(count("side == \"buy\"", true), "2\n");
  EXPECT_EQ(count("not none is null"), "3\n");
  EXPECT_EQ(count("not none is null", true), "0\n");
  for (const char* const number : {"pin > 1000", "took > 1s", "share < 5"}) {
    const Ran ran = run_steno({"cat", kSecrets, "--where", number});
    EXPECT_EQ(ran.code, 2) << number;
    EXPECT_TRUE(ran.out.empty()) << number;
  }
  EXPECT_EQ(printed({"cat", "--count", "--grep", "kkkkkk"}), "0\n");
  EXPECT_EQ(printed({"cat", "--count", "--grep", "1443"}), "0\n");
  EXPECT_EQ(printed({"cat", "--count", "--grep", "1443", "--show-secrets"}), "1\n");
  EXPECT_EQ(printed({"cat", "--count", "--grep", "pin|redacted"}), "50\n");
}

TEST(Secrets, Questions) {
  EXPECT_EQ(printed({"agg", "has", "--arg", "key", "--op", "count,distinct", "--format", "csv"}),
            "count,distinct\r\n41,1\r\n");
  EXPECT_EQ(printed({"agg", "has", "--by", "arg pin", "--op", "count", "--format", "csv"}),
            "pin,count\r\n[redacted],41\r\n");
  EXPECT_EQ(printed({"agg", "has", "--arg", "pin", "--op", "max", "--format", "csv", "--show-secrets"}),
            "max\r\n1443\r\n");
  EXPECT_EQ(run_steno({"agg", kSecrets, "has", "--arg", "pin", "--op", "max"}).code, 2);
  const Ran pair = run_steno({"pair", kSecrets, "at", "has", "--key", "pin"});
  EXPECT_EQ(pair.out.find("1443"), std::string::npos) << pair.out;
  const Ran diff = run_steno({"diff", kSecrets, STENO_SOURCE_DIR "/spec/vectors/meanings.steno"});
  EXPECT_EQ(diff.out.find("kk"), std::string::npos) << diff.out;
  EXPECT_EQ(printed({"sites", "--json"}).find("\"types\":\"SiS"), std::string::npos);
}

// A pattern that matches only in values that are taken out anyway was no mistake.
TEST(Secrets, ThatAreTakenOutByNameAreMatches) {
  test::FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "login with {password}", "S");
  b.log(0, 16, test::FileBuilder::kStart, test::Args().text("hunter2")).end();
  const test::TempFile file(b.bytes());
  const std::string out = file.path() + ".out";
  const Ran ran = run_steno({"redact", file.path(), "--value", "password", "--match", "hunter2", "-o", out});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("'hunter2': 0 matches in values, 1 in values that --value takes out\n"), std::string::npos)
      << ran.out;
  EXPECT_EQ(run_steno({"cat", out, "--pattern", "{message}"}).out, "login with [redacted]\n");
  std::remove(out.c_str());
}

TEST(Secrets, AreVerified) {
  EXPECT_EQ(run_steno({"verify", "--content", kSecrets}).code, 0);
}

}  // namespace
}  // namespace steno
