// Optionals and variants as arguments (containers.h): what is in the log, and how it prints.
#include <steno/chrono.h>
#include <steno/containers.h>
#include <steno/context.h>
#include <steno/logf.h>
#include <steno/named_enum.h>
#include <steno/span.h>
#include <steno/struct.h>

#include <random>

#include "log_test.h"

namespace shop {
enum class Side : std::uint8_t { kBuy = 1, kSell = 2 };
struct Order {
  int id;
  std::optional<double> discount;
  std::variant<std::monostate, int, std::string> note;
};
}  // namespace shop
STENO_NAMED_ENUM(shop::Side, kBuy, kSell)
STENO_STRUCT(shop::Order, id, discount, note)

// A type whose captured value is a text of its own.
struct AbsentEndpoint {
  int port;
};
template <>
struct steno::Loggable<AbsentEndpoint> {
  static std::string capture(const AbsentEndpoint& e) { return "a host with a long name:" + std::to_string(e.port); }
};
// One that cannot be copied without notice.
struct AbsentThrower {
  AbsentThrower() = default;
  AbsentThrower(const AbsentThrower&) { throw 1; }
};
template <>
struct steno::Loggable<AbsentThrower> {
  static int capture(const AbsentThrower&) { return 5; }
};

namespace {

using steno_test::Log;
using steno_test::LogTest;

class AbsentValueTest : public LogTest {};

TEST_F(AbsentValueTest, PrintsAsFmtDoes) {
  start();
  const std::optional<int> none;
  STENO_INFO("{} {} {x}", none, std::optional(-7), std::optional(true));
  STENO_INFO("{} {} {}", std::optional('q'), std::optional<std::string>("a\"b"), std::optional<const char*>("c"));
  STENO_INFO("{:>6} {:.2f} {:x} {:s}", std::optional(8), std::optional(0.5), std::optional(255), std::optional("s"));
  STENO_INFO("{:>6} {:?} {}", none, std::optional<std::string>("t"), std::optional<std::u16string>(u"é"));
  STENO_INFO("{} {:>6}", std::optional(std::chrono::milliseconds(15)), std::optional(std::chrono::seconds(2)));
  STENO_INFO("{} {}", std::optional(shop::Side::kSell), std::optional<std::vector<int>>({1, 2}));
  STENO_INFO("{} {}", std::optional(AbsentEndpoint{80}), std::optional<AbsentEndpoint>());
  STENO_INFO("{} {}", std::optional<std::optional<int>>(none), std::optional<std::vector<std::string>>({"v"}));
  STENO_INFO("{} {}", std::variant<int, std::string>(42), std::variant<int, std::string>("abc"));
  STENO_INFO("{} {v} {v}", std::variant<std::monostate, char>(), std::variant<std::monostate, char>('x'));
  STENO_INFO("{} {}", std::variant<std::vector<std::string>, int>(3), std::pair(std::optional(1), none));
  STENO_INFOF("%s %s", std::optional(1.5), std::variant<int, std::monostate>(2));
  EXPECT_EQ(messages(), (std::vector<std::string>{
                            "none optional(-7) optional(true)",
                            "optional('q') optional(\"a\\\"b\") optional(\"c\")",
                            "optional(     8) optional(0.50) optional(ff) optional(s)",
                            "none optional(\"t\") optional(\"é\")",
                            "optional(15ms) optional(    2s)",
                            "optional(kSell) optional([1, 2])",
                            "optional(\"a host with a long name:80\") none",
                            "optional(none) optional([\"v\"])",
                            "variant(42) variant(\"abc\")",
                            "variant(monostate) variant('x') variant('x')",
                            "variant(3) (optional(1), none)",
                            "optional(1.5) variant(2)",
                        }));
}

TEST_F(AbsentValueTest, AreColumns) {
  start();
  STENO_INFO("{a} {b} {n}", std::optional<int>(), std::optional<std::string>("x"), 1);
  STENO_INFO("{v}", std::variant<int, std::string, long>(5L));
  STENO_INFO("{}", std::variant<double, bool>(0.5));
  STENO_LOG_TO(steno::logger("shop"), ERROR, "{order}", (shop::Order{1, std::nullopt, "n"}));
  {
    const steno::ScopedContext context("request", 7);
    EXPECT_TRUE(STENO_TRY_WARN("{a}", std::optional<long>(9)));
  }
  EXPECT_EQ(values(), (std::vector<std::string>{
                          "a:i:- b:S:x n:i:1 ",
                          "v.int:i:- v.string:S:- v.int2:l:5 ",
                          "0:d:0.5 1:b:- ",
                          "order.id:i:1 order.discount:d:- order.note.monostate:h:- order.note.int:i:- "
                          "order.note.string:S:n ",
                          "a:l:9 request:i:7 ",
                      }));
}

TEST_F(AbsentValueTest, OfStructures) {
  start();
  STENO_INFO("{order}", (shop::Order{1, 2.5, 3}));
  STENO_INFO("{order} {}", (shop::Order{2, std::nullopt, {}}), std::optional(4));
  EXPECT_EQ(messages(), (std::vector<std::string>{
                            "{id=1, discount=optional(2.5), note=variant(3)}",
                            "{id=2, discount=none, note=variant(monostate)} optional(4)",
                        }));
}

TEST_F(AbsentValueTest, AVariantWithoutAValue) {
  start();
  std::variant<int, AbsentThrower> variant(1);
  const AbsentThrower thrower;
  EXPECT_ANY_THROW(variant.emplace<1>(thrower));
  ASSERT_TRUE(variant.valueless_by_exception());
  STENO_INFO("{}", variant);
  STENO_INFOF("%s", variant);
  EXPECT_EQ(messages(), (std::vector<std::string>(2, "variant(valueless by exception)")));
}

// Values are in spans, and strings are long enough for the cold way.
TEST_F(AbsentValueTest, OfAnySize) {
  start();
  const std::string text(5000, 'x');
  STENO_INFO("{} {}", std::optional(text), std::optional<int>());
  STENO_INFO("{}", std::variant<int, std::string>(text));
  { STENO_SPAN("of {size}", std::optional(3)); }
  const std::vector<std::string> found = messages();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], "optional(\"" + text + "\") none");
  EXPECT_EQ(found[1], "variant(\"" + text + "\")");
  EXPECT_EQ(found[2], "of optional(3): begin");
}

TEST_F(AbsentValueTest, RandomRecordsComeBack) {
  start();
  std::mt19937_64 random(12);
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    const auto pick = [&](std::uint64_t n) { return random() % n; };
    std::optional<std::int64_t> number;
    if (pick(3) != 0) number = static_cast<std::int64_t>(random() >> pick(64));
    std::optional<std::string> text;
    if (pick(2) != 0) text = std::string(pick(5), 't');
    std::variant<std::uint32_t, std::string, bool> variant = static_cast<std::uint32_t>(pick(100));
    if (pick(3) == 0) variant = std::string("s");
    if (pick(3) == 0) variant = pick(2) != 0;
    STENO_INFO("{number} {text} {variant}", number, text, variant);
    std::string line = number ? "optional(" + std::to_string(*number) + ") " : "none ";
    line += text ? "optional(\"" + *text + "\") variant(" : "none variant(";
    if (const auto* u = std::get_if<0>(&variant)) line += std::to_string(*u);
    if (const auto* s = std::get_if<1>(&variant)) line += "\"" + *s + "\"";
    if (const auto* b = std::get_if<2>(&variant)) line += *b ? "true" : "false";
    expected.push_back(line + ")");
  }
  EXPECT_EQ(messages(), expected);
}

}  // namespace
