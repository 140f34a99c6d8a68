// Log statements end to end: what is captured, when arguments are evaluated, what is printed.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <steno/chrono.h>
#include <steno/containers.h>
#include <steno/context.h>
#include <steno/loggable.h>
#include <steno/named_enum.h>
#include <steno/net_types.h>
#include <steno/reader.h>
#include <steno/span.h>
#include <steno/std_types.h>
#include <steno/struct.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "log_test.h"

struct Money {
  long cents;
};
struct Endpoint {
  std::string host;
  int port;
};
struct Bytes {
  unsigned count;
};
struct Timeout {
  std::chrono::milliseconds limit;
};

template <>
struct steno::Loggable<Money> {
  static double capture(const Money& m) { return static_cast<double>(m.cents) / 100; }
};
template <>
struct steno::Loggable<Bytes> {
  static unsigned capture(const Bytes& b) { return b.count; }
  static constexpr const char* meaning() { return "B"; }
};
// By what is loggable itself, and has a meaning.
template <>
struct steno::Loggable<Timeout> {
  static std::chrono::milliseconds capture(const Timeout& t) { return t.limit; }
};
template <>
struct steno::Loggable<Endpoint> {
  static std::string capture(const Endpoint& e) { return e.host + ":" + std::to_string(e.port); }
};

namespace market {
struct Leg {
  int qty;
  double price;
};
struct Order {
  std::uint64_t id;
  std::string client;
  Leg leg;
};
}  // namespace market
STENO_STRUCT(market::Leg, qty, price)
STENO_STRUCT(market::Order, id, client, leg)

enum class Venue : std::uint8_t { kXetra = 1, kNyse = 7 };
enum Signed : int { kMinus = -1 };
STENO_NAMED_ENUM(Venue, kXetra, kNyse)
STENO_NAMED_ENUM(Signed, kMinus)

namespace steno_test {
namespace {

enum class Color : std::uint8_t { kRed = 1, kGreen = 2 };
enum Plain { kZero, kOne };

class StatementTest : public LogTest {
 protected:
  void expect(const std::vector<std::string>& messages) {
    const Log log = finish();
    ASSERT_EQ(log.rows.size(), messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(log.rows[i].message, messages[i]) << i;
    EXPECT_TRUE(log.losses.empty()) << log.losses.front();
  }
};

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

// As without <steno/containers.h> (byte_array_test.cc).
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

TEST_F(StatementTest, DurationsHaveTheirUnits) {
  using namespace std::chrono;
  start();
  STENO_INFO("{} {} {} {} {} {}", nanoseconds(-5), microseconds(0), milliseconds(15), seconds(7), minutes(-1),
             hours(3));
  STENO_INFO("{} {} {}", duration<int, std::ratio<86400>>(2), duration<short, std::ratio<1, 60>>(3),
             nanoseconds(std::numeric_limits<std::int64_t>::min()));
  STENO_INFO("{} {}", duration<double, std::milli>(1.5), duration<float>(1e20F));
  STENO_INFO("[{:>8}]", seconds(1));
  STENO_INFOF("[%8s]", milliseconds(250));
  expect(
      {"-5ns 0us 15ms 7s -1min 3h", "2d 3[1/60]s -9223372036854775808ns", "1.5ms 1e+20s", "[      1s]", "[   250ms]"});
}

// Numbers to a reader, with what they mean.
TEST_F(StatementTest, MeaningsAreInTheLog) {
  using namespace std::chrono;
  start();
  STENO_INFO("{took} {at} {venue} {size} {limit} {plain}", microseconds(1500), sys_time<seconds>(61s), Venue::kNyse,
             Bytes{512}, Timeout{30ms}, 7);
  STENO_INFO("{took:d} {took:*^9} {took}", microseconds(-3));
  STENO_INFO("{} {} {}", duration<long double>(2), duration<char>('a'),
             sys_time<duration<double>>(duration<double>(0.5)));
  {
    const steno::ScopedContext context("limit", milliseconds(5));
    STENO_INFOF("%s %s %ld", Venue::kXetra, minutes(2), milliseconds(4).count());
  }
  { STENO_SPAN("work {took}", seconds(2)); }
  std::vector<std::string> found;
  const std::string file = path();
  (void)finish();
  auto reader = steno::LogReader::open({file});
  ASSERT_TRUE(reader.ok());
  (void)reader->for_each({}, [&](const steno::Record& record) {
    std::string line = record.message() + " |";
    for (std::size_t i = 0; i < record.argument_count(); ++i) {
      const steno::Argument argument = record.argument(i);
      if (argument.name() == "span" || argument.name() == "parent" || argument.name() == "duration") continue;
      line += " " + std::string(1, static_cast<char>(argument.type())) + ":" + std::string(argument.meaning()) + ":";
      argument.append_text(&line);
    }
    found.push_back(line.substr(0, line.find(": end") == std::string::npos ? line.size() : 14));
    return true;
  });
  EXPECT_EQ(found, (std::vector<std::string>{
                       "1500us 1970-01-01 00:01:01Z kNyse 512B 30ms 7 | l:us:1500us l:@s:1970-01-01 00:01:01Z "
                       "h:=1 kXetra,7 kNyse:kNyse j:B:512B l:ms:30ms i::7",
                       "-3 **-3us*** -3us | l:us:-3us",
                       "2s 97s 1970-01-01 00:00:00.500000000Z | S::2s l:s:97s l:@ns:1970-01-01 00:00:00.500000000Z",
                       "kXetra 2min 4 | S::kXetra S::2min l::4 S::5ms",
                       "work 2s: begin | l:s:2s",
                       "work 2s: end, ",
                   }));
}

TEST_F(StatementTest, StructuresAreTheirFields) {
  start();
  const market::Order order{7, "acme", {5, 1.5}};
  const market::Leg leg{-1, 0.25};
  STENO_INFO("filled {order} in {us} us", order, 12);
  STENO_INFO("{{{}}} {leg} {n:{width}}{leg}", 'x', leg, 3, 4);
  STENO_INFO("{}", leg);
  STENO_ERROR("{}{}", leg, std::string(3000, 'y'));
  EXPECT_TRUE(STENO_TRY_INFO("try {a} {b}", leg, market::Leg{2, 4}));
  STENO_LOG_TO(steno::Logger(), INFO, "to {leg}", leg);
  const std::string file = path();
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 6u);
  EXPECT_EQ(log.rows[0].message, "filled {id=7, client=acme, leg={qty=5, price=1.5}} in 12 us");
  EXPECT_EQ(log.rows[1].message, "{x} {qty=-1, price=0.25}    3{qty=-1, price=0.25}");
  EXPECT_EQ(log.rows[2].message, "{qty=-1, price=0.25}");
  EXPECT_EQ(log.rows[3].message, "{qty=-1, price=0.25}" + std::string(3000, 'y'));
  EXPECT_EQ(log.rows[4].message, "try {qty=-1, price=0.25} {qty=2, price=4}");
  EXPECT_EQ(log.rows[5].message, "to {qty=-1, price=0.25}");
  auto reader = steno::LogReader::open({file});
  ASSERT_TRUE(reader.ok());
  std::vector<std::string> names;
  reader->for_each([&](const steno::Record& record) {
    std::string line;
    for (std::size_t i = 0; i < record.argument_count(); ++i) line += std::string(record.argument(i).name()) + " ";
    names.push_back(line);
  });
  ASSERT_EQ(names.size(), 6u);
  EXPECT_EQ(names[0], "order.id order.client order.leg.qty order.leg.price us ");
  EXPECT_EQ(names[1], "0 leg.qty leg.price n width ");
  EXPECT_EQ(names[2], "Leg.qty Leg.price ");
  EXPECT_EQ(names[4], "a.qty a.price b.qty b.price ");
}

TEST_F(StatementTest, ContainersAreListsAndTexts) {
  start();
  const std::vector<int> sizes = {1, -2, 3};
  const std::array<double, 2> prices = {0.5, 1e20};
  const bool flags[] = {true, false};
  STENO_INFO("{sizes} {prices} {flags} {none}", sizes, prices, flags, std::vector<std::uint8_t>());
  STENO_INFO("{:.2} [{:>10}]", std::vector<float>{1, 2.5}, std::vector<short>{1, 2});
  STENO_INFO("{}", std::vector<Venue>{Venue::kXetra, Venue::kNyse, static_cast<Venue>(9)});
  STENO_INFO("{} {}", std::vector<bool>{true, false}, std::vector<std::string>{"a", "b\"c"});
  STENO_INFO("{} {}", std::map<std::string, int>{{"eu", 2}, {"us", 3}}, std::set<unsigned>{3, 1});
  STENO_INFO("{} {} {}", std::pair(1, 'x'), std::tuple(1.5, true, std::vector<int>{4}), std::tuple<>());
  STENO_INFO("{} {} {}", std::optional<int>(), std::optional(7), std::variant<int, std::string>("text"));
  STENO_INFO("{}", std::vector<std::vector<Timeout>>{{Timeout{std::chrono::milliseconds(3)}}, {}});
  STENO_INFO("{}", std::vector<Bytes>{{512}});
  STENO_INFOF("%s %s", sizes, std::optional<double>(0.5));
  STENO_INFO("{}", std::vector<int>(2'000'000, 7));
  {
    const steno::ScopedContext context("sizes", sizes);
    STENO_INFO("in context");
  }
  const Log log = finish();
  std::vector<std::string> messages;
  for (const auto& row : log.rows) messages.push_back(row.message);
  ASSERT_EQ(messages.size(), 12u);
  const std::string cut = messages[10];
  messages.erase(messages.begin() + 10);
  EXPECT_EQ(messages, (std::vector<std::string>{
                          "[1, -2, 3] [0.5, 1e+20] [true, false] []",
                          "[1.00, 2.50] [    [1, 2]]",
                          "[kXetra, kNyse, 9]",
                          "[true, false] [\"a\", \"b\\\"c\"]",
                          "{\"eu\": 2, \"us\": 3} {1, 3}",
                          "(1, 'x') (1.5, true, [4]) ()",
                          "none optional(7) variant(\"text\")",
                          "[[3ms], []]",
                          "[512B]",
                          "[1, -2, 3] optional(0.5)",
                          "in context",
                      }));
  EXPECT_EQ(cut.substr(0, 9), "[7, 7, 7,");
  EXPECT_NE(cut.find(", 7, …[+"), std::string::npos) << cut.substr(cut.size() - 60);
  EXPECT_EQ(cut.substr(cut.size() - 8), " bytes]]");
}

TEST_F(StatementTest, TimesAreThoseOfTheCLibrary) {
  using namespace std::chrono;
  start();
  std::vector<std::string> expected;
  const auto log = [&](std::int64_t ns) {
    const system_clock::time_point time{duration_cast<system_clock::duration>(nanoseconds(ns))};
    STENO_INFO("{}", time);
    const std::int64_t rest = (ns % 1'000'000'000 + 1'000'000'000) % 1'000'000'000;
    const std::time_t seconds = (ns - rest) / 1'000'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[64];
    const std::size_t n = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    std::snprintf(text + n, sizeof text - n, ".%09dZ", static_cast<int>(rest));
    expected.emplace_back(text);
  };
  for (const std::int64_t ns : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{951'782'400'000'000'000},
                                std::int64_t{4'107'542'399'999'999'999}})
    log(ns);
  for (std::int64_t day = -90'000; day < 90'000; day += 97) log(day * 86'400'000'000'000 + day * 1'000'003);
  STENO_INFO("{} {} {}", time_point<system_clock, seconds>(seconds(61)), time_point<system_clock, milliseconds>(1002ms),
             time_point<system_clock, hours>(hours(-1)));
  expected.emplace_back("1970-01-01 00:01:01Z 1970-01-01 00:00:01.002Z 1969-12-31 23:00:00Z");
  expect(expected);
}

TEST_F(StatementTest, EnumsHaveTheirNames) {
  start();
  STENO_INFO("{} {} {}", Venue::kXetra, Venue::kNyse, static_cast<Venue>(200));
  STENO_INFOF("%s %s", kMinus, static_cast<Signed>(-7));
  expect({"kXetra kNyse 200", "kMinus -7"});
}

TEST_F(StatementTest, StandardTypesAndWhatOthersFormat) {
  start();
  const std::filesystem::path path = "/etc/app.conf";
  const auto owned = std::make_unique<int>(3);
  const auto shared = std::make_shared<const int>(3);
  STENO_INFO("{path}: {error}", path, std::make_error_code(std::errc::no_such_file_or_directory));
  STENO_INFO("{}", std::error_condition(std::errc::io_error));
  STENO_INFO("{} {} {}", owned, shared, std::unique_ptr<int>());
  STENO_INFO("{}", steno::formatted(std::error_code(2, std::generic_category())));
  STENO_INFO("[{}] [{}] [{}]", steno::hex("\x00\xff ", 3), steno::hex(nullptr, 0), steno::hex("abc", 3, 2));
  expect({"/etc/app.conf: generic:2, No such file or directory", "generic:5, Input/output error",
          fmt::format("{} {} 0x0", fmt::ptr(owned), fmt::ptr(shared)), "generic:2",
          "[00 ff 20] [] [61 62…[+1 bytes]]"});
}

TEST_F(StatementTest, ExceptionsAndBitsets) {
  start();
  try {
    throw std::out_of_range("no such table");
  } catch (const std::exception& error) {
    STENO_ERROR("failed: {error}", error);
  }
  STENO_ERROR("{}", std::system_error(2, std::generic_category(), "open"));
  STENO_INFOF("%s %s", std::bitset<8>(5), std::bitset<0>());
  expect(
      {"failed: std::out_of_range: no such table", "std::system_error: open: No such file or directory", "00000101 "});
}

TEST_F(StatementTest, Addresses) {
  start();
  in_addr host = {};
  in6_addr host6 = {};
  ASSERT_EQ(inet_pton(AF_INET, "10.0.0.7", &host), 1);
  ASSERT_EQ(inet_pton(AF_INET6, "2001:db8::1", &host6), 1);
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_addr = host;
  v4.sin_port = htons(4711);
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = host6;
  v6.sin6_port = htons(65535);
  STENO_INFO("{} {} {} {}", host, host6, v4, v6);
  v6.sin6_scope_id = 2;
  sockaddr_storage any = {};
  std::memcpy(&any, &v6, sizeof v6);
  const auto* const pointer = reinterpret_cast<const sockaddr*>(&any);
  STENO_INFOF("%s|%s|%s|%s", any, steno::address(pointer, sizeof any), steno::address(nullptr, 0),
              steno::address(pointer, sizeof(sockaddr_in6) - 1));
  sockaddr_un local = {};
  local.sun_family = AF_UNIX;
  STENO_INFO("{}", local);
  std::strcpy(local.sun_path, "/run/app.sock");
  STENO_INFO("{} {}", local, steno::address(reinterpret_cast<const sockaddr*>(&local), 2 + 4));
  std::memset(local.sun_path, 'x', sizeof local.sun_path);  // no room for a NUL
  STENO_INFO("{}", local);
  std::memcpy(local.sun_path, "\0hidden", 8);
  STENO_INFO("{}", steno::address(reinterpret_cast<const sockaddr*>(&local), 2 + 7));
  any.ss_family = AF_PACKET;
  STENO_INFO("{}", any);
  expect({"10.0.0.7 2001:db8::1 10.0.0.7:4711 [2001:db8::1]:65535",
          "[2001:db8::1%2]:65535|[2001:db8::1%2]:65535|none|family 10", "unnamed", "/run/app.sock /run",
          std::string(sizeof local.sun_path, 'x'), "@hidden", "family 17"});
}

}  // namespace
}  // namespace steno_test
