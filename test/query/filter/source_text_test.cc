// Statements are found by the text that the source has, also where the log has more fields than the source.
#include "query/filter/source_text.h"

#include <steno/containers.h>
#include <steno/struct.h>

#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "../../reader/file_builder.h"
#include "../../reader/temp_file.h"
#include "query/filter/statement.h"
#include "reader/log_set.h"

namespace source_text_types {

struct Money {
  int cents;
};
struct Order {
  int id;
  Money price;
};
struct Place {
  int x;
  int y;
};

}  // namespace source_text_types

STENO_STRUCT(source_text_types::Money, cents)
STENO_STRUCT(source_text_types::Order, id, price)
STENO_STRUCT(source_text_types::Place, x, y)

namespace steno::query {
namespace {

using source_text_types::Place;

// Returns the text that the macros make of a source text.
template <class... A>
std::string in_log(const std::string& source) {
  std::string text(1000, '\0');
  const detail::StructFormat<A...> made(source.c_str(), source.size(), text.data());
  EXPECT_TRUE(made.good) << source;
  text.resize(made.out.size);
  return text;
}

TEST(SourceText, IsWhatTheMacrosBeganWith) {
  const auto expect = [](const std::string& source, const std::string& logged, bool changes = true) {
    EXPECT_EQ(source_text(logged, source.find("{}") != std::string::npos), source) << logged;
    EXPECT_EQ(logged != source, changes) << logged;
  };
  expect("at {place}", in_log<Place>("at {place}"));
  expect("at {place} for {n:>5} {{literally}} {place}",
         in_log<Place, int>("at {place} for {n:>5} {{literally}} {place}"));
  expect("at {}", in_log<Place>("at {}"));
  expect("({from}, {to})", in_log<Place, Place>("({from}, {to})"));
  expect("{pair}!", in_log<std::pair<int, double>>("{pair}!"));
  expect("{three} {n}", in_log<std::tuple<int, std::string, double>, int>("{three} {n}"));
  expect("got {reply}", in_log<std::variant<int, std::string>>("got {reply}"));
  // A structure in a structure: its member is expanded in turn.
  const std::string order = "{{id={o.id}, price={{cents={o.price.cents}}}}}";
  expect("order {o}", "order " + order);
  for (const char* plain : {"", "{}", "{a} {b}", "{{id={order.id}", "({a.x}, {b.x})", "{{x={a.x}, y={b.y}}}",
                            "{{x={a.y}}}", "(a)", "variant({a})", "}}{{", "{", "{{x={a.x}", "f({x}, {y})", "%d {a.b}"})
    expect(plain, plain, false);
}

TEST(SourceText, FindsStatements) {
  test::FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, in_log<Place>("moved to {place}"), "ii", 10);
  b.site(17, Level::kInfo, in_log<Place>("moved to {}"), "ii", 11);
  b.site(18, Level::kInfo, in_log<Place, int>("moved to {place} after {n}"), "iii", 12);
  b.log(0, 16, test::FileBuilder::kStart, test::Args().i32(1).i32(2));
  b.log(0, 17, test::FileBuilder::kStart, test::Args().i32(1).i32(2));
  b.log(0, 18, test::FileBuilder::kStart, test::Args().i32(1).i32(2).i32(3));
  const test::TempFile file(b.end().bytes());
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  const auto line_of = [&](const std::string& text) {
    const auto found = find_statement(logs, text);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? found->sites[0]->info().line : 0;
  };
  EXPECT_EQ(line_of("moved to {place}"), 10u);
  EXPECT_EQ(line_of("moved to {place} after {n}"), 12u);
  EXPECT_EQ(line_of("{place} after"), 12u);
  EXPECT_EQ(line_of("moved to {{x={place.x}, y={place.y}}} after {n}"), 12u);
}

}  // namespace
}  // namespace steno::query
