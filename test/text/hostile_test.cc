// Formats, types and values out of damaged or forged files: refused or printed, never a crash, never without bound.
// Most of the worth of these is under the sanitizers.
#include <gtest/gtest.h>

#include "cases.h"
#include "steno/detail/format_check.h"

namespace steno::text {
namespace {

using namespace testing;

constexpr std::size_t kLongest = (16u << 20) + 8u * kMaxPad;  // of a message that fields of bounded values make

std::string random_bytes(Random& random, std::size_t n, std::string_view alphabet) {
  std::string bytes;
  while (n-- != 0)
    bytes += alphabet.empty() || random.one_in(50) ? static_cast<char>(random.bits()) : random.pick(alphabet);
  return bytes;
}

// Compiles, and prints what compiles with values of the types that it asked for.
bool survives(Random& random, wire::Style style, std::string_view format, std::string_view types) {
  // Copies of the exact size, so that a read past the end is one that AddressSanitizer sees.
  const std::vector<char> exact_format(format.begin(), format.end());
  const std::vector<char> exact_types(types.begin(), types.end());
  const Result<Printer> printer =
      Printer::compile(style, {exact_format.data(), exact_format.size()}, {exact_types.data(), exact_types.size()});
  if (!printer.ok()) {
    EXPECT_EQ(printer.status().code(), StatusCode::kCorrupt);
    return false;
  }
  std::vector<Argument> args;
  for (const char type : types) args.push_back(random_argument(random, static_cast<ArgType>(type)));
  EXPECT_LE(printed(printer.value(), args).size(), kLongest);
  EXPECT_EQ(printer.value().names().size(), types.size());
  return true;
}

TEST(Hostile, RandomBytes) {
  Random random("Hostile.RandomBytes");
  for (std::uint64_t i = 0; i < property_cases() / 4; ++i) {
    const auto style = random.one_in(2) ? wire::Style::kBrace : wire::Style::kPrintf;
    survives(random, style, random_bytes(random, random.below(64), ""),
             random_bytes(random, random.below(6), kAllTypes));
  }
}

TEST(Hostile, RandomGrammar) {
  Random random("Hostile.RandomGrammar");
  std::uint64_t printed = 0;
  for (std::uint64_t i = 0; i < property_cases(); ++i) {
    const bool brace = random.one_in(2);
    const std::string format =
        random_bytes(random, random.below(24),
                     brace ? "{{{}}}}::.<>^+-# 0123Lsdxcfega?ab_" : "%%%*$.-+ #0'I1239hlLqjztdiuoxXcsSCpfeam");
    const std::string types = random_bytes(random, random.below(4), "bcasilnhtjmofdegpuwSUWE");
    printed += survives(random, brace ? wire::Style::kBrace : wire::Style::kPrintf, format, types);
  }
  EXPECT_GT(printed, property_cases() / 100);
}

TEST(Hostile, ManyWideFieldsStaySmall) {
  std::string brace;
  std::string printf;
  for (int i = 0; i < detail::kMaxFields; ++i) {
    brace += "{0:4096}";
    printf += "%1$4096d";
  }
  for (const auto& [style, format] : {std::pair{wire::Style::kBrace, brace}, std::pair{wire::Style::kPrintf, printf}}) {
    const std::string text = testing::print(style, format, arguments(i32(1)));
    EXPECT_EQ(text.size(), std::size_t{detail::kMaxFields} * kMaxPad);
    const std::string one_more = format + format.substr(0, format.size() / detail::kMaxFields);
    EXPECT_FALSE(Printer::compile(style, one_more, "i").ok());
  }
}

TEST(Hostile, ManyFieldsOfALongString) {
  std::string format;
  for (int i = 0; i < detail::kMaxFields; ++i) format += "{0}";
  const std::string text = testing::print(wire::Style::kBrace, format, arguments(str(std::string(100'000, 'x'))));
  EXPECT_LE(text.size(), kLongest);
  EXPECT_TRUE(text.ends_with("{!message too long}"));
}

TEST(Hostile, LongestFormats) {
  Random random("Hostile.LongestFormats");
  for (const char* piece : {"{", "}", "{0}", "{:{", "%", "%1$", "%*", "%d", "{a", "9", "{0:9"}) {
    std::string format;
    while (format.size() < (1u << 20) - 8) format += piece;
    for (const wire::Style style : {wire::Style::kBrace, wire::Style::kPrintf}) survives(random, style, format, "i");
  }
}

TEST(Hostile, WrongValues) {
  Random random("Hostile.WrongValues");
  const auto check = [&](wire::Style style, const char* format, const char* types) {
    const auto printer = Printer::compile(style, format, types);
    ASSERT_TRUE(printer.ok()) << printer.status().message();
    EXPECT_EQ(testing::printed_values(printer.value(), {}), "{!wrong number of arguments}");
    for (int i = 0; i < 20'000; ++i) {
      std::vector<Argument> args;
      for (std::size_t n = std::strlen(types); n != 0; --n) {
        args.push_back(random_argument(random, static_cast<ArgType>(random.pick(kAllTypes))));
      }
      testing::printed_values(printer.value(), values_of(args));
    }
  };
  check(wire::Style::kBrace, "{} {:.2f} {:x} {} {} {} {:a} {} {} {:>{}} {:c}", "idnegSdpuWjw");
  check(wire::Style::kPrintf, "%d %.2f %s %ls %Lf %p %c %lc %*ld %m", "jdSWepcwilE");
}

TEST(Hostile, NothingCompiledPrintsNothing) {
  const Printer printer;
  EXPECT_EQ(printed(printer, {}), "");
}

}  // namespace
}  // namespace steno::text
