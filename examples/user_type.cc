// How a type of yours is logged: say once what is captured, and it works in every statement.
#include <steno/log.h>
#include <steno/loggable.h>
#include <steno/session.h>

#include <cstdint>
#include <string>

struct Money {
  std::int64_t cents;
};

struct Endpoint {
  std::string host;
  std::uint16_t port;
};

enum class Side : char { kBuy = 'B', kSell = 'S' };

// A number: a store in the log call, a numeric column in the file.
template <>
struct steno::Loggable<Money> {
  static double capture(const Money& money) { return static_cast<double>(money.cents) / 100.0; }
};

// A string: made in the logging thread, so only where there is no number to log instead.
template <>
struct steno::Loggable<Endpoint> {
  static std::string capture(const Endpoint& endpoint) { return endpoint.host + ":" + std::to_string(endpoint.port); }
};

// An enum is logged as its number by itself; here it is a character.
template <>
struct steno::Loggable<Side> {
  static char capture(Side side) { return static_cast<char>(side); }
};

int main(int argc, char** argv) {
  if (!steno::start(argc > 1 ? argv[1] : "user_type.steno")) return 1;

  const Money price{1725};
  const Endpoint exchange{"10.0.0.7", 9000};
  STENO_INFO("{side} at {price:.2f} on {exchange}", Side::kBuy, price, exchange);
  STENO_NOTICEF("filled %c at %.2f", Side::kSell, Money{1730});
}
