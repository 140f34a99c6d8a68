// Lines of many records at once are those of each record alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "lines/text_format.h"
#include "random_log.h"

namespace steno::lines {
namespace {

using test::Args;
using test::FileBuilder;

// The records of logs, many at once or one by one. *grouped: how many messages were printed together.
std::string printed(const reader::LogSet& logs, const LineOptions& options, bool one_by_one, std::size_t* grouped) {
  const auto format = make_text_format(options, grouped);
  return one_by_one ? printed_one_by_one(logs, *format) : printed_by(logs, *format);
}

TEST(TextFormatProperty, LinesOfManyRecordsAreThoseOfEach) {
  std::size_t records = 0;
  std::size_t together = 0;
  std::size_t alone = 0;
  for (int i = 0; i < test::sampled(48); ++i) {
    std::mt19937 random(static_cast<std::uint32_t>(i));
    const test::TempFile file(random_log(random, 1 + random() % 6));
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    const test::TempFile other(random_log(random, 1));
    if (i % 4 == 1) {
      ASSERT_TRUE(logs.add(other.path()).ok());
    }
    LineOptions options;
    options.zone = i % 3 == 0 ? Zone::kLocal : Zone::kUtc;
    options.escape = static_cast<Escape>(i % 3);
    options.colour = i % 5 == 0;
    options.origin = {i % 7 < 2, i % 7 == 1};
    options.pattern = i % 4 != 0 ? default_pattern(i % 2 == 0, options.origin.any())
                                 : parse_pattern("{level} {time}|{thread} {message} {logger}").value();
    const std::string one_by_one = printed(logs, options, true, &alone);
    ASSERT_FALSE(one_by_one.empty());
    ASSERT_EQ(printed(logs, options, false, &together), one_by_one) << i;
    records += static_cast<std::size_t>(std::count(one_by_one.begin(), one_by_one.end(), '\n'));
  }
  EXPECT_EQ(alone, 0u);
  EXPECT_GT(together, records / 3);
  EXPECT_LT(together, records);
}

// Records after statements that cannot be printed together are grouped again.
TEST(TextFormat, GroupsAgainAfterRecordsThatCannotBe) {
  constexpr int kMany = 60'000;
  FileBuilder builder;
  builder.session().thread(0, 1, "main");
  builder.site(16, Level::kInfo, "{:>8}", "i").site(17, Level::kInfo, "{}", "i");
  std::uint64_t now = FileBuilder::kStart;
  for (int i = 0; i < 2 * kMany; ++i) {
    builder.log(0, i < kMany ? 16 : 17, ++now, Args().i32(i));
    if (i % 10'000 == 9'999) builder.flush();
  }
  builder.end();
  const test::TempFile file(builder.bytes());
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  LineOptions options;
  options.pattern = default_pattern();
  std::size_t together = 0;
  const std::string text = printed(logs, options, false, &together);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 * kMany);
  EXPECT_GT(together, std::size_t{kMany} / 4);  // a long while apart may reach into the second half
  EXPECT_LE(together, std::size_t{kMany});
}

}  // namespace
}  // namespace steno::lines
