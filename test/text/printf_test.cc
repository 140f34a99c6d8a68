// printf formats, against the C library.
#include <gtest/gtest.h>
#include <locale.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "cases.h"
#include "steno/detail/printf_format.h"

// Formats are made here, and meant.
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

namespace steno::text {
namespace {

using namespace testing;

std::string ours(std::string_view format, const std::vector<Argument>& args) {
  return testing::print(wire::Style::kPrintf, format, args);
}

template <class... A>
std::string libc(const std::string& format, A... args) {
  std::string text(256, '\0');
  int n = std::snprintf(text.data(), text.size(), format.c_str(), args...);
  if (n >= static_cast<int>(text.size())) {
    text.resize(static_cast<std::size_t>(n) + 1);
    n = std::snprintf(text.data(), text.size(), format.c_str(), args...);
  }
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return n < 0 ? "libc refuses" : text;
}

// The C library converts wide characters only in a locale that has them.
class Utf8Locale {
 public:
  Utf8Locale() {
    // Built into glibc. Without the search path of the tests' own locales: newlocale never frees the list it makes of
    // it.
    const char* const path = std::getenv("LOCPATH");
    const std::string saved = path != nullptr ? path : "";
    unsetenv("LOCPATH");
    locale_ = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    if (path != nullptr) setenv("LOCPATH", saved.c_str(), 1);
    if (locale_ != nullptr) previous_ = uselocale(locale_);
  }
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    uselocale(previous_);
    freelocale(locale_);
  }
  bool ok() const { return locale_ != nullptr; }

 private:
  locale_t locale_ = nullptr;
  locale_t previous_ = nullptr;
};

TEST(Printf, Literals) {
  EXPECT_EQ(ours("", {}), "");
  EXPECT_EQ(ours("100%% {} %%%%", {}), "100% {} %%");
  EXPECT_EQ(ours("%d%%", arguments(i32(5))), "5%");
}

TEST(Printf, ConversionsNarrow) {
  EXPECT_EQ(ours("%hhd %hhu %hd %hu", arguments(i32(511), i32(511), i32(98303), i32(-32769))), "-1 255 32767 32767");
  EXPECT_EQ(ours("%u %d", arguments(i32(-1), u32(4294967295u))), "4294967295 -1");
  EXPECT_EQ(ours("%d %i", arguments(Argument::integer(ArgType::kBool, 1), Argument::integer(ArgType::kChar, 'A'))),
            "1 65");
  EXPECT_EQ(ours("%c%c", arguments(i32('x'), i32('y' + 256))), "xy");
  EXPECT_EQ(ours("[%c]", arguments(i32(0))), std::string_view("[\0]", 3));
}

TEST(Printf, Pointers) {
  EXPECT_EQ(
      ours("%p|%8p|%-8p|", arguments(Argument::integer(ArgType::kPointer, 0), Argument::integer(ArgType::kPointer, 0),
                                     Argument::integer(ArgType::kPointer, 0))),
      "(nil)|   (nil)|(nil)   |");
  EXPECT_EQ(ours("%p", arguments(Argument::integer(ArgType::kPointer, 0xBEEF))), "0xbeef");
}

TEST(Printf, NullStrings) {
  for (const char* conversion : {"%s", "%.6s", "%.5s", "%8s", "%-8.9s|", "%.0s", "%08s"}) {
    EXPECT_EQ(ours(conversion, arguments(Argument::null(ArgType::kString))),
              libc(conversion, static_cast<char*>(nullptr)))
        << conversion;
  }
  EXPECT_EQ(ours("%ls|%.3ls", arguments(Argument::null(ArgType::kString32), Argument::null(ArgType::kString16))),
            "(null)|");
}

TEST(Printf, WideText) {
  EXPECT_EQ(ours("%ls %S",
                 arguments(Argument::string(std::u32string_view(U"é🎉")), Argument::string(std::u16string_view(u"é🎉")))),
            "é🎉 é🎉");
  EXPECT_EQ(ours("[%.4ls] [%.5ls] [%6.3ls]",
                 arguments(Argument::string(std::u32string_view(U"aé🎉")), Argument::string(std::u32string_view(U"🎉🎉")),
                           Argument::string(std::u32string_view(U"aé🎉")))),
            "[aé] [🎉] [   aé]");
  EXPECT_EQ(ours("%lc%lc|%4lc|%-4C|",
                 arguments(Argument::integer(ArgType::kChar32, U'é'), i32('x'),
                           Argument::integer(ArgType::kChar16, u'é'), Argument::integer(ArgType::kChar32, U'🎉'))),
            "éx|  é|🎉|");
  EXPECT_EQ(ours("%lc", arguments(Argument::integer(ArgType::kChar32, 0xD800))), "\uFFFD");
}

TEST(Printf, Errno) {
  const auto error = [](int e) {
    return Argument::integer(ArgType::kErrno, static_cast<std::uint64_t>(std::int64_t{e}));
  };
  for (const int e : {0, ENOENT, EAGAIN, 9999, -5}) {
    for (const char* format : {"%m", "[%40m]", "[%-40m]", "%.4m", "%#m", "[%#10m]", "%#+.7m"}) {
      errno = e;
      const std::string expected = libc(format);
      EXPECT_EQ(ours(format, arguments(error(e))), expected) << e << format;
    }
  }
  EXPECT_EQ(ours("%d: %m, %m", arguments(i32(3), error(ENOENT))),
            "3: No such file or directory, No such file or directory");
  EXPECT_EQ(ours("%m", {}), "!format: %m and the captured errno do not go together (at byte 0)");
  EXPECT_EQ(ours("%d", arguments(i32(1), error(2))),
            "!format: %m and the captured errno do not go together (at byte 0)");
  const auto printer = Printer::compile(wire::Style::kPrintf, "%s %m", "SE");
  ASSERT_TRUE(printer.ok());
  EXPECT_EQ(printer.value().names(), (std::vector<std::string>{"0", "errno"}));
}

TEST(Printf, RunTimeSizes) {
  EXPECT_EQ(ours("[%*d]", arguments(i32(-5), i32(7))), "[7    ]");
  EXPECT_EQ(ours("[%.*s]", arguments(i32(-1), str("all"))), "[all]");
  EXPECT_EQ(ours("[%.*s]", arguments(i32(2147483647), str("all"))), "[all]");
  EXPECT_EQ(ours("[%*d]", arguments(i32(kMaxPad + 1), i32(7))), "[{!width out of range}]");
  EXPECT_EQ(ours("[%*d]", arguments(i32(-2147483647 - 1), i32(7))), "[{!width out of range}]");
  EXPECT_EQ(ours("[%.*f]", arguments(i32(kMaxPad + 1), f64(7))), "[{!precision out of range}]");
  EXPECT_EQ(ours("%*d", arguments(i32(kMaxPad), i32(7))).size(), static_cast<std::size_t>(kMaxPad));
}

TEST(Printf, AStringPrintedAsAPointerMustHaveBeenLoggedAsOne) {
  EXPECT_EQ(ours("%p", arguments(str("x"))),
            "!format: the conversion does not go with the argument's type (at byte 0)");
}

// A decimal comma in the program's locale, on other threads and on this one.
TEST(Printf, TheProgramsLocaleChangesNothing) {
  if (setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no locale with a decimal comma on this machine";
  EXPECT_EQ(ours("%.1f %e %a %'d", arguments(f64(1.5), f64(1.5), f64(1.5), i32(1234567))),
            "1.5 1.500000e+00 0x1.8p+0 1234567");
  setlocale(LC_ALL, "C");
}

TEST(Printf, TheThreadsLocaleIsLeftAsItWas) {
  const Utf8Locale utf8;
  const locale_t before = uselocale(nullptr);
  ours("%e %g", arguments(f64(1), f64(2)));
  EXPECT_EQ(uselocale(nullptr), before);
}

// --- random formats

// A conversion as the C library gets it, less `*`'s arguments.
const std::string kCLibraryTypes = std::string("bcasilhtjmfdpuwSUW") + static_cast<char>(kOurLongDouble);

struct Field {
  std::string spec;
  char conversion = 0;
  bool is_long = false;          // l and its like, or L
  std::optional<int> width;      // of `*`
  std::optional<int> precision;  // of `.*`
  ArgType type = ArgType::kI32;
};

Field random_field(Random& random) {
  Field f;
  f.type = static_cast<ArgType>(random.pick(kCLibraryTypes));
  const unsigned traits = detail::type_traits(static_cast<char>(f.type));
  std::string length;
  if ((traits & detail::kTraitPromoted) != 0) {
    f.conversion = random.pick("diuoxXcdiuoxX");
    if (f.conversion == 'c') {
      if ((traits & detail::kTraitWide) != 0) length = "l";
    } else {
      length = random.pick(std::vector<std::string>{"", "", "hh", "h"});
    }
  } else if ((traits & detail::kTraitLong) != 0) {
    f.conversion = random.pick("diuoxX");
    length = random.pick(std::vector<std::string>{"l", "ll", "q", "j", "z", "t", "L"});
  } else if ((traits & detail::kTraitFloat) != 0) {
    f.conversion = random.pick("fFeEgGaA");
    length = (traits & detail::kTraitLongDouble) != 0 ? "L" : random.one_in(3) ? "l" : "";
  } else if ((traits & detail::kTraitString) != 0) {
    f.conversion = 's';
    length = (traits & detail::kTraitWide) != 0 ? "l" : "";
  } else {
    f.conversion = 'p';
  }
  f.is_long = length != "" && length != "h" && length != "hh";
  f.spec = "%";
  if (random.one_in(2)) {
    for (const char flag : std::string_view("-+ #0'")) {
      // glibc drops the zeros that %#g keeps when rounding adds a digit (999999.5).
      if (flag == '#' && (f.conversion == 'g' || f.conversion == 'G')) continue;
      if (random.one_in(4)) f.spec += flag;
    }
  }
  if (random.one_in(3)) {
    f.spec += std::to_string(1 + random.below(random.one_in(8) ? 300 : 24));
  } else if (random.one_in(8)) {
    f.spec += '*';
    f.width = static_cast<int>(random.below(60)) - 30;
  }
  if (random.one_in(3)) {
    f.spec += random.one_in(8) ? "." : "." + std::to_string(random.below(random.one_in(8) ? 400 : 20));
  } else if (random.one_in(8)) {
    f.spec += ".*";
    f.precision = static_cast<int>(random.below(40)) - 10;
  }
  f.spec += length + f.conversion;
  return f;
}

template <class T>
std::string libc_field(const Field& f, T value) {
  if (f.width && f.precision) return libc(f.spec, *f.width, *f.precision, value);
  if (f.width) return libc(f.spec, *f.width, value);
  if (f.precision) return libc(f.spec, *f.precision, value);
  return libc(f.spec, value);
}

std::wstring to_wide(const Value& value) {
  std::wstring text;
  const unsigned size = unit_size(value.type);
  for (std::size_t i = 0; i + size <= value.string.size(); i += size) {
    std::uint32_t code = 0;
    std::memcpy(&code, value.string.data() + i, size);
    if (size == 2 && code >= 0xD800 && code < 0xDC00) {
      std::uint16_t low = 0;
      std::memcpy(&low, value.string.data() + i + 2, 2);
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00u);
      i += 2;
    }
    text += static_cast<wchar_t>(code);
  }
  return text;
}

std::string libc_field(const Field& f, const Value& value) {
  const unsigned traits = detail::type_traits(static_cast<char>(f.type));
  if (f.type == ArgType::kString) return libc_field(f, std::string(value.string).c_str());
  if ((traits & detail::kTraitString) != 0) return libc_field(f, to_wide(value).c_str());
  if ((traits & detail::kTraitLongDouble) != 0) return libc_field(f, to_long_double(value));
  if ((traits & detail::kTraitFloat) != 0) return libc_field(f, to_double(value.type, value.bits));
  if (f.conversion == 'p') return libc_field(f, reinterpret_cast<void*>(value.bits));
  if (f.conversion == 'c' && f.is_long) return libc_field(f, static_cast<wint_t>(value.bits));
  if (f.is_long) return libc_field(f, static_cast<long>(value.bits));
  return libc_field(f, static_cast<int>(value.bits));
}

TEST(Printf, AlternateGeneralFormsKeepTheirZeros) {
  EXPECT_EQ(ours("%#g %#.3g %#g %#.3G", arguments(f64(999999.5), f64(999.5), f64(123456), f64(0))),
            "1.00000e+06 1.00e+03 123456. 0.00");
}

TEST(PrintfProperty, PrintsWhatTheCLibraryPrints) {
  const Utf8Locale utf8;
  if (!utf8.ok()) GTEST_SKIP() << "no C.UTF-8 locale on this machine";
  Random random("PrintfProperty.PrintsWhatTheCLibraryPrints");
  static const std::vector<std::string> kTexts = {"", "", " ", "a", ", ", "{}", "é ", "text of some length "};
  for (std::uint64_t i = 0; i < property_cases(); ++i) {
    std::string format;
    std::string expected;
    std::vector<Argument> args;
    for (std::size_t fields = 1 + random.below(3); fields != 0; --fields) {
      const Field f = random_field(random);
      if (f.width) args.push_back(i32(*f.width));
      if (f.precision) args.push_back(i32(*f.precision));
      args.push_back(random_argument(random, f.type));
      const std::string& literal = random.pick(kTexts);
      format += literal + f.spec;
      expected += literal + libc_field(f, args.back().value);
    }
    ASSERT_EQ(ours(format, args), expected) << format << " of " << types_of(args);
  }
}

// Whole formats with %n$, in any order and more than once.
TEST(PrintfProperty, PositionsAreThoseOfTheCLibrary) {
  Random random("PrintfProperty.PositionsAreThoseOfTheCLibrary");
  static const std::vector<std::vector<std::string>> kUses = {
      {"1$d", "1$c", "1$5x", "1$*2$d", "1$-*2$u", "1$.*2$o"},
      {"2$d", "2$04d", "2$hhd", "2$+i"},
      {"3$ld", "3$*2$ld", "3$lx", "3$-12lu", "3$zo"},
      {"4$f", "4$.2f", "4$*2$.3e", "4$*1$.*2$g"},
      {"5$s", "5$.*2$s", "5$*2$s", "5$-10s"},
  };
  for (std::uint64_t i = 0; i < property_cases() / 4; ++i) {
    std::vector<std::string> uses;
    for (const auto& choice : kUses) uses.push_back(random.pick(choice));
    for (std::size_t more = random.below(4); more != 0; --more) uses.push_back(random.pick(random.pick(kUses)));
    std::string format;
    while (!uses.empty()) {
      const std::size_t which = random.below(uses.size());
      format += "|%" + uses[which];
      uses.erase(uses.begin() + static_cast<std::ptrdiff_t>(which));
    }
    const int a = static_cast<int>(random.below(100));
    const int w = static_cast<int>(random.below(40)) - 20;
    const auto l = static_cast<long>(random_integer(random));
    const double d = random_double(random);
    const std::string s = to_utf8(random_text(random, true));
    ASSERT_EQ(ours(format, arguments(i32(a), i32(w), i64(l), f64(d), str(s))), libc(format, a, w, l, d, s.c_str()))
        << format;
  }
}

// Few decimals, without snprintf.
TEST(PrintfProperty, QuickWaysAgreeWithTheCLibrary) {
  Random random("PrintfProperty.QuickWaysAgreeWithTheCLibrary");
  static const std::vector<std::string> kFormats = {"%f",   "%.0f", "%.1lf", "%0.2f", "%-.3f",
                                                    "%.4f", "%.6f", "%.9f",  "%.10f"};
  std::vector<Printer> printers;
  for (const std::string& format : kFormats) {
    printers.push_back(std::move(Printer::compile(wire::Style::kPrintf, format, "d")).value());
  }
  for (std::uint64_t i = 0; i < property_cases(); ++i) {
    const double value = random_double(random);
    const std::size_t which = random.below(kFormats.size());
    ASSERT_EQ(printed(printers[which], arguments(f64(value))), libc(kFormats[which], value)) << kFormats[which];
  }
}

TEST(Printf, ManyThreadsAtOnce) {
  const auto printer = Printer::compile(wire::Style::kPrintf, "%d %.3e %m %ls", "idWE");
  ASSERT_TRUE(printer.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const auto args = arguments(i32(t), f64(i), Argument::string(std::u32string_view(U"é")),
                                    Argument::integer(ArgType::kErrno, ENOENT));
        ASSERT_EQ(printed(printer.value(), args),
                  libc("%d %.3e No such file or directory é", t, static_cast<double>(i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace steno::text
