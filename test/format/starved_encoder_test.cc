// Encoders of strings after an allocation that failed in the middle of one: what they keep must be whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "../failing_allocator.h"
#include "format/strings/codec.h"
#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

// A writer of columns of one argument.
class Encoder {
 public:
  Encoder() { context_.column = 7; }

  ByteBuffer encode(const Source& source) {
    ByteBuffer out;
    encode_strings(source.source, context_, out);
    return out;
  }
  // Encodes with the n-th allocation failing; 0: with none. Returns how many there were.
  long encode_starved(const Source& source, long n) {
    ByteBuffer out;
    steno_test::allocations = 0;
    steno_test::fail_count = 1;
    steno_test::fail_at = n != 0 ? n : 1'000'000'000;
    bool failed = false;
    try {
      encode_strings(source.source, context_, out);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    steno_test::fail_at = 0;
    EXPECT_EQ(failed, n != 0 && steno_test::allocations >= n);
    return steno_test::allocations;
  }

 private:
  std::unique_ptr<IntScratch> ints_ = std::make_unique<IntScratch>();
  StringMemory memory_{*ints_};
  StringContext context_{memory_};
};

// Returns some of the allocations: the last ones, and of all others as many again.
std::vector<long> chosen_of(long all, Rng& rng) {
  constexpr long kSome = 4;
  std::vector<long> chosen;
  for (long n = std::max(1L, all - kSome + 1); n <= all; ++n) chosen.push_back(n);
  for (long i = 0; i < std::min(kSome, all); ++i)
    chosen.push_back(1 + static_cast<long>(rng() % static_cast<std::uint64_t>(all)));
  return chosen;
}

// An allocation fails in the column after one from which the encoders have learned. The next column has to be right.
TEST(StarvedEncoder, MakesTheNextColumnWhole) {
  Rng rng(5);
  for (const Distribution& distribution : kDistributions) {
    const bool has_words = std::strstr("sentences lines tokens", distribution.name) != nullptr;
    const std::size_t size = has_words ? 4000 : 500;
    const Strings strings = make(distribution, size);
    const Strings others = make(distribution, size + 1);
    const Source source(strings);
    const Source other(others);
    Encoder counting;
    (void)counting.encode(source);
    for (const long n : chosen_of(counting.encode_starved(other, 0), rng)) {
      Encoder encoder;
      (void)encoder.encode(source);
      (void)encoder.encode_starved(other, n);
      const ByteBuffer out = encoder.encode(source);
      const std::vector<std::uint8_t> exact(out.data(), out.data() + out.size());
      Strings decoded;
      ASSERT_TRUE(decode_in_all_ways(exact, strings.size(), {}, &decoded)) << distribution.name << " " << n;
      ASSERT_TRUE(decoded == strings) << distribution.name << " " << n;
    }
  }
}

}  // namespace
}  // namespace steno::format
