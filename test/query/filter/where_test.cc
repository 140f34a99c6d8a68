// The grammar of --where.
#include <gtest/gtest.h>

#include <random>

#include "base/suggest.h"
#include "query/filter/expression.h"

namespace steno::query {
namespace {

bool parses(std::string_view text) {
  return parse_where(text, {}).ok();
}

TEST(Where, Parses) {
  for (const char* text : {"a == 1",
                           "a = 1",
                           "a != -1.5e3",
                           "a < 0x1F",
                           "{a} >= 1_000_000",
                           "{0} <= +3",
                           "a contains \"x\"",
                           "a =~ 'x.y'",
                           "a !~ \"\\d+\"",
                           "a",
                           "not a",
                           "not not a",
                           "a and b or c and not (d or e)",
                           "a is null",
                           "a is not null",
                           "a in (1, 2, 3)",
                           "a not in ('x')",
                           "a not contains 'x'",
                           "5 < a",
                           "\"x\" == a",
                           "true == a",
                           "a == false",
                           "level >= WARN",
                           "level == \"warning\"",
                           "level >= FATAL",
                           "time >= '2027-01-15'",
                           "time < 5",
                           "thread == 4711",
                           "thread == 'main'",
                           "LEVEL == 5",
                           "A AND B OR NOT C",
                           "line == 7",
                           "file == 'x.cc'",
                           "message contains 'x'",
                           "a > 5ms",
                           "a <= 1.5h",
                           "a == -1_000ns",
                           "a in (1min, 2d)",
                           "1e3us < a",
                           "{level} == 3",
                           "a == nan",
                           "a != NaN or a is nan",
                           "a is not nan",
                           "pid == 5 and program != 'x' and host =~ 'x'",
                           "session.host == 'x'",
                           "sequence > 3",
                           "site == 'x.cc:5' or site contains 'x'",
                           "a == 1 && b == 2 || !c",
                           "!(a) && ! b",
                           "a ! in (1)",
                           "a <> 1",
                           "a == null or b != NULL",
                           "time > 14:03",
                           "time >= 2:03:22.5 && time < 2027-01-15 08:00Z",
                           "time < 2027-01-15 and a",
                           "2027-01-15T08:00:00.5Z <= time",
                           "tid in (1, 2)",
                           "p99.9 > 3"}) {
    EXPECT_TRUE(parses(text)) << text << ": " << parse_where(text, {}).status().message();
  }
}

TEST(Where, Rejects) {
  for (const char* text : {"",
                           "(",
                           ")",
                           "a ==",
                           "== 1",
                           "a == b",
                           "a b",
                           "a == 1 and",
                           "or a",
                           "a == 1 2",
                           "a > 5 ms",
                           "a > 5m",
                           "a > ms",
                           "a > 5msx",
                           "a > 5.ms.",
                           "a === 1",
                           "a & b",
                           "a &&& b",
                           "a |",
                           "!",
                           "a < null",
                           "a in (null)",
                           "level == null",
                           "time > 14:3",
                           "time > 25:00",
                           "time > 2027-13-01",
                           "time > 10min",
                           "a == \"x",
                           "{a",
                           "{} == 1",
                           "a is 5",
                           "a in 5",
                           "a in ()",
                           "a in (1",
                           "a contains 5",
                           "a =~ 5",
                           "level == 3",
                           "level < none",
                           "level",
                           "time",
                           "message == 5",
                           "time contains 'x'",
                           "time == 'noon'",
                           "level is null",
                           "a == 1x",
                           "a == 0xg",
                           "5",
                           "5 =~ a",
                           "not",
                           "a not 5",
                           "a == 1.2.3",
                           "a =~ '('",
                           "a < nan",
                           "level == nan",
                           "a is not",
                           "host == 5",
                           "pid == 'x'",
                           "pid is null",
                           "sequence =~ 'x'",
                           "program",
                           "site == 5"}) {
    EXPECT_FALSE(parses(text)) << text;
  }
}

// Names that are common as names of arguments mean these, where a statement has one.
TEST(Where, SomeFieldsYieldToArguments) {
  const auto field_of = [](std::string_view text) {
    const auto expression =
        parse_where(text, {}, [](std::string_view name) { return name == "host" || name == "level"; });
    return expression.ok() ? expression->condition.field : Field::kTime;
  };
  EXPECT_EQ(field_of("host == 5"), Field::kArgument);
  EXPECT_EQ(field_of("session.host == 'x'"), Field::kHost);
  EXPECT_EQ(field_of("pid == 5"), Field::kPid);
  EXPECT_EQ(field_of("{pid} == 5"), Field::kArgument);
  EXPECT_EQ(field_of("level == WARN"), Field::kLevel);
}

// Symbols and "== null" mean what the words do.
TEST(Where, Synonyms) {
  const auto both = parse_where("!a && b || c", {});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->kind, Expression::Kind::kOr);
  EXPECT_EQ(both->parts[0].kind, Expression::Kind::kAnd);
  EXPECT_TRUE(both->parts[0].parts[0].condition.negated);
  for (const auto& [text, negated] : {std::pair("a == null", false), std::pair("a != null", true)}) {
    const auto absent = parse_where(text, {});
    ASSERT_TRUE(absent.ok());
    EXPECT_EQ(absent->condition.comparison, Comparison::kIsNull);
    EXPECT_EQ(absent->condition.negated, negated);
  }
  const auto bare = parse_where("time >= 1970-01-02 00:00:01", {});
  const auto quoted = parse_where("time >= '1970-01-02 00:00:01'", {});
  ASSERT_TRUE(bare.ok() && quoted.ok());
  EXPECT_TRUE(bare->condition.constant.integer == quoted->condition.constant.integer);
}

// Words of other languages are answered with what to write.
TEST(Where, ForeignWords) {
  for (const auto& [text, advice] :
       {std::pair("message like '%x%'", "; write message contains \"text\""),
        std::pair("client not like 'x'", "; write not (client contains \"text\")"),
        std::pair("qty BETWEEN 1 AND 5", "; write qty >= 1 and qty <= 5"),
        std::pair("client startswith 'x'", "; write client =~ \"^text\""), std::pair("qty gt 5", "; write qty > 5"),
        std::pair("contains(client, 'x')", "a field is missing"),
        std::pair("lower(client) == 'x'", "there are no functions here; write NAME contains \"text\""),
        std::pair("qty < null", "NAME is null finds the records that do not have NAME"),
        std::pair("qty is 5", "after 'is' comes null, not null, nan or not nan; a value is compared with =="),
        std::pair("level is null", "every record has 'level'"), std::pair("qty > 5m", "minutes are 'min'"),
        std::pair("time > 10min", "; write time > \"10m ago\""), std::pair("a & b", "&& ||")}) {
    const auto refused = parse_where(text, {});
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_NE(refused.status().message().find(advice), std::string::npos) << refused.status().message();
  }
}

TEST(Where, Precedence) {
  const auto expression = parse_where("a or b and not c", {});
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->kind, Expression::Kind::kOr);
  ASSERT_EQ(expression->parts.size(), 2u);
  EXPECT_EQ(expression->parts[1].kind, Expression::Kind::kAnd);
  EXPECT_TRUE(expression->parts[1].parts[1].condition.negated);
}

TEST(Where, NestedTooDeeply) {
  EXPECT_FALSE(parses(std::string(5000, '(') + "a" + std::string(5000, ')')));
  std::string nots;
  for (int i = 0; i < 5000; ++i) nots += "not ";
  EXPECT_FALSE(parses(nots + "a"));
}

TEST(Where, AnyBytesAtAll) {
  std::mt19937 random(1);
  const std::string_view words[] = {"a", "and", "or", "not",  "(",  ")", "==",  "<",
                                    "5", "'x'", "is", "null", "in", ",", "{0}", "level"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n) text += std::string(words[random() % 16]) + " ";
    if (round % 3 == 0 && !text.empty()) text[random() % text.size()] = static_cast<char>(random());
    (void)parse_where(text, {});
  }
}

TEST(Suggest, DidYouMean) {
  EXPECT_EQ(did_you_mean("qyt", {"qty", "price"}), "; did you mean 'qty'?");
  EXPECT_EQ(did_you_mean("zzzz", {"qty", "price"}), "; choose from 'price', 'qty'");
  EXPECT_EQ(did_you_mean("x", {}), "");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

}  // namespace
}  // namespace steno::query
