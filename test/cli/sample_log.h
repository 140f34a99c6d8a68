// A small log of two threads for tests of commands: texts with a control character, a NaN, integers of 128 bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "../reader/file_builder.h"

namespace steno::test {

inline constexpr std::uint64_t kT = FileBuilder::kStart;  // when logs of tests begin

inline std::string sample_log() {
  FileBuilder b;
  b.session().thread(0, 1, "main", 4242).thread(1, 2, "worker", 4243);
  b.site(16, Level::kInfo, "order sent {id} to {venue}", "mS", 120);
  b.site(17, Level::kNotice, "order acked {id} after {us} us", "md", 131);
  b.site(18, Level::kError, "odd {} {}", "dn", 140);
  for (std::uint64_t i = 0; i < 40; ++i) {
    b.log(0, 16, kT + i * 1'000'000, Args().u64(i).text(i % 3 == 0 ? "XETRA" : "N\x1bYSE"));
    if (i % 8 != 7) b.log(1, 17, kT + i * 1'000'000 + 1'000 * (i + 1), Args().u64(i).f64(static_cast<double>(i) / 4));
  }
  b.log(1, 17, kT + 50'000'000, Args().u64(999).f64(NAN));
  b.log(0, 18, kT + 50'000'001, Args().f64(-0.5).add<__int128>('n', static_cast<__int128>(1) << 90));
  return b.end().bytes();
}

}  // namespace steno::test
