// Values that may be absent (spec/types.md) in commands: printed, asked for, counted.
#include <gtest/gtest.h>

#include "run_command.h"

namespace steno {
namespace {

using test::Ran;
using test::run_steno;

std::string of_vector(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, STENO_SOURCE_DIR "/spec/vectors/absent_values.steno");
  const Ran ran = run_steno(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return ran.out;
}

std::string count_where(const std::string& condition) {
  return of_vector({"cat", "--count", "--where", condition});
}

TEST(AbsentValues, Conditions) {
  // 61 orders, of which 31 have a qty; 41 records have variants, 4 others none of all this.
  EXPECT_EQ(count_where("qty is null"), "75\n");
  EXPECT_EQ(count_where("qty is not null"), "31\n");
  EXPECT_EQ(count_where("qty >= 0"), "31\n");
  EXPECT_EQ(count_where("qty == 0"), "0\n");
  EXPECT_EQ(count_where("qty != 3 and qty < 7"), "3\n");
  EXPECT_EQ(count_where("not qty == 3 and qty < 7"), "3\n");
  EXPECT_EQ(count_where("qty != 3 or qty is null"), "105\n");
  EXPECT_EQ(count_where("took == 0ms"), "1\n");
  EXPECT_EQ(count_where("price > 1e9 or price <= 1e9"), "49\n");
  EXPECT_EQ(count_where("side == \"buy\" or side != \"buy\""), "51\n");
  EXPECT_EQ(count_where("name is null"), "65\n");
  EXPECT_EQ(count_where("v.int == 0"), "1\n");
  EXPECT_EQ(count_where("v.int is null"), "95\n");
  EXPECT_EQ(count_where("v.string == \"text\""), "10\n");
  EXPECT_EQ(count_where("v.char == \"q\""), "10\n");
  EXPECT_EQ(count_where("wide is null"), "104\n");
  EXPECT_EQ(count_where("wide >= 0"), "2\n");
  EXPECT_EQ(count_where("request is null and not qty is null"), "25\n");
  EXPECT_EQ(count_where("pin == \"[redacted]\""), "3\n");
  EXPECT_EQ(of_vector({"cat", "--count", "--where", "pin == 7", "--show-secrets"}), "1\n");
}

TEST(AbsentValues, Searches) {
  EXPECT_EQ(of_vector({"cat", "--count", "--grep", "none of"}), "30\n");
  EXPECT_EQ(of_vector({"cat", "--count", "--grep", "^optional\\(3\\) of"}), "1\n");
  EXPECT_EQ(of_vector({"cat", "--count", "--grep", "variant\\(\"text\"\\)"}), "10\n");
  EXPECT_EQ(of_vector({"cat", "--count", "--grep", "valueless by exception"}), "10\n");
}

// A record without a value is in no sum, count or group.
TEST(AbsentValues, Questions) {
  EXPECT_EQ(of_vector({"agg", "{qty} of", "--arg", "qty", "--op", "count,min,max", "--format", "csv"}),
            "count,min,max\r\n31,1,59\r\n");
  EXPECT_EQ(
      of_vector({"agg", "{qty} of", "--arg", "qty", "--op", "count,sum", "--where", "qty < 6", "--format", "csv"}),
      "count,sum\r\n4,10\r\n");
  EXPECT_EQ(of_vector({"agg", "{qty} of", "--arg", "name", "--op", "count,distinct", "--format", "csv"}),
            "count,distinct\r\n41,2\r\n");
  EXPECT_EQ(of_vector({"agg", "{qty} of", "--by", "arg side", "--op", "count", "--format", "csv"}),
            "side,count\r\nbuy,20\r\nsell,21\r\n3,10\r\n");
  EXPECT_EQ(of_vector({"agg", "got variant", "--arg", "v.int", "--op", "count,max", "--format", "csv"}),
            "count,max\r\n11,36\r\n");
}

// Nor is it the key of a pair.
TEST(AbsentValues, Pairs) {
  for (const char* const key : {"0", "1"}) {  // numbers; strings
    const std::string pairs = of_vector({"pair", "{qty} of", "got variant", "--key", key, "--format", "csv"});
    const char* const expected = *key == '0' ? "\r\n0,31,11," : "\r\n0,41,10,";
    EXPECT_NE(pairs.find(expected), std::string::npos) << pairs;
  }
}

// Flags are nothing to ask for, least of all that of a secret.
TEST(AbsentValues, NobodySeesFlags) {
  const std::string file = STENO_SOURCE_DIR "/spec/vectors/absent_values.steno";
  for (const std::vector<std::string>& question : std::vector<std::vector<std::string>>{
           {"cat", file, "--where", "{?1} == true"},
           {"cat", file, "--where", "{2} == true"},
           {"agg", file, "{pin}", "--arg", "?0", "--op", "sum"},
           {"agg", file, "{pin}", "--by", "arg ?0", "--op", "count"},
           {"pair", file, "{pin}", "{qty} of", "--key", "?0"},
       }) {
    const Ran ran = run_steno(question);
    EXPECT_EQ(ran.code, 2) << question.back();
    EXPECT_EQ(ran.out, "") << question.back();
    EXPECT_EQ(ran.err.find("'?2'"), std::string::npos) << ran.err;
  }
}

TEST(AbsentValues, Printed) {
  const std::string json = of_vector({"cat", "--format", "json"});
  EXPECT_NE(json.find("\"args\":{\"qty\":null,\"name\":null,\"took\":null,\"price\":null,\"side\":null,\"list\":null}"),
            std::string::npos);
  EXPECT_NE(json.find("\"args\":{\"v.int\":null,\"v.string\":\"text\",\"v.char\":null,\"n\":1}"), std::string::npos);
  EXPECT_EQ(json.find("\"?0\":true"), std::string::npos);
  const std::string logfmt = of_vector({"cat", "--format", "logfmt"});
  EXPECT_NE(logfmt.find(" qty=null name=null took=null"), std::string::npos);
  EXPECT_NE(of_vector({"cat", "--pattern", "{message}|{arg:qty}"}).find("|none\n"), std::string::npos);
}

}  // namespace
}  // namespace steno
