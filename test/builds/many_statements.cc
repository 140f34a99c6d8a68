// Fifty different statements, 100,000 records of all types that statements take. What they print must not depend on the
// compiler, the C++ library, the language standard, the linker or their options (scripts/check_wide).
//
//   many_statements LOG
#include <steno/check.h>
#include <steno/chrono.h>
#include <steno/containers.h>
#include <steno/context.h>
#include <steno/limit.h>
#include <steno/log.h>
#include <steno/logf.h>
#include <steno/named_enum.h>
#include <steno/secret.h>
#include <steno/session.h>
#include <steno/span.h>
#include <steno/std_types.h>
#include <steno/stream.h>
#include <steno/struct.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace {

enum class Side : std::uint8_t { kBuy, kSell };
enum Plain { kFirst, kSecond };
struct Order {
  int id;
  double price;
  std::string client;
};
struct Limits {
  static const int kMost = 5;
};

}  // namespace

STENO_NAMED_ENUM(Side, kBuy, kSell);
STENO_STRUCT(Order, id, price, client);

namespace {

void log_numbers(int i) {
  const auto n = static_cast<unsigned>(i);
  STENO_INFO("static");
  STENO_INFO("int {}", i);
  STENO_INFO("named {n} {twice}", i, 2 * i);
  STENO_INFO("unsigned {:#x} {:08b} {:o}", n, n & 255, n);
  STENO_INFO("long {} {}", std::numeric_limits<long>::min() + i, std::numeric_limits<unsigned long>::max() - n);
  STENO_INFO("short {} {} {}", static_cast<short>(-i), static_cast<std::int8_t>(i), static_cast<std::uint8_t>(i));
  STENO_INFO("bool {} {}", i % 2 == 0, i % 3 == 0);
  STENO_INFO("char {} {}", static_cast<char>('a' + i % 26), L'w');
  STENO_INFO("double {} {:.3f} {:10.2e}", i / 8.0, i / 7.0, i * 1e10);
  STENO_INFO("float {}", static_cast<float>(i) / 16.0F);
  STENO_INFO("wide {} {}", static_cast<__int128>(i) << 70, static_cast<unsigned __int128>(n) << 100);
  STENO_INFO("pointer {}", reinterpret_cast<const void*>(static_cast<std::uintptr_t>(n) * 16));
  STENO_INFO("enum {} {}", i % 2 == 0 ? Side::kBuy : Side::kSell, i % 2 == 0 ? kFirst : kSecond);
  STENO_INFO("constant {}", Limits::kMost);
  STENO_INFO("padded [{:>8}] [{:<8}] [{:^8}] [{:{}}]", i, i, i, i, 6);
  STENO_INFO("again {0} {1} {0}", i, -i);
}

void log_texts(int i, const std::string& text) {
  const char* null = nullptr;
  const char array[8] = {'a', 'r', 'r', 'a', 'y', 0, 'x', 'x'};
  const std::uint8_t bytes[4] = {0, static_cast<std::uint8_t>(i), 0, 255};
  STENO_INFO("literal {}", "text");
  STENO_INFO("string {}", text);
  STENO_INFO("view {:>12} {:.2}", std::string_view(text).substr(0, 4), text);
  STENO_INFO("null {}", null);
  STENO_INFO("array {} {}", array, bytes);
  STENO_INFO("utf {} {} {}", u"sixteen \u00e9", U"thirty-two \u20ac", L"wide");
  STENO_INFO("long {}", std::string(static_cast<std::size_t>(i % 100), 'y'));
  STENO_INFO("two {} {}", text, text.size());
  STENO_STREAM(INFO, "streamed " << i << ' ' << text);
  STENO_INFO("{{braces}} {}", i);
}

void log_composites(int i, const std::string& text) {
  using std::chrono::microseconds;
  STENO_INFO("vector {}", std::vector<int>{i, i + 1, -i});
  STENO_INFO("texts {}", std::vector<std::string>{text, "b"});
  STENO_INFO("set {}", std::set<int>{i, 3, 1});
  STENO_INFO("map {}", std::map<std::string, int>{{"a", i}, {text, 2}});
  STENO_INFO("optional {} {}", i % 2 == 0 ? std::optional<int>(i) : std::nullopt, std::optional<std::string>(text));
  STENO_INFO("variant {}", i % 2 == 0 ? std::variant<int, std::string>(i) : std::variant<int, std::string>(text));
  STENO_INFO("pair {} {}", std::make_pair(i, text), std::make_tuple(1, 'c', 2.5));
  STENO_INFO("duration {} {}", microseconds(i), std::chrono::hours(i));
  // Nanoseconds are the resolution everywhere: that of libc++ itself is microseconds.
  using Nanoseconds = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;
  STENO_INFO("time {}", Nanoseconds(std::chrono::seconds(1'000'000'000 + i)));
  STENO_INFO("order {}", (Order{i, i / 4.0, text}));
  STENO_INFO("error {}", std::make_error_code(std::errc::no_such_file_or_directory).value());
  STENO_INFO("secret {}", steno::secret(i));
}

void log_printf(int i, const std::string& text) {
  STENO_INFOF("%d %5d %-5d %05d %+d", i, i, i, i, i);
  STENO_INFOF("%u %x %#o %lu", static_cast<unsigned>(i), static_cast<unsigned>(i), 8U, 7UL);
  STENO_INFOF("%.3f %8.2e %g %a", i / 8.0, i * 3.0, i / 3.0, 0.5);
  STENO_INFOF("%s %.2s %*d", text.c_str(), text.c_str(), 6, i);
  STENO_INFOF("%c %% %p", 'x', reinterpret_cast<const void*>(std::uintptr_t{16}));
  STENO_INFOF("%lld %hd %hhu", static_cast<long long>(i), static_cast<short>(i), static_cast<unsigned char>(i));
  steno::logf(steno::Level::kInfo, "run time %d %s", i, text.c_str());
}

void log_rest(int i, steno::Logger logger) {
  const steno::ScopedContext context("request", i);
  STENO_LOG_TO(logger, WARN, "logger {}", i);
  STENO_LOGF_TO(logger, NOTICE, "logger %d", i);
  if (!STENO_TRY_INFO("try {}", i)) return;
  STENO_LOG_EVERY_N(INFO, 1, "every {}", i);
  STENO_CHECK(i >= 0, "{} is negative", i);
  STENO_TRACE("disabled {}", i);
  STENO_INFO("in a context {}", i);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (!steno::start(argv[1])) return 1;
  const steno::Logger logger = steno::logger("net");
  for (int i = 0; i < 2000; ++i) {
    const std::string text = "text " + std::to_string(i % 50);
    log_numbers(i);
    log_texts(i, text);
    log_composites(i, text);
    log_printf(i, text);
    log_rest(i, logger);
  }
}
