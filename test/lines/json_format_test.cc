// Lines of JSON that a program prints are those that are printed field by field.
#include "lines/json_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "random_log.h"

namespace steno::lines {
namespace {

using test::Args;
using test::FileBuilder;

std::string printed(const reader::LogSet& logs, Zone zone, bool programs, std::size_t* by_program, Origin origin = {}) {
  LineOptions options;
  options.zone = zone;
  options.origin = origin;
  return printed_by(logs, *make_json_format(options, programs, by_program));
}

TEST(JsonFormatProperty, ProgramsPrintWhatFieldsDo) {
  std::size_t records = 0;
  std::size_t by_program = 0;
  std::size_t alone = 0;
  for (int i = 0; i < test::sampled(48); ++i) {
    std::mt19937 random(static_cast<std::uint32_t>(i));
    const test::TempFile file(random_log(random, 1 + random() % 6));
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    const Zone zone = i % 3 == 0 ? Zone::kLocal : Zone::kUtc;
    const Origin origin = {i % 5 == 0, false};
    const std::string fields = printed(logs, zone, false, &alone, origin);
    ASSERT_EQ(printed(logs, zone, true, &by_program, origin), fields) << i;
    records += static_cast<std::size_t>(std::count(fields.begin(), fields.end(), '\n'));
  }
  EXPECT_EQ(alone, 0u);
  EXPECT_GT(by_program, records / 3);
  EXPECT_LT(by_program, records);
}

// Values at the ends of their types, numbers that JSON has no word for, null.
TEST(JsonFormat, ValuesOfEveryType) {
  FileBuilder builder;
  builder.session().thread(0, 1, "main");
  builder.site(16, Level::kInfo, "{b}{c}{a}{s}{i}{l} {h}{t}{j}{m} {p} {f}{d:.1f}{x} {S}", "bcasilhtjmpfddS");
  builder.site(17, Level::kInfo, "%d%% of %s\t%5.1f", "iSd", 1, wire::Style::kPrintf);
  builder.site(18, Level::kInfo, "\xff{}\xe2\x80\xae", "i");
  std::uint64_t now = FileBuilder::kStart;
  const double numbers[] = {0.1, -0.0, 1e300, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  for (const double number : numbers) {
    Args args;
    args.add<std::uint8_t>('b', 1).add<char>('c', 'x').add<std::int8_t>('a', -128).add<std::int16_t>('s', -32768);
    args.i32(INT32_MIN).add<std::int64_t>('l', INT64_MIN).add<std::uint8_t>('h', 255).add<std::uint16_t>('t', 65535);
    args.add<std::uint32_t>('j', UINT32_MAX).u64(UINT64_MAX).add<std::uint64_t>('p', 4096);
    args.add<float>('f', static_cast<float>(number)).f64(number).f64(number);
    number > 1 ? args.null_text() : args.text("a text");
    builder.log(0, 16, ++now, args);
    builder.log(0, 17, ++now, Args().i32(7).text("all").f64(number));
    builder.log(0, 18, ++now, Args().i32(7));
  }
  builder.end();
  const test::TempFile file(builder.bytes());
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  std::size_t by_program = 0;
  std::size_t alone = 0;
  const std::string fields = printed(logs, Zone::kUtc, false, &alone);
  EXPECT_EQ(printed(logs, Zone::kUtc, true, &by_program), fields);
  EXPECT_GE(by_program, std::size(numbers));
  EXPECT_NE(fields.find("\"x\":\"nan\",\"S\":\"a text\""), std::string::npos) << fields;
  EXPECT_NE(fields.find("\"x\":\"inf\",\"S\":null"), std::string::npos) << fields;
}

// A format that repeats a long text: the message ends where it is too long, whoever prints it.
TEST(JsonFormat, MessagesThatAreTooLong) {
  std::string format;
  for (int i = 0; i < 40; ++i) format += i % 2 == 0 ? "{0}" : "{0:>3}";
  FileBuilder builder;
  builder.session().thread(0, 1, "main");
  builder.site(16, Level::kInfo, format, "S");
  builder.log(0, 16, FileBuilder::kStart, Args().text("short"));
  builder.log(0, 16, FileBuilder::kStart + 1, Args().text(std::string(500'000, 'x')));
  builder.end();
  const test::TempFile file(builder.bytes());
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  std::size_t by_program = 0;
  const std::string lines = printed(logs, Zone::kUtc, true, &by_program);
  EXPECT_EQ(by_program, 1u);
  EXPECT_TRUE(lines == printed(logs, Zone::kUtc, false, nullptr));
  EXPECT_NE(lines.find("{!message too long}\",\"args\""), std::string::npos);
}

}  // namespace
}  // namespace steno::lines
