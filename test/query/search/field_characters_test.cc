// Tests the set of characters that the fields of a statement's messages can consist of: it is never too small.
#include "query/search/field_characters.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../text/cases.h"

namespace steno::query {
namespace {

using text::testing::Argument;

constexpr char kBetween = '\1';

wire::SiteInfo site(std::string format, std::string types, wire::Style style) {
  wire::SiteInfo info;
  info.id = 16;
  info.format = std::move(format);
  info.types = std::move(types);
  info.style = style;
  return info;
}

void expect_all_within(const wire::SiteInfo& info, const std::vector<Argument>& arguments) {
  const auto printer = text::Printer::compile(info.style, info.format, text::testing::types_of(arguments));
  ASSERT_TRUE(printer.ok()) << info.format;
  const std::string text = text::testing::printed_values(printer.value(), text::testing::values_of(arguments));
  if (std::count(text.begin(), text.end(), kBetween) != 1) return;  // the value may hold what stands after it
  const std::vector<CharSet> fields = field_characters(info);
  std::size_t begin = 0;
  for (const CharSet& set : fields) {
    const std::size_t end = text.find(kBetween, begin);
    ASSERT_NE(end, std::string::npos) << info.format;
    EXPECT_TRUE((set_of(text.substr(begin, end - begin)) & ~set).none()) << info.format << " prints " << text;
    begin = end + 1;
  }
  EXPECT_EQ(begin, text.size()) << info.format;
}

TEST(FieldCharacters, HoldWhatIsPrinted) {
  text::testing::Random random("FieldCharacters.HoldWhatIsPrinted");
  const std::vector<std::string> brace = {"", ":x", ":08", ":+.3", ":e", ":>12", ":*^9", ":#o", ":?", ":c", ":.2f"};
  const std::vector<std::string> printf = {"d", "5d",  "-8ld", "x", "#llX", "hhu", "o",
                                           "f", ".3e", "g",    "a", "s",    "p",   "c"};
  std::size_t numbers = 0;
  for (int round = 0; round < 20'000; ++round) {
    const bool is_brace = random.one_in(2);
    const auto style = is_brace ? wire::Style::kBrace : wire::Style::kPrintf;
    const auto type = static_cast<ArgType>(random.pick(text::testing::kAllTypes));
    std::string format = is_brace ? "{" + random.pick(brace) + "}" : "%" + random.pick(printf);
    format += kBetween;
    std::vector<Argument> arguments;
    arguments.push_back(text::testing::random_argument(random, type));
    const std::string types(1, static_cast<char>(type));
    if (!text::Printer::compile(style, format, types).ok()) continue;
    const wire::SiteInfo info = site(format, types, style);
    const std::vector<CharSet> fields = field_characters(info);
    if (fields.empty()) continue;  // readers take some formats that statements do not
    expect_all_within(info, arguments);
    numbers += fields[0].all() ? 0 : 1;
  }
  EXPECT_GT(numbers, 2'000u);
}

TEST(FieldCharacters, OfAFormatThatDoesNotParse) {
  EXPECT_TRUE(field_characters(site("{", "i", wire::Style::kBrace)).empty());
}

}  // namespace
}  // namespace steno::query
