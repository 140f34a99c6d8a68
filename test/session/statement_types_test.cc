// The text that log statements make of values of types with a meaning: units, times, names, structures, containers,
// addresses.
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
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "statement_test.h"

struct Bytes {
  unsigned count;
};
struct Timeout {
  std::chrono::milliseconds limit;
};

template <>
struct steno::Loggable<Bytes> {
  static unsigned capture(const Bytes& b) { return b.count; }
  static constexpr const char* meaning() { return "B"; }
};
// It is captured as a type that is loggable itself, and has a meaning.
template <>
struct steno::Loggable<Timeout> {
  static std::chrono::milliseconds capture(const Timeout& t) { return t.limit; }
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
