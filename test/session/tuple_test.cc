// Pairs and tuples as arguments (containers.h): what is in the log, and how it prints.
#include <steno/containers.h>
#include <steno/context.h>
#include <steno/logf.h>
#include <steno/struct.h>

#include "log_test.h"

namespace shop {
struct Trip {
  std::pair<int, std::string> from;
  double km;
};
}  // namespace shop
STENO_STRUCT(shop::Trip, from, km)

namespace {

using steno_test::LogTest;
using Texts = std::vector<std::string>;

class TupleTest : public LogTest {};

TEST_F(TupleTest, TheirElementsAreColumns) {
  start();
  STENO_INFO("{at}", std::pair(1, std::string("a")));
  STENO_INFO("{t} in {us}", std::tuple(1.5, true, 'x'), 7);
  STENO_INFO("{o}", std::pair(std::optional<int>(), std::optional(2)));
  STENO_INFO("{n}", std::pair(std::pair(1, 2), std::tuple(std::vector<int>{3})));
  STENO_INFO("{trip}", shop::Trip{{5, "home"}, 2.5});
  EXPECT_EQ(values(), (Texts{"at.first:i:1 at.second:S:a ", "t._0:d:1.5 t._1:b:true t._2:c:x us:i:7 ",
                             "o.first:i:- o.second:i:2 ", "n.first.first:i:1 n.first.second:i:2 n.second._0:S:[3] ",
                             "trip.from.first:i:5 trip.from.second:S:home trip.km:d:2.5 "}));
}

TEST_F(TupleTest, PrintAsFmtDoes) {
  start();
  STENO_INFO("{at} {at} {}", std::pair(1, "a\"b"), std::tuple<>());
  STENO_INFO("{} {}", std::tuple(1.5, true, std::vector<int>{4}, 'x'), std::tuple(std::string("s")));
  STENO_INFO("{o}", std::pair(std::optional(1), std::optional<std::string>("q")));
  STENO_INFO("{n} {}", std::pair(std::pair(1, 2), std::tuple(3)), 5);
  STENO_INFO("{v}", std::pair(std::vector<std::string>{"q"}, std::variant<int, std::string>("z")));
  STENO_INFO("{trip}", shop::Trip{{5, "home"}, 2.5});
  EXPECT_EQ(messages(), (Texts{"(1, \"a\\\"b\") (1, \"a\\\"b\") ()", "(1.5, true, [4], 'x') (\"s\")",
                               "(optional(1), optional(\"q\"))", "((1, 2), (3)) 5", "([\"q\"], variant(\"z\"))",
                               "{from=(5, \"home\"), km=2.5}"}));
}

// A list has no place for what is absent, so that of optionals is text; so is what contains pairs, printf statements,
// contexts, and what has pointers to what statements do not print.
TEST_F(TupleTest, WhatIsTextAsBefore) {
  start();
  int x = 3;
  STENO_INFO("{v}", std::vector<std::optional<int>>{1, std::nullopt});
  STENO_INFO("{v}", std::vector<std::pair<int, int>>{{1, 2}});
  STENO_INFO("{p}", std::pair(&x, 1));
  STENO_INFOF("%s", std::pair(1, "x"));
  {
    const steno::ScopedContext context("at", std::pair(1, 2));
    STENO_INFO("in context");
  }
  const Texts all = values();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0], "v:S:[optional(1), none] ");
  EXPECT_EQ(all[1], "v:S:[(1, 2)] ");
  EXPECT_EQ(all[2].substr(0, 7), "p:S:(0x");
  EXPECT_EQ(all[3], "0:S:(1, \"x\") ");
}

}  // namespace
