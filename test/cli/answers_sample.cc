// answers_sample DIRECTORY SEED: logs for answers_check.py, full of numbers and texts that are easy to get wrong.
//   many.steno   several sessions, threads, loggers and blocks;   rows.steno   the same, written as rows
//   one.steno    one record;                                     none.steno   statements, and no record
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>

#include "../reader/file_builder.h"

namespace {

using steno::Level;
using steno::test::Args;
using steno::test::FileBuilder;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDoubles[] = {kNan, -kNan, kInfinity, -kInfinity,         0.0,   -0.0, 1, -1, 0.1, 2.5,
                               -3,   1e300, -1e300,    9007199254740992.0, 5e-324};
constexpr std::int64_t kSigned[] = {0, 1, -1, INT64_MAX, INT64_MIN, (std::int64_t{1} << 53) + 1, 7, -3};
constexpr std::uint64_t kUnsigned[] = {
    0, 1, UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, 7};
constexpr const char* kTexts[] = {"acme", "",          "it's", "say \"hi\"",  "back\\slash",
                                  "nan",  "two words", "7",    "\xE5\x85\xAC"};

class Maker {
 public:
  Maker(std::uint64_t seed, bool rows) : random_(seed), builder_(rows) {}

  std::string run(std::size_t blocks, std::size_t most) {
    for (std::size_t b = 0; b < blocks; ++b) {
      if (b % 4 == 0) start(b);
      kind_ = b % 5;
      for (std::size_t i = 1 + random_() % most; i > 0; --i) log();
      builder_.flush();
    }
    if (blocks == 0) start(0);
    return builder_.end().bytes();
  }

 private:
  void start(std::size_t number) {
    builder_.session(0x77 + number, 3, 100 + static_cast<std::uint32_t>(number));
    builder_.site(16, Level::kInfo, "num {d} {f} {l} {m} {s}", "dflmS", 10);
    builder_.site(17, Level::kWarn, "other {l} {s}", "iS", 20);
    builder_.site(18, Level::kError, "plain", "", 30);
    builder_.site_in_context(19, 18, "lS", {"l", "tenant"});
    builder_.logger(1, "net").logger(2, "net.http");
    for (std::uint32_t t = 0; t < 3; ++t)
      builder_.thread(t, t + 1, t == 2 ? "" : "worker-" + std::to_string(t), 7000 + t);
  }

  double number() {
    switch (kind_) {
      case 0:
        return kDoubles[random_() % std::size(kDoubles)];
      case 1:
        return kNan;
      case 2:
        return static_cast<double>(random_() % 500) / 100 - 2;
      case 3:
        return random_() % 10 == 0 ? kNan : static_cast<double>(random_() % 8) - 4;
      default:
        return -1.5;
    }
  }

  void log() {
    time_ += random_() % 5 == 0 ? 0 : random_() % 100'000;
    const std::uint32_t site = 16 + static_cast<std::uint32_t>(random_() % 4);
    const std::string text = kTexts[random_() % std::size(kTexts)];
    Args args;
    if (site == 16) {
      const auto narrow = static_cast<float>(number());
      args.f64(number()).add('f', narrow).add('l', kSigned[random_() % std::size(kSigned)]);
      args.u64(kUnsigned[random_() % std::size(kUnsigned)]);
    }
    if (site == 17) args.i32(static_cast<std::int32_t>(random_() % 10) - 2);
    if (site == 19) args.add('l', kSigned[random_() % std::size(kSigned)]);
    if (site != 18) random_() % 9 == 0 ? args.null_text() : args.text(text);
    builder_.log(static_cast<std::uint32_t>(random_() % 3), site, FileBuilder::kStart + time_, args,
                 static_cast<std::uint16_t>(random_() % 3));
  }

  std::mt19937_64 random_;
  FileBuilder builder_;
  std::uint64_t time_ = 0;
  std::size_t kind_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string directory = argv[1];
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(directory + "/" + name, std::ios::binary) << bytes;
  };
  write("many.steno", Maker(seed, false).run(11, 300));
  write("rows.steno", Maker(seed + 1, true).run(6, 60));
  write("one.steno", Maker(seed + 2, false).run(1, 1));
  write("none.steno", Maker(seed + 3, false).run(0, 1));
  return 0;
}
