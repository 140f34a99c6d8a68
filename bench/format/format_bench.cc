// Encoding and decoding of data blocks: ns and bytes a record, and the time as a multiple of a memcpy of the same ring
// bytes.
//
// Walking and grouping are the scribe's; this starts from grouped records. Run with --benchmark_format=json for figures
// to keep.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "record_builder.h"

namespace steno::format {
namespace {

constexpr std::size_t kRecords = 16 * 1024;

using Clock = std::chrono::steady_clock;
using Rng = std::mt19937_64;

// Ticks as a TSC that moves in steps of 26 shows them to a producer at full speed.
class Ticks {
 public:
  std::uint64_t next(Rng& rng) {
    const std::uint64_t r = rng();
    now_ += r % 3 == 0 ? 52 : 26;
    if (r % 509 == 0) now_ += 26 * (r >> 32 & 1023);
    return now_;
  }

 private:
  std::uint64_t now_ = 26'000'000'000;
};

std::string text(Rng& rng, std::size_t least, std::size_t most) {
  std::string s(least + rng() % (most - least + 1), ' ');
  for (char& c : s) c = static_cast<char>('a' + rng() % 26);
  return s;
}

double cents(Rng& rng) {
  return static_cast<double>(rng() % 100'000) / 100;
}

void constant_ints(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  b.declare(16, "ii");
  for (std::size_t i = 0; i < kRecords; ++i) b.add(16, ticks.next(rng), {Arg::of_int(1), Arg::of_int(181)});
}

void two_ints(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  b.declare(16, "ii");
  for (std::size_t i = 0; i < kRecords; ++i) {
    b.add(16, ticks.next(rng), {Arg::of_int(static_cast<int>(i)), Arg::of_int(static_cast<int>(rng() & 0xFFFF))});
  }
}

void four_ints_and_double(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  b.declare(16, "iiiid");
  for (std::size_t i = 0; i < kRecords; ++i) {
    b.add(16, ticks.next(rng),
          {Arg::of_int(static_cast<int>(i)), Arg::of_int(static_cast<int>(rng() & 0xFFFF)),
           Arg::of_int(static_cast<int>(rng() % 1000)), Arg::of_int(7), Arg::of_double(cents(rng))});
  }
}

void four_sites(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  b.declare(16, "");
  b.declare(17, "i");
  b.declare(18, "ii");
  b.declare(19, "d");
  for (std::size_t i = 0; i < kRecords; ++i) {
    const auto n = Arg::of_int(static_cast<int>(rng() & 0xFFFF));
    switch (rng() % 4) {
      case 0:
        b.add(16, ticks.next(rng), {});
        break;
      case 1:
        b.add(17, ticks.next(rng), {n});
        break;
      case 2:
        b.add(18, ticks.next(rng), {Arg::of_int(static_cast<int>(i)), n});
        break;
      default:
        b.add(19, ticks.next(rng), {Arg::of_double(cents(rng))});
        break;
    }
  }
}

void thousand_sites(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  for (std::uint32_t site = 0; site < 1000; ++site) b.declare(16 + site, "ij");
  for (std::size_t i = 0; i < 20'000; ++i) {
    b.add(16 + static_cast<std::uint32_t>(rng() % 1000), ticks.next(rng),
          {Arg::of_int(static_cast<int>(i)), Arg::of_int(static_cast<int>(rng() & 0xFFFF))});
  }
}

// Adds the records that the scribe finds at once in a ring of a program with 10,000 statements. `site_of(i)`: the
// statement, 0 to 9999.
template <class SiteOf>
void ten_thousand_sites(RecordBuilder& b, Rng& rng, const SiteOf& site_of) {
  Ticks ticks;
  const std::string clients[] = {"acme", "globex", "initech", "umbrella"};
  const char* const types[] = {"j", "mS", "jj", "d"};
  for (std::uint32_t site = 0; site < 10'000; ++site) b.declare(16 + site, types[site % 4]);
  for (std::size_t i = 0; i < 30'000; ++i) {
    const auto site = static_cast<std::uint32_t>(site_of(i));
    const auto n = static_cast<std::int64_t>(rng() % 5000);
    std::vector<Arg> args = {Arg::of_int(n)};
    if (site % 4 == 1) args = {Arg::of_int(static_cast<std::int64_t>(i)), Arg::of_text(clients[rng() % 4])};
    if (site % 4 == 2) args = {Arg::of_int(n % 100), Arg::of_int(100)};
    if (site % 4 == 3) args = {Arg::of_double(static_cast<double>(n) / 100)};
    b.add(16 + site, ticks.next(rng), args);
  }
}

void ten_thousand_sites_in_turn(RecordBuilder& b, Rng& rng) {
  ten_thousand_sites(b, rng, [](std::size_t i) { return i % 10'000; });
}

void ten_thousand_sites_by_zipf(RecordBuilder& b, Rng& rng) {
  std::vector<double> sums;
  for (int rank = 1; rank <= 10'000; ++rank) sums.push_back((sums.empty() ? 0 : sums.back()) + 1.0 / rank);
  std::uniform_real_distribution<double> uniform(0, sums.back());
  ten_thousand_sites(
      b, rng, [&](std::size_t) { return std::lower_bound(sums.begin(), sums.end() - 1, uniform(rng)) - sums.begin(); });
}

void varying_strings(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  b.declare(16, "S");
  for (std::size_t i = 0; i < kRecords; ++i) b.add(16, ticks.next(rng), {Arg::of_text(text(rng, 5, 60))});
}

void repeated_strings(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  std::vector<std::string> few;
  for (int i = 0; i < 300; ++i) few.push_back(text(rng, 5, 40));
  b.declare(16, "S");
  for (std::size_t i = 0; i < kRecords; ++i) b.add(16, ticks.next(rng), {Arg::of_text(few[rng() % few.size()])});
}

void constant_string(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  b.declare(16, "S");
  const std::string s = "the same thirty-nine bytes of a message";
  for (std::size_t i = 0; i < kRecords; ++i) b.add(16, ticks.next(rng), {Arg::of_text(s)});
}

void six_sites(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  std::vector<std::string> few;
  for (int i = 0; i < 300; ++i) few.push_back(text(rng, 5, 40));
  b.declare(16, "");
  b.declare(17, "S");
  b.declare(18, "i");
  b.declare(19, "ii");
  b.declare(20, "d");
  b.declare(21, "iiiid");
  for (std::size_t i = 0; i < kRecords; ++i) {
    const auto n = [&] { return Arg::of_int(static_cast<int>(rng() & 0xFFFF)); };
    const auto counter = Arg::of_int(static_cast<int>(i));
    switch (rng() % 6) {
      case 0:
        b.add(16, ticks.next(rng), {});
        break;
      case 1:
        b.add(17, ticks.next(rng), {Arg::of_text(few[rng() % few.size()])});
        break;
      case 2:
        b.add(18, ticks.next(rng), {n()});
        break;
      case 3:
        b.add(19, ticks.next(rng), {counter, n()});
        break;
      case 4:
        b.add(20, ticks.next(rng), {Arg::of_double(cents(rng))});
        break;
      default:
        b.add(21, ticks.next(rng), {counter, n(), n(), Arg::of_int(7), Arg::of_double(cents(rng))});
        break;
    }
  }
}

void full_doubles(RecordBuilder& b, Rng& rng) {
  Ticks ticks;
  b.declare(16, "d");
  for (std::size_t i = 0; i < kRecords; ++i) {
    b.add(16, ticks.next(rng), {Arg::of_double(std::uniform_real_distribution<double>()(rng))});
  }
}

void slow_rows(RecordBuilder& b, Rng& rng) {
  b.declare(16, "ii");
  for (std::uint64_t i = 0; i < 5; ++i) {
    b.add(16, 26'000'000'000 + i * 2'596'000'000 + rng() % 100'000, {Arg::of_int(1000), Arg::of_int(181)});
  }
}

using Fill = void (*)(RecordBuilder&, Rng&);

void encode(benchmark::State& state, Fill fill) {
  Rng rng(1);
  RecordBuilder builder;
  fill(builder, rng);
  const BlockInput input = builder.input();
  DataWriter writer({});
  ByteBuffer out;
  for (auto _ : state) {
    out.clear();
    writer.write(input, 1, out);
    benchmark::DoNotOptimize(out.data());
  }
  const auto n = static_cast<double>(builder.records());
  std::vector<std::byte> copy(builder.record_bytes());
  double per_copy = 1e18;
  for (int i = 0; i < 50; ++i) {
    const auto start = Clock::now();
    std::memcpy(copy.data(), input.base, copy.size());
    benchmark::DoNotOptimize(copy.data());
    per_copy = std::min(per_copy, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  using benchmark::Counter;
  state.counters["ns/record"] = Counter(n * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["bytes/record"] = static_cast<double>(out.size()) / n;
  state.counters["memcpy_ns/record"] = per_copy / n;
}

void decode(benchmark::State& state, Fill fill) {
  Rng rng(1);
  RecordBuilder builder;
  fill(builder, rng);
  DataWriter writer({});
  ByteBuffer out;
  writer.write(builder.input(), 1, out);
  BlockHeader header;
  if (!parse_header(out.data(), out.size(), &header)) return state.SkipWithError("no block");
  RawVector<std::uint32_t> order;
  RawVector<std::uint64_t> clocks;
  ColumnValues values;
  for (auto _ : state) {
    auto block = DataBlock::open(header.type, {out.data() + kBlockHeaderSize, header.length}, builder);
    bool good = block.ok() && block->decode_order(&order).ok() && block->decode_clocks(&clocks).ok();
    for (std::size_t g = 0; good && g < block->groups().size(); ++g) {
      const auto& fields = builder.layout_of(block->groups()[g].site)->fields;
      for (std::size_t k = 0; k < fields.size(); ++k) good &= block->decode_column(g, k, fields[k].type, &values).ok();
    }
    if (!good) state.SkipWithError("damaged");
  }
  using benchmark::Counter;
  state.counters["ns/record"] =
      Counter(static_cast<double>(builder.records()) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

#define STENO_BENCH(fill)                \
  BENCHMARK_CAPTURE(encode, fill, fill); \
  BENCHMARK_CAPTURE(decode, fill, fill)

STENO_BENCH(constant_ints);
STENO_BENCH(two_ints);
STENO_BENCH(four_ints_and_double);
STENO_BENCH(four_sites);
STENO_BENCH(six_sites);
STENO_BENCH(thousand_sites);
STENO_BENCH(ten_thousand_sites_in_turn);
STENO_BENCH(ten_thousand_sites_by_zipf);
STENO_BENCH(varying_strings);
STENO_BENCH(repeated_strings);
STENO_BENCH(constant_string);
STENO_BENCH(full_doubles);
STENO_BENCH(slow_rows);

}  // namespace
}  // namespace steno::format
