// print_value() is `{}`.
#include <gtest/gtest.h>

#include <cerrno>

#include "brace_oracle.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

using namespace testing;  // NOLINT: the helpers of these tests

std::string shown(const Argument& argument) {
  ByteBuffer out;
  print_value(argument.value, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

TEST(PrintValue, IsWhatFmtPrints) {
  Random random("PrintValue.IsWhatFmtPrints");
  for (std::uint64_t i = 0; i < property_cases() / 4; ++i) {
    const auto type = static_cast<ArgType>(random.pick("bcasilnhtjmofdegpS"));
    const Argument argument = random_argument(random, type);
    std::string text;
    ASSERT_EQ(shown(argument), fmt_print("{}", {to_fmt(argument.value, CharAs::kNumber, text)}))
        << static_cast<char>(type);
    ASSERT_EQ(shown(argument), testing::print(wire::Style::kBrace, "{}", [&] {
                std::vector<Argument> one(1);
                one[0].value = argument.value;
                return one;
              }()));
  }
}

TEST(PrintValue, Text) {
  EXPECT_EQ(shown(str("as it is: \xFF{}%")), "as it is: \xFF{}%");
  EXPECT_EQ(shown(Argument::string(std::u16string_view(u"é🎉"))), "é🎉");
  EXPECT_EQ(shown(Argument::string(std::u32string_view(U"é🎉"))), "é🎉");
  EXPECT_EQ(shown(Argument::string(std::u32string_view())), "");
  EXPECT_EQ(shown(Argument::null(ArgType::kString)), "(null)");
  EXPECT_EQ(shown(Argument::integer(ArgType::kChar16, u'é')), "é");
}

TEST(PrintValue, Errno) {
  EXPECT_EQ(shown(Argument::integer(ArgType::kErrno, ENOENT)), "No such file or directory");
  EXPECT_EQ(shown(Argument::integer(ArgType::kErrno, static_cast<std::uint64_t>(-1))), "Unknown error -1");
  EXPECT_EQ(shown(Argument::integer(ArgType::kErrno, 12345)), "Unknown error 12345");
}

// Bit patterns that no processor makes, but a damaged file may.
TEST(PrintValue, ImpossibleExtendedNumbers) {
  const auto extended = [](std::uint64_t significand, std::uint16_t sign_exponent) {
    return Argument::wide(ArgType::kF80, static_cast<UInt128>(sign_exponent) << 64 | significand);
  };
  EXPECT_EQ(shown(extended(0x8000'0000'0000'0000, 0x3FFF)), "1");
  EXPECT_EQ(shown(extended(0x8000'0000'0000'0000, 0xBFFF)), "-1");
  EXPECT_EQ(shown(extended(0x8000'0000'0000'0000, 0x7FFF)), "inf");
  EXPECT_EQ(shown(extended(0xC000'0000'0000'0000, 0x7FFF)), "nan");
  EXPECT_EQ(shown(extended(0x4000'0000'0000'0000, 0x3FFF)), "nan");  // unnormal
  EXPECT_EQ(shown(extended(0, 0x3FFF)), "nan");
  EXPECT_EQ(shown(extended(0, 0x7FFF)), "nan");  // pseudo-infinity
  EXPECT_EQ(shown(extended(0, 0)), "0");
  EXPECT_EQ(shown(extended(0x8000'0000'0000'0000, 0)), shown(extended(0x8000'0000'0000'0000, 1)));  // pseudo-denormal
  Random random("PrintValue.ImpossibleExtendedNumbers");
  for (int i = 0; i < test::sampled(20'000); ++i) {
    const Argument any = Argument::wide(random.one_in(2) ? ArgType::kF80 : ArgType::kF128,
                                        static_cast<UInt128>(random.bits()) << 64 | random.bits());
    EXPECT_FALSE(shown(any).empty());
  }
}

TEST(PrintValue, AWideNumberThatIsMissingIsZero) {
  for (const ArgType type : {ArgType::kI128, ArgType::kU128, ArgType::kF80, ArgType::kF128}) {
    EXPECT_EQ(shown(Argument::null(type)), "0");
  }
}

}  // namespace
}  // namespace steno::text
