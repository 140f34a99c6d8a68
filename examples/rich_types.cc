// Types of the standard library, enumerations by name, structures, and whatever has an operator<<.
#include <steno/chrono.h>
#include <steno/containers.h>
#include <steno/log.h>
#include <steno/named_enum.h>
#include <steno/session.h>
#include <steno/std_types.h>
#include <steno/struct.h>

#include <ostream>
#include <stdexcept>

namespace market {
enum class Side { kBuy, kSell };
struct Order {
  unsigned long id;
  int qty;
  double price;
};
struct Matrix {
  int a, b, c, d;
};
std::ostream& operator<<(std::ostream& out, const Matrix& m) {
  return out << '[' << m.a << ' ' << m.b << "; " << m.c << ' ' << m.d << ']';
}
}  // namespace market

STENO_NAMED_ENUM(market::Side, kBuy, kSell)
STENO_STRUCT(market::Order, id, qty, price)

int main() {
  if (!steno::start("app.steno")) return 1;
  using namespace std::chrono;

  STENO_INFO("{side} took {time}, at most {limit}", market::Side::kSell, microseconds(1250), minutes(2));
  STENO_INFO("filled {order} of {sizes}", market::Order{7, 5, 1.5}, std::vector<int>{1, 2, 5});
  STENO_INFO("expires {at}", system_clock::time_point(hours(24 * 365)));
  STENO_WARN("cannot open {path}: {error}", std::filesystem::path("/etc/app.conf"),
             std::make_error_code(std::errc::no_such_file_or_directory));
  const std::out_of_range out_of_range("no such table");
  const std::exception& error = out_of_range;  // as it is caught; in C++20 either would do
  STENO_ERROR("failed: {error}", error);
  STENO_INFO("rotation {}", steno::formatted(market::Matrix{0, -1, 1, 0}));
  STENO_INFO("hello {}", steno::hex("\x16\x03\x01", 3));
}
