// all_types FILE: a log with an argument of each type, for docs/engines.md and the tests of engines.
#include <steno/chrono.h>
#include <steno/containers.h>
#include <steno/log.h>
#include <steno/named_enum.h>
#include <steno/session.h>
#include <steno/std_types.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace all_types {
enum class Side { kBuy, kSell };
}
STENO_NAMED_ENUM(all_types::Side, kBuy, kSell)

namespace {

template <class T>
T extreme(int row) {
  return row == 0 ? std::numeric_limits<T>::min() : row == 1 ? std::numeric_limits<T>::max() : T{7};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !steno::start(argv[1])) return 2;
  using namespace std::chrono;  // NOLINT: a program of one file
  for (int row = 0; row < 3; ++row) {
    STENO_INFO("integers {i8} {i16} {i32} {i64} {u8} {u16} {u32} {u64} {truth}", extreme<std::int8_t>(row),
               extreme<std::int16_t>(row), extreme<std::int32_t>(row), extreme<std::int64_t>(row),
               extreme<std::uint8_t>(row), extreme<std::uint16_t>(row), extreme<std::uint32_t>(row),
               extreme<std::uint64_t>(row), row == 1);
    const double odd[] = {-0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    const char* const texts[] = {"plain", nullptr, "gr\u00fc\u00df"};
    STENO_WARN("others {f32} {f64} {text} {letter} {maybe} {side} {list}", static_cast<float>(odd[row]), odd[row],
               texts[row], static_cast<char>('a' + row), row == 1 ? std::nullopt : std::optional<int>(row),
               row == 0 ? all_types::Side::kBuy : all_types::Side::kSell, std::vector<int>{row, row + 1});
    STENO_ERROR("times {at} {ns} {us} {ms} {s}", system_clock::time_point(nanoseconds(1790000000123456789 + row)),
                nanoseconds(1500 + row), microseconds(row - 1), milliseconds(row), seconds(60 + row));
  }
}
