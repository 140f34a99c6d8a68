// One of each macro of the public headers, with arguments of many types. What they expand to has no warning that a
// strict project might turn into an error.
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
#include <steno/sync_logger.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <variant>
#include <vector>

namespace strict {

enum class Side : std::uint8_t { kBuy, kSell };
enum Plain { kFirst, kSecond };
struct Order {
  int id;
  double price;
};
constexpr int halved(int n);
void statements(int n, const char* text, const std::string& string, steno::Logger logger);
void types(const Order& order, const std::uint8_t (&bytes)[4], wchar_t wide, char letter, short small);
void limits(int n, double rate);
bool checks(int n, steno::SyncLogger& sync);
template <class T>
void log_any(const T& value);

constexpr int halved(int n) {
  STENO_DEBUG("half of {}", n);
  return n / 2;
}

template <class T>
void log_any(const T& value) {
  STENO_INFO("any {}", value);
}

}  // namespace strict

STENO_NAMED_ENUM(strict::Side, kBuy, kSell);
STENO_STRUCT(strict::Order, id, price);

namespace strict {

void statements(int n, const char* text, const std::string& string, steno::Logger logger) {
  STENO_LOG(INFO, "{n} {text}", n, text);
  STENO_LOGF(INFO, "%d %s", n, text);
  STENO_LOG_TO(logger, INFO, "{}", string);
  STENO_LOGF_TO(logger, INFO, "%.*s %5.2f %p %ld %zu", n, text, 1.5, static_cast<const void*>(text), 3L, sizeof n);
  STENO_TRACE("{}", n);
  STENO_DEBUG("{}", n);
  STENO_INFO("{}", n);
  STENO_NOTICE("{}", n);
  STENO_WARN("{}", n);
  STENO_ERROR("{}", n);
  STENO_CRITICAL("{}", n);
  STENO_TRACEF("%d", n);
  STENO_DEBUGF("%d", n);
  STENO_INFOF("%d", n);
  STENO_NOTICEF("%d", n);
  STENO_WARNF("%d", n);
  STENO_ERRORF("%d %m", n);
  STENO_CRITICALF("%d", n);
  if (!STENO_TRY_INFO("{}", n) || !STENO_TRY_INFOF("%d", n)) return;
  if (!STENO_TRY_LOG(INFO, "{}", n) || !STENO_TRY_LOGF_TO(logger, INFO, "%d", n)) return;
  STENO_SPAN("span {} {}", n, string);
  STENO_SPAN_AT(DEBUG, "span {}", text);
  STENO_SPAN_TO(logger, INFO, "span");
  STENO_STREAM(INFO, "took " << n << " ms for " << string);
  steno::logf(steno::Level::kInfo, "%d", n);
  const steno::ScopedContext context("n", n);
  log_any(n);
  log_any(string);
}

void types(const Order& order, const std::uint8_t (&bytes)[4], wchar_t wide, char letter, short small) {
  const volatile int changing = 3;
  STENO_INFO("{} {} {} {} {}", order, bytes, wide, letter, small);
  STENO_INFO("{} {} {} {}", Side::kBuy, kSecond, changing, nullptr);
  STENO_INFO("{} {} {} {}", true, 1.5F, 2.5L, -1LL);
  STENO_INFO("{} {}", std::vector<int>{1, 2}, std::vector<std::string>{"a"});
  STENO_INFO("{} {}", std::optional<int>(), std::optional<std::string>("x"));
  STENO_INFO("{}", std::variant<int, std::string>(1));
  STENO_INFO("{} {}", std::make_pair(1, "x"), std::make_tuple(1, 2.0, 'c'));
  STENO_INFO("{} {}", std::chrono::milliseconds(5), std::chrono::system_clock::now());
  STENO_INFO("{} {}", std::string_view("view"), std::make_error_code(std::errc::io_error));
  STENO_INFO("{} {}", steno::secret(letter), steno::secret_hash(std::string_view("x")));
  STENO_INFO("{} {}", std::make_unique<int>(1), steno::hex(bytes, sizeof bytes));
  STENO_INFO("{:>{}} {:.{}f}", "wide", 8, 1.5, 2);
}

void limits(int n, double rate) {
  STENO_LOG_EVERY_N(INFO, 10, "{}", n);
  STENO_LOG_EVERY(INFO, std::chrono::seconds(1), "{}", n);
  STENO_LOG_AT_RATE(INFO, 10, rate, "{}", n);
  STENO_LOG_FIRST_N(INFO, 3, "{}", n);
  STENO_LOG_ONCE(INFO, "{}", n);
  STENO_LOGF_EVERY_N(INFO, 10, "%d", n);
  STENO_LOGF_ONCE(INFO, "%d", n);
}

bool checks(int n, steno::SyncLogger& sync) {
  STENO_CHECK(n >= 0);
  STENO_CHECK(n >= 0, "{} is negative", n);
  STENO_CHECKF(n >= 0, "%d is negative", n);
  STENO_DCHECK(n >= 0, "{} is negative", n);
  return STENO_SYNC(sync, INFO, "{}", halved(n)).ok();
}

}  // namespace strict
