// Log statements end to end: what is captured, when arguments are evaluated, what is printed.
#include <fmt/format.h>
#include <steno/containers.h>
#include <steno/loggable.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>

#include "statement_test.h"

struct Money {
  long cents;
};
struct Endpoint {
  std::string host;
  int port;
};

template <>
struct steno::Loggable<Money> {
  static double capture(const Money& m) { return static_cast<double>(m.cents) / 100; }
};
template <>
struct steno::Loggable<Endpoint> {
  static std::string capture(const Endpoint& e) { return e.host + ":" + std::to_string(e.port); }
};

namespace steno_test {
namespace {

enum class Color : std::uint8_t { kRed = 1, kGreen = 2 };
enum Plain { kZero, kOne };

constexpr int twice(int n) {
  STENO_INFO("twice {}", n);
  return 2 * n;
}

TEST_F(StatementTest, ConstexprFunctionsLogWhereTheyRun) {
  start();
  static_assert(twice(1) == 2);
  volatile int n = 21;
  EXPECT_EQ(twice(n), 42);
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].message, "twice 21");
}

TEST_F(StatementTest, IntegersOfEveryWidth) {
  start();
  const auto check = [](auto v) { STENO_INFO("{}", v); };
  std::vector<std::string> expected;
  const auto both = [&](auto v) {
    check(v);
    expected.push_back(fmt::format("{}", v));
  };
  both(std::numeric_limits<signed char>::min());
  both(std::numeric_limits<unsigned char>::max());
  both(std::numeric_limits<short>::min());
  both(std::numeric_limits<unsigned short>::max());
  both(std::numeric_limits<int>::min());
  both(std::numeric_limits<unsigned>::max());
  both(std::numeric_limits<long>::min());
  both(std::numeric_limits<unsigned long>::max());
  both(std::numeric_limits<long long>::min());
  both(std::numeric_limits<unsigned long long>::max());
  both(static_cast<__int128>(-1) << 126);
  both(~static_cast<unsigned __int128>(0));
  both(true);
  both('x');
  expect(expected);
}

TEST_F(StatementTest, FloatingPoint) {
  start();
  STENO_INFO("{} {} {}", 0.1f, 0.1, -0.0);
  STENO_INFO("{} {:.3f} {:e}", std::numeric_limits<double>::infinity(), std::nan(""), 1e300);
  STENO_INFO("{}", 1.1L);
  STENO_LOGF(INFO, "%Lf %a %g", 1.1L, 0.5, 1e-7);
  expect({"0.1 0.1 -0", "inf nan 1.000000e+300", fmt::format("{}", 1.1L), "1.100000 0x1p-1 1e-07"});
}

TEST_F(StatementTest, StringsOfEveryKind) {
  start();
  const char* null = nullptr;
  const wchar_t* wide_null = nullptr;
  char array[8] = "array";
  char full[3] = {'a', 'b', 'c'};  // no NUL
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>("bytes");
  STENO_INFO("{} {} {} {}", "literal", std::string("string"), std::string_view("viewxx", 4), array);
  STENO_INFO("[{}] [{}] [{}]", null, wide_null, "");
  STENO_INFO("{} {}", full, bytes);
  STENO_INFO("{} {} {}", L"wide \u00e9\U0001F600", u"sixteen \u00e9\U0001F600", U"thirty-two \u00e9");
  STENO_INFO("{} {}", std::wstring(L"ws"), std::u16string(u"u16"));
  STENO_INFO("{}", std::string("a\0b", 3));
  expect({"literal string view array", "[(null)] [(null)] []", "abc bytes",
          "wide \u00e9\U0001F600 sixteen \u00e9\U0001F600 thirty-two \u00e9", "ws u16", std::string("a\0b", 3)});
}

// It is the same without <steno/containers.h> (byte_array_test.cc).
TEST_F(StatementTest, ArraysOfBytesAreNumbersWithContainersToo) {
  start();
  const std::uint8_t mac[6] = {0x02, 0x00, 0x5e, 0x10, 0x00, 0x01};
  const std::array<std::uint8_t, 3> array = {0, 1, 0};
  STENO_INFO("mac {mac} {array} {}", mac, array, std::tie(mac, array));
  STENO_INFOF("%s", reinterpret_cast<const unsigned char(&)[5]>("text"));
  expect({"mac [2, 0, 94, 16, 0, 1] [0, 1, 0] ([2, 0, 94, 16, 0, 1], [0, 1, 0])", "text"});
}

TEST_F(StatementTest, PointersEnumsAndOwnTypes) {
  start();
  const void* p = reinterpret_cast<const void*>(0x1234);
  int x = 0;
  STENO_INFO("{} {}", p, nullptr);
  STENO_LOGF(INFO, "%p %p", static_cast<void*>(nullptr), &x);
  STENO_INFO("{} {} {}", Color::kGreen, kOne, std::byte{7});
  STENO_INFO("{:.2f} {}", Money{1234}, Endpoint{"db", 5432});
  char text[64];
  snprintf(text, sizeof text, "(nil) %p", static_cast<void*>(&x));
  expect({"0x1234 0x0", text, "2 1 7", "12.34 db:5432"});
}

TEST_F(StatementTest, PrintfBoundsUnterminatedStrings) {
  start();
  // A page that ends where the buffer does would fault; an exactly sized heap block is what the sanitizer watches.
  auto buffer = std::make_unique<char[]>(5);
  std::memcpy(buffer.get(), "hello", 5);
  STENO_LOGF(INFO, "%.*s|%.5s|%.3s", 5, buffer.get(), buffer.get(), buffer.get());
  auto wide = std::make_unique<wchar_t[]>(2);
  wide[0] = L'a';
  wide[1] = L'b';
  STENO_LOGF(INFO, "%.*ls", 2, wide.get());
  STENO_LOGF(INFO, "%*d|%-*d|%.*f", 6, 42, 6, 42, 2, 3.14159);
  STENO_LOGF(INFO, "%2$s %1$d", 7, "seven");
  expect({"hello|hello|hel", "ab", "    42|42    |3.14", "seven 7"});
}

TEST_F(StatementTest, PercentMTakesErrnoAtTheCall) {
  start();
  errno = ENOENT;
  STENO_LOGF(WARN, "open: %m");
  errno = 0;
  expect({"open: No such file or directory"});
}

TEST_F(StatementTest, NamesTakeArgumentsInOrderAndRepeat) {
  start();
  STENO_INFO("filled {qty} @ {price:.2f} for {client}, {qty} in all", 100, 2.5, "acme");
  STENO_INFO("{:>{width}}|{:<{}}|", 5, 4, "ab", 4);
  expect({"filled 100 @ 2.50 for acme, 100 in all", "   5|ab  |"});
}

TEST_F(StatementTest, ArgumentsAreEvaluatedOnceAndOnlyWhenEnabled) {
  start();
  int evaluated = 0;
  const auto touch = [&] { return ++evaluated; };
  STENO_INFO("{}", touch());
  EXPECT_EQ(evaluated, 1);
  steno::set_level(steno::Level::kWarn);
  STENO_INFO("{}", touch());
  EXPECT_EQ(evaluated, 1);
  steno::set_level(steno::Level::kTrace);
  STENO_TRACE("{}", touch());
  expect({"1", "2"});
}

TEST_F(StatementTest, LambdasAndLoggingCallsAsArguments) {
  start();
  const auto inner = [] {
    STENO_INFO("inner");
    return 1;
  };
  STENO_INFO("outer {} {}", inner(), [](int x) { return x * 2; }(21));
  expect({"inner", "outer 1 42"});
}

template <class T>
void log_from_template(T value) {
  STENO_INFO("template {}", value);
}

TEST_F(StatementTest, EachInstanceOfATemplateIsASiteOfItsOwn) {
  start();
  log_from_template(1);
  log_from_template("two");
  log_from_template(3.5);
  expect({"template 1", "template two", "template 3.5"});
}

TEST_F(StatementTest, ManyArguments) {
  start();
  STENO_INFO("{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}", 1, 2L, 'c', true, 5.5f, 6.5, "s", nullptr, 9u, 10ull, 11, 12,
             13, 14, 15, 16, 17, 18, 19, std::string("end"));
  expect({"12ctrue5.56.5s0x0910111213141516171819end"});
}

TEST_F(StatementTest, FactsOfTheSite) {
  start();
  STENO_CRITICAL("x");
  const std::uint32_t line = __LINE__ - 1;
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].level, steno::Level::kCritical);
  EXPECT_EQ(log.rows[0].line, line);
  EXPECT_EQ(log.rows[0].file, __FILE__);
  EXPECT_EQ(log.rows[0].tid, static_cast<std::uint64_t>(gettid()));
}

}  // namespace
}  // namespace steno_test
