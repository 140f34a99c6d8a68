// print_value() is `{}`.
#include <gtest/gtest.h>

#include <bit>
#include <cerrno>

#include "brace_oracle.h"
#include "text/meaning.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

using namespace testing;

std::string shown(const Argument& argument) {
  ByteBuffer out;
  print_value(argument.value, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

TEST(PrintValue, IsWhatFmtPrints) {
  Random random("PrintValue.IsWhatFmtPrints");
  for (std::uint64_t i = 0; i < property_cases() / 4; ++i) {
    const auto type = static_cast<ArgType>(random.pick(kOracleTypes));
    const Argument argument = random_argument(random, type);
    if (!is_string(type) && !fmt_versions_agree(detail::BraceSpec(), argument.value)) continue;
    std::string text;
    ASSERT_EQ(shown(argument), fmt_print("{}", {to_fmt(argument.value, CharAs::kText, text)}))
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
  for (int i = 0; i < test::sampled(4'000); ++i) {
    const Argument any = Argument::wide(random.one_in(2) ? ArgType::kF80 : ArgType::kF128,
                                        static_cast<UInt128>(random.bits()) << 64 | random.bits());
    EXPECT_FALSE(shown(any).empty());
  }
}

std::string shown_as(std::string_view meaning, ArgType type, std::uint64_t bits) {
  const auto parsed = Meaning::parse(meaning, type);
  if (!parsed) return "none";
  Value value;
  value.type = type;
  value.bits = bits;
  ByteBuffer out;
  parsed->print(value, -1, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

TEST(PrintValue, Meanings) {
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};
  EXPECT_EQ(shown_as("ms", ArgType::kI32, kMinusOne), "-1ms");
  EXPECT_EQ(shown_as("ms", ArgType::kU64, kMinusOne), "18446744073709551615ms");
  EXPECT_EQ(shown_as("%", ArgType::kF64, std::bit_cast<std::uint64_t>(12.5)), "12.5%");
  EXPECT_EQ(shown_as("@ns", ArgType::kI64, kMinusOne), "1969-12-31 23:59:59.999999999Z");
  EXPECT_EQ(shown_as("@s", ArgType::kU64, kMinusOne), "18446744073709551615s since 1970");
  EXPECT_EQ(shown_as("@d", ArgType::kI64, std::uint64_t{1} << 63), "-9223372036854775808d since 1970");
  EXPECT_EQ(shown_as("@h", ArgType::kI64, static_cast<std::uint64_t>(-17'544'000)), "-0032-08-04 00:00:00Z");
  EXPECT_EQ(shown_as("=-1 minus,1 plus,1 again", ArgType::kI8, kMinusOne), "minus");
  EXPECT_EQ(shown_as("=-1 minus,1 plus,1 again", ArgType::kI8, 1), "plus");
  EXPECT_EQ(shown_as("=18446744073709551615 all", ArgType::kU64, kMinusOne), "all");
  for (const std::string_view none :
       {"", "@", "@x", "@[60/1]s", "=", "=,", "=1", "=1 ", "=x y", "=1 a,", "=99999999999999999999 a"}) {
    EXPECT_EQ(shown_as(none, ArgType::kI64, 1), "none") << none;
  }
  EXPECT_EQ(shown_as("[0/0]s", ArgType::kI64, 1), "1[0/0]s");  // a unit, and no duration
  EXPECT_EQ(shown_as("[9223372036854775807/1]s", ArgType::kI64, 1), "1[9223372036854775807/1]s");
  for (const ArgType type : {ArgType::kBool, ArgType::kChar, ArgType::kI128, ArgType::kF128, ArgType::kPointer,
                             ArgType::kString, ArgType::kErrno}) {
    EXPECT_EQ(shown_as("ms", type, 1), "none") << static_cast<char>(type);
  }
  EXPECT_EQ(shown_as("@ns", ArgType::kF64, 1), "none");
  EXPECT_EQ(shown_as(std::string(65, 'x'), ArgType::kI64, 1), "none");
}

TEST(PrintValue, UnitsOfTimeConvertExactly) {
  const auto converted = [](Int128 value, std::string_view from, std::string_view to) {
    Int128 whole = 0;
    long double real = 0;
    if (convert(value, *time_unit_of(from), *time_unit_of(to), &whole, &real))
      return std::to_string(static_cast<long long>(whole));
    return "near " + std::to_string(static_cast<double>(real));
  };
  EXPECT_EQ(converted(5, "ms", "us"), "5000");
  EXPECT_EQ(converted(-7200, "s", "h"), "-2");
  EXPECT_EQ(converted(90, "min", "h"), "near 1.500000");
  EXPECT_EQ(converted(3, "[1/60]s", "ms"), "50");
  EXPECT_EQ(converted(0, "[9223372036854775807/1]s", "[1/9223372036854775807]s"), "0");
  EXPECT_EQ(time_unit_of("[1/0]s"), std::nullopt);
  EXPECT_EQ(time_unit_of("[-1/5]s"), std::nullopt);
}

TEST(PrintValue, AWideNumberThatIsMissingIsZero) {
  for (const ArgType type : {ArgType::kI128, ArgType::kU128, ArgType::kF80, ArgType::kF128}) {
    EXPECT_EQ(shown(Argument::null(type)), "0");
  }
}

}  // namespace
}  // namespace steno::text
