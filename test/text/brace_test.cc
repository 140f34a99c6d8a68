// Brace formats, against {fmt} where its versions agree.
#include <gtest/gtest.h>

#include <clocale>
#include <locale>

#include "brace_oracle.h"
#include "brace_rules.h"
#include "steno/detail/brace_format.h"

namespace steno::text {
namespace {

using namespace testing;
using namespace std::string_view_literals;

std::string brace(std::string_view format, const std::vector<Argument>& args) {
  return testing::print(wire::Style::kBrace, format, args);
}

TEST(Brace, Literals) {
  EXPECT_EQ(brace("", {}), "");
  EXPECT_EQ(brace("plain", {}), "plain");
  EXPECT_EQ(brace("{{}}{{{{", {}), "{}{{");
  EXPECT_EQ(brace("{{{}}}", arguments(i32(7))), "{7}");
  EXPECT_EQ(brace(std::string_view("a\0b", 3), {}), std::string_view("a\0b", 3));
}

TEST(Brace, Names) {
  EXPECT_EQ(brace("{qty} @ {price:.2f} = {qty}", arguments(i32(3), f64(1.5))), "3 @ 1.50 = 3");
  EXPECT_EQ(brace("{x:{w}.{p}f}|{w}|{}", arguments(f64(3.14159), i32(8), i32(2), str("z"))), "    3.14|8|z");
  const auto printer = Printer::compile(wire::Style::kBrace, "{a} {} {a} {_b9:x}", "iSj");
  ASSERT_TRUE(printer.ok());
  EXPECT_EQ(printer.value().names(), (std::vector<std::string>{"a", "1", "_b9"}));
}

TEST(Brace, NullStrings) {
  for (const ArgType type : {ArgType::kString, ArgType::kString16, ArgType::kString32}) {
    EXPECT_EQ(brace("[{}]", arguments(Argument::null(type))), "[(null)]");
    EXPECT_EQ(brace("[{:>8}]", arguments(Argument::null(type))), "[  (null)]");
    EXPECT_EQ(brace("[{:.3}]", arguments(Argument::null(type))), "[(nu]");
  }
}

TEST(Brace, WideCharacters) {
  EXPECT_EQ(
      brace("{} {}", arguments(Argument::integer(ArgType::kChar16, u'é'), Argument::integer(ArgType::kChar32, U'🎉'))),
      "é 🎉");
  EXPECT_EQ(brace("{:*^5}", arguments(Argument::integer(ArgType::kChar16, u'é'))), "**é**");
  EXPECT_EQ(brace("{:d} {:#x}",
                  arguments(Argument::integer(ArgType::kChar16, u'é'), Argument::integer(ArgType::kChar32, U'🎉'))),
            "233 0x1f389");
  EXPECT_EQ(brace("{}", arguments(Argument::integer(ArgType::kChar16, 0xD800))), "\uFFFD");
  EXPECT_EQ(brace("{:?} {:?} {:?}",
                  arguments(Argument::integer(ArgType::kChar32, U'\n'), Argument::integer(ArgType::kChar32, U'é'),
                            Argument::integer(ArgType::kChar32, 0x200b))),
            "'\\n' 'é' '\\u200b'");
}

TEST(Brace, RunTimeSizesOutOfRange) {
  EXPECT_EQ(brace("<{:{}}>", arguments(i32(1), i32(-1))), "<{!width out of range}>");
  EXPECT_EQ(brace("<{:{}}>", arguments(i32(1), u64(1u << 21))), "<{!width out of range}>");
  EXPECT_EQ(brace("<{:{}}>", arguments(i32(1), Argument::wide(ArgType::kU128, static_cast<UInt128>(1) << 64))),
            "<{!width out of range}>");
  EXPECT_EQ(brace("<{:.{}f}>", arguments(f64(1), i32(-5))), "<{!precision out of range}>");
  EXPECT_EQ(brace("<{:.{}}>", arguments(str("abc"), u32(2'000'000'000))), "<abc>");
  EXPECT_EQ(brace("{:{}}", arguments(str(""), i32(kMaxPad))).size(), static_cast<std::size_t>(kMaxPad));
}

TEST(Brace, RefusesWhatDoesNotFit) {
  EXPECT_EQ(brace("{:d}", arguments(str("x"))),
            "!format: the presentation letter does not go with the argument's type (at byte 0, argument 0)");
  EXPECT_EQ(brace("{} }", arguments(i32(1))), "!format: unmatched brace: write {{ or }} for a literal one (at byte 3)");
}

struct Grouping : std::numpunct<char> {
  char do_decimal_point() const override { return ';'; }
  char do_thousands_sep() const override { return '_'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Brace, TheProgramsLocaleChangesNothing) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Grouping));
  EXPECT_EQ(brace("{:L} {:L} {:.2Lf} {}", arguments(i32(1234567), f64(1234567.5), f64(1234567.5), f64(0.5))),
            "1234567 1234567.5 1234567.50 0.5");
  std::locale::global(before);
  const char* const comma = std::setlocale(LC_ALL, "de_DE.UTF-8");
  if (comma == nullptr) GTEST_SKIP() << "no locale with a decimal comma on this machine";
  EXPECT_EQ(brace("{:a} {:.1f} {:L}", arguments(f64(1.5), f64(1.5), f64(1.5))), "0x1.8p+0 1.5 1.5");
  std::setlocale(LC_ALL, "C");
}

// --- random formats

std::string random_spec(Random& random, ArgType type, std::size_t width_argument, bool* text) {
  std::string spec;
  const unsigned traits = detail::type_traits(static_cast<char>(type));
  // A wrong field for a wide character has no counterpart in {fmt} to compare with.
  const bool sane = !random.one_in(16) ||
                    (traits & (detail::kTraitChar | detail::kTraitWide)) == (detail::kTraitChar | detail::kTraitWide);
  const bool is_number = (traits & (detail::kTraitInteger | detail::kTraitFloat)) != 0;
  const bool is_signed = (traits & (detail::kTraitSigned | detail::kTraitFloat)) != 0;
  std::string presentations = "dxXobB";
  if ((traits & detail::kTraitInteger) != 0) presentations += "c";
  if ((traits & detail::kTraitFloat) != 0) presentations = "fegFEGaA";
  if ((traits & detail::kTraitBool) != 0) presentations += "sc";
  if ((traits & detail::kTraitChar) != 0) presentations += (traits & detail::kTraitWide) != 0 ? "c" : "c?";
  if ((traits & detail::kTraitPointer) != 0) presentations = "p";
  if ((traits & detail::kTraitString) != 0) presentations = "s?";
  if (!sane) presentations = "dxXobBcfegFEGaAspy?.<";

  const char presentation = random.one_in(2) ? 0 : random.pick(presentations);
  *text = (traits & detail::kTraitChar) != 0 && (presentation == 0 || presentation == 'c' || presentation == '?');
  const bool numeric = sane ? is_number || ((traits & (detail::kTraitBool | detail::kTraitChar)) != 0 &&
                                            presentation != 0 && !*text && presentation != 's')
                            : random.one_in(2);
  static const std::vector<std::string> kFills = {"*", "0", " ", "x", "é", "你", "🎉", "}", "<", "^"};
  if (random.one_in(3)) {
    if (random.one_in(2)) spec += random.pick(kFills);
    spec += random.pick("<>^");
  }
  if (random.one_in(4) && (sane ? is_signed : random.one_in(2))) spec += random.pick("+- ");
  if (random.one_in(4) && numeric) spec += '#';
  if (random.one_in(4) && numeric) spec += '0';
  if (random.one_in(3))
    spec += std::to_string(1 + random.below(random.one_in(8) ? 300 : 24));
  else if (random.one_in(6))
    spec += "{" + std::to_string(width_argument) + "}";
  if ((traits & (detail::kTraitFloat | detail::kTraitString)) != 0 || !sane) {
    if (random.one_in(3))
      spec += "." + std::to_string(random.below(random.one_in(8) ? 400 : 18));
    else if (random.one_in(6))
      spec += ".{" + std::to_string(width_argument) + "}";
  }
  if (presentation != 0) spec += presentation;
  return spec;
}

struct Case {
  std::string format;      // with indices, for us
  std::string fmt_format;  // for {fmt}: UTF-16 and UTF-32 units are strings there
  std::vector<Argument> arguments;
  std::vector<CharAs> chars;
};

const std::vector<std::string> kLiterals = {"", "", " ", "a", ", ", "{{", "}}", "é ", "text of some length ", "100%"};

// The last argument is an integer for widths and precisions.
Case random_case(Random& random) {
  Case c;
  const std::size_t fields = 1 + random.below(3);
  for (std::size_t i = 0; i < fields; ++i) {
    const auto type = static_cast<ArgType>(random.pick(kOracleTypes));
    c.arguments.push_back(random_argument(random, type));
    const bool wide_char = type == ArgType::kChar16 || type == ArgType::kChar32;
    bool text = wide_char;
    const std::string head = random.pick(kLiterals) + "{" + std::to_string(i);
    std::string spec = random.one_in(4) ? "" : ":" + random_spec(random, type, fields, &text);
    if (wide_char && !spec.empty() && spec.back() == '?') spec.pop_back();  // {fmt} has nothing to compare with
    c.format += head + spec + "}";
    text = text && wide_char;
    if (text && !spec.empty() && spec.back() == 'c') spec.back() = 's';
    c.fmt_format += head + spec + "}";
    c.chars.push_back(text ? CharAs::kText : CharAs::kNumber);
  }
  const std::string tail = random.pick(kLiterals) + "{" + std::to_string(fields) + "}";
  c.format += tail;
  c.fmt_format += tail;
  const auto width = static_cast<ArgType>(random.pick("asilnhtjmo"));
  c.arguments.push_back(width == ArgType::kI128 || width == ArgType::kU128
                            ? Argument::wide(width, random.below(30))
                            : Argument::integer(width, random.below(30)));
  c.chars.push_back(CharAs::kNumber);
  return c;
}

std::vector<FmtArg> to_fmt(const std::vector<Argument>& arguments, const std::vector<CharAs>& chars,
                           std::vector<std::string>& texts) {
  texts.resize(arguments.size());
  std::vector<FmtArg> args;
  for (std::size_t i = 0; i < arguments.size(); ++i) args.push_back(to_fmt(arguments[i].value, chars[i], texts[i]));
  return args;
}

TEST(BraceProperty, PrintsWhatFmtPrints) {
  Random random("BraceProperty.PrintsWhatFmtPrints");
  std::uint64_t refused = 0;
  std::uint64_t compared = 0;
  for (std::uint64_t i = 0; i < property_cases(); ++i) {
    const Case c = random_case(random);
    if (!fmt_versions_agree(c.format, c.arguments)) continue;
    ++compared;
    std::vector<std::string> texts;
    std::optional<std::string> expected = fmt_print(c.fmt_format, to_fmt(c.arguments, c.chars, texts));
    // A string may ask for more than a character may.
    const std::vector<CharAs> all_chars(c.chars.size(), CharAs::kChar);
    if (expected && !fmt_print(c.format, to_fmt(c.arguments, all_chars, texts))) expected.reset();
    const Result<Printer> printer = Printer::compile(wire::Style::kBrace, c.format, types_of(c.arguments));
    ASSERT_EQ(printer.ok(), expected.has_value())
        << c.format << " of " << types_of(c.arguments) << ": " << printer.status().message();
    refused += !expected.has_value();
    if (expected) {
      ASSERT_EQ(printed(printer.value(), c.arguments), *expected) << c.format << " of " << types_of(c.arguments);
    }
  }
  EXPECT_GT(compared, property_cases() / 3);  // most cases say something
  EXPECT_LT(refused, compared / 4);
}

// Damages a format in one place. The rules say whether it is still one; {fmt} then takes it too, and prints the same.
// A version of {fmt} may take a format that the rules refuse: 10.1 takes a point without a precision, 9 does not.
TEST(BraceProperty, DamagedFormatsAgreeWithTheRules) {
  Random random("BraceProperty.DamagedFormatsAgreeWithTheRules");
  static constexpr std::string_view kDamage = "\0{}:.<>^+-# 0123459Lsdxcfga?p\xF0\xC3\xE2*"sv;
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < property_cases(); ++i) {
    Case c = random_case(random);
    const std::size_t at = random.below(c.format.size());
    switch (random.below(3)) {
      case 0:
        c.format[at] = random.pick(kDamage);
        break;
      case 1:
        c.format.insert(at, 1, random.pick(kDamage));
        break;
      default:
        c.format.erase(at, 1);
        break;
    }
    // Formats are compared only if {fmt} has them too, and prints them as we do.
    if (!fmt_versions_agree(c.format, c.arguments)) continue;
    const std::string types = types_of(c.arguments);
    detail::BraceCursor cursor(c.format.data(), c.format.size(), types.data(), types.size());
    while (cursor.next()) {
    }
    using detail::FormatError;
    const bool named = cursor.name_size[0] != 0 || cursor.name_size[1] != 0;
    if (named || cursor.error == FormatError::kTooManyArguments || cursor.error == FormatError::kNumberTooBig ||
        cursor.error == FormatError::kMixedIndexing || types.find_first_of("uw") != std::string::npos) {
      continue;
    }
    const Result<Printer> printer = Printer::compile(wire::Style::kBrace, c.format, types);
    const std::string ours = printer.ok() ? printed(printer.value(), c.arguments) : "";
    // A large integer became a width: out of range, or too dear to do half a million times.
    if (ours.size() > 10'000 || ours.find("out of range}") != std::string::npos) continue;
    ASSERT_EQ(printer.ok(), BraceRules(c.format, types).accept())
        << c.format << " of " << types << ": " << (printer.ok() ? "" : printer.status().message());
    if (!printer.ok()) {
      ++refused;
      continue;
    }
    std::vector<std::string> texts;
    const std::optional<std::string> expected = fmt_print(c.format, to_fmt(c.arguments, c.chars, texts));
    ASSERT_TRUE(expected) << c.format << " of " << types;
    ++accepted;
    if (c.format.find('L') != std::string::npos) continue;  // {fmt} pads localized numbers in a way of its own
    ASSERT_EQ(ours, *expected) << c.format << " of " << types;
  }
  EXPECT_GT(accepted, property_cases() / 20);
  EXPECT_GT(refused, property_cases() / 20);
}

// Versions of {fmt} disagree about these, or no two libraries do the same.
TEST(Brace, ZerosAfterAnAlignmentAreNone) {
  EXPECT_EQ(brace("{:<06}|{:*^06}|{:>06}", arguments(i32(1), i32(-1), f64(1.5))), "1     |**-1**|   1.5");
  EXPECT_EQ(brace("{:06}|{:06}|{:06}", arguments(i32(-1), f64(-1.5), f64(HUGE_VAL))), "-00001|-001.5|   inf");
}

// Versions up to 12 have fewer decimals than they are asked for from 767 digits on.
TEST(Brace, AllDecimalsThatAreAskedFor) {
  EXPECT_EQ(brace("{:.800f}", arguments(f64(1.5))), "1.5" + std::string(799, '0'));
  EXPECT_EQ(brace("{:.800f}", arguments(f64(1e22))), "10000000000000000000000." + std::string(800, '0'));
}

TEST(Brace, AlternateFormsOfNumbers) {
  EXPECT_EQ(brace("{:#} {:#} {:#} {:#.3} {:#g}", arguments(f64(1), f64(1e22), f64(1.5), f64(0), f64(123456))),
            "1. 1.e+22 1.5 0.00 123456.");
  EXPECT_EQ(brace("{:a} {:A} {:010a} {:.0a} {:a}", arguments(f64(0), f64(-0.1), f64(1.5), f64(1.5), f64(5e-324))),
            "0x0p+0 -0X1.999999999999AP-4 0x001.8p+0 0x2p+0 0x0.0000000000001p-1022");
}

TEST(Brace, CharactersAsNumbers) {
  const auto c = [](int code) {
    return Argument::integer(ArgType::kChar, static_cast<std::uint64_t>(static_cast<std::int64_t>(code)));
  };
  EXPECT_EQ(brace("{:d} {:+d} {:#x} {:d}", arguments(c('A'), c('A'), c(-23), c(233))), "65 +65 0xe9 233");
  EXPECT_EQ(brace("{:c}{:c}{:c}|{:3c}|{:03c}", arguments(i32(65), i32(-1), u64(300), i32(66), i32(66))),
            "A\xFF,|B  |00B");
}

TEST(Brace, FloatsHaveNoExponentBelowTenToTheSixteenth) {
  const auto f32 = [](float n) { return Argument::floating(ArgType::kF32, n); };
  EXPECT_EQ(brace("{} {} {} {} {}", arguments(f32(16777216), f32(1e8F), f32(-1234567890.0F), f32(9.9e15F), f32(1e16F))),
            "16777216 100000000 -1234568000 9900000000000000 1e+16");
}

TEST(Brace, WidthAndPrecisionCountColumns) {
  EXPECT_EQ(brace("{:.3}|{:.3}|{:.1}|{:*<5}", arguments(str("你好世"), str("a🎉x"), str("你"), str("你"))),
            "你|a🎉||你***");
  EXPECT_EQ(brace("{:8?}|{:.3?}|{:>5}", arguments(str("你"), str("abcd"), str("\xFF\xFE"))),
            "\"你\"    |\"ab|   \xFF\xFE");
}

TEST(Brace, FormatsOfOlderLogsArePrinted) {
  const auto boolean = [](bool b) { return Argument::integer(ArgType::kBool, b); };
  EXPECT_EQ(brace("{:c}{:#}{:06}", arguments(boolean(true), boolean(true), boolean(false))), "\x01true0false");
  EXPECT_EQ(brace("{:<03}|", arguments(Argument::integer(ArgType::kChar, 'x'))), "x  |");
  EXPECT_EQ(brace("{:}<3}|{:003}", arguments(i32(1), i32(2))), "1}}|002");
}

// The ways to print few decimals and plain numbers without {fmt}.
TEST(BraceProperty, QuickWaysAgreeWithFmt) {
  Random random("BraceProperty.QuickWaysAgreeWithFmt");
  static const std::vector<std::string> kFormats = {"{}",     "{:f}",   "{:.0f}", "{:.1f}", "{:.2f}", "{:.3f}",
                                                    "{:.4f}", "{:.6f}", "{:.7f}", "{:.9f}", "{:.10f}"};
  std::vector<Printer> printers;
  for (const std::string& format : kFormats) {
    printers.push_back(std::move(Printer::compile(wire::Style::kBrace, format, "d")).value());
  }
  for (std::uint64_t i = 0; i < property_cases(); ++i) {
    const double value = random_double(random);
    const std::size_t which = random.below(kFormats.size());
    ASSERT_EQ(printed(printers[which], arguments(f64(value))), fmt::format(fmt::runtime(kFormats[which]), value))
        << kFormats[which];
  }
}

}  // namespace
}  // namespace steno::text
