// Columns of strings (file.md §9.3).
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <random>

#include "format/codecs/string_codec.h"

namespace steno::format {
namespace {

using Rng = std::mt19937_64;
using Strings = std::vector<std::optional<std::string>>;

constexpr std::size_t kSizes[] = {1, 2, 3, 20, 63, 64, 65, 255, 256, 257, 1000, 40000};

std::string text(Rng& rng, std::size_t least, std::size_t most) {
  std::string s(least + rng() % (most - least + 1), '\0');
  for (char& c : s) c = static_cast<char>('a' + rng() % 26);
  return s;
}

struct Distribution {
  const char* name;
  std::function<std::optional<std::string>(std::size_t i, Rng& rng)> value;
};

const Distribution kDistributions[] = {
    {"constant", [](std::size_t, Rng&) { return "hello"; }},
    {"empty", [](std::size_t, Rng&) { return ""; }},
    {"null", [](std::size_t, Rng&) { return std::nullopt; }},
    {"null_or_empty",
     [](std::size_t, Rng& rng) { return rng() % 2 == 0 ? std::nullopt : std::optional<std::string>(""); }},
    {"varying", [](std::size_t, Rng& rng) { return text(rng, 5, 60); }},
    {"tiny", [](std::size_t, Rng& rng) { return text(rng, 0, 3); }},
    {"few", [](std::size_t, Rng& rng) { return "user-" + std::to_string(rng() % 7) + "@example.org"; }},
    {"few_and_null",
     [](std::size_t, Rng& rng) {
       return rng() % 9 == 0 ? std::nullopt : std::optional("state " + std::to_string(rng() % 300));
     }},
    {"growing", [](std::size_t i, Rng&) { return "request " + std::to_string(i); }},
    {"long", [](std::size_t i, Rng& rng) { return i % 100 == 0 ? text(rng, 2000, 3000) : text(rng, 60, 70); }},
    {"late_change", [](std::size_t i, Rng& rng) { return i < 300 ? "a" : text(rng, 4, 30); }},
    {"same_ends", [](std::size_t, Rng& rng) { return "0123456789abcdef" + text(rng, 1, 2) + "0123456789abcdef"; }},
};

// Keeps the strings' bytes apart, each in memory of its own size, behind as many bytes as a record has before it at
// least.
struct Source {
  explicit Source(const Strings& strings) {
    for (const auto& s : strings) {
      std::vector<std::uint8_t>& record = bytes.emplace_back(kBefore, std::uint8_t{0xA5});
      if (s) record.insert(record.end(), s->begin(), s->end());
      refs.push_back({record.data() + kBefore, s ? static_cast<std::uint32_t>(s->size()) : kNullString});
    }
    source.count = refs.size();
    source.array = refs.data();
  }

  static constexpr std::size_t kBefore = 16;
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<StringRef> refs;
  StringSource source;
};

Strings make(const Distribution& distribution, std::size_t n) {
  Rng rng(n);
  Strings strings;
  for (std::size_t i = 0; i < n; ++i) strings.push_back(distribution.value(i, rng));
  return strings;
}

struct Encoder {
  explicit Encoder(int zstd_level) {
    scratch.ints = ints.get();
    scratch.zstd_level = zstd_level;
  }
  ByteBuffer encode(const Strings& strings) {
    ByteBuffer out;
    const Source source(strings);
    encode_strings(source.source, scratch, out);
    return out;
  }

  std::unique_ptr<IntScratch> ints = std::make_unique<IntScratch>();
  StringScratch scratch;
};

bool decode(const ByteBuffer& column, std::size_t size, std::size_t n, Strings* out) {
  const std::vector<std::uint8_t> exact(column.data(), column.data() + size);
  ByteReader in(exact.data(), exact.size());
  StringArena arena;
  std::vector<std::string_view> views(n);
  if (!decode_strings(in, n, false, &arena, views.data()) || !in.at_end()) return false;
  out->clear();
  for (const std::string_view v : views)
    out->push_back(v.data() == nullptr ? std::nullopt : std::optional(std::string(v)));
  return true;
}

TEST(StringColumn, RoundTrip) {
  for (const int level : {0, 1}) {
    Encoder encoder(level);
    for (const Distribution& distribution : kDistributions) {
      for (const std::size_t n : kSizes) {
        const Strings strings = make(distribution, n);
        const ByteBuffer out = encoder.encode(strings);
        Strings decoded;
        ASSERT_TRUE(decode(out, out.size(), n, &decoded)) << distribution.name << " " << n;
        ASSERT_TRUE(decoded == strings) << distribution.name << " " << n;
      }
    }
  }
}

TEST(StringColumn, ExampleOfTheSpecification) {  // file.md §9.4
  const ByteBuffer out = Encoder(0).encode({"a", std::nullopt, "a"});
  const std::uint8_t expected[] = {0x10, 0x02, 0x02, 0x00, 0x22, 0x61, 0x61};
  ASSERT_EQ(out.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(out.data(), expected, sizeof expected), 0);
}

TEST(StringColumn, ChoosesByRepetition) {
  Encoder encoder(0);
  const auto codec_of = [&](const char* name, std::size_t n) {
    for (const Distribution& d : kDistributions) {
      if (std::string(d.name) == name) return static_cast<CodecId>(encoder.encode(make(d, n)).data()[0]);
    }
    return CodecId::kRaw;
  };
  EXPECT_EQ(codec_of("constant", 1000), CodecId::kConstantString);
  EXPECT_EQ(codec_of("null", 20), CodecId::kConstantString);
  EXPECT_EQ(codec_of("few", 1000), CodecId::kStringDictionary);
  EXPECT_EQ(codec_of("few", 40), CodecId::kStringDictionary);
  EXPECT_EQ(codec_of("few_and_null", 2500), CodecId::kStringDictionary);
  EXPECT_EQ(codec_of("varying", 1000), CodecId::kStrings);
}

TEST(StringColumn, ZstdWhereItGains) {
  if (find_string_codec(static_cast<std::uint8_t>(CodecId::kZstdStrings)) == nullptr)
    GTEST_SKIP() << "built without zstd";
  Encoder encoder(3);
  Strings strings;
  for (int i = 0; i < 5000; ++i) strings.push_back("GET /static/image/" + std::to_string(i * 7919 % 100'000) + ".png");
  const ByteBuffer out = encoder.encode(strings);
  EXPECT_EQ(static_cast<CodecId>(out.data()[0]), CodecId::kZstdStrings);
  EXPECT_LT(out.size(), 5000u * 12);
}

TEST(StringColumn, DamageIsAnErrorOrOtherValues) {
  for (const int level : {0, 1}) {
    Encoder encoder(level);
    for (const Distribution& distribution : kDistributions) {
      for (const std::size_t n : {1, 20, 70}) {
        ByteBuffer out = encoder.encode(make(distribution, n));
        Strings decoded;
        for (std::size_t size = 0; size < std::min<std::size_t>(out.size(), 500); ++size) {
          EXPECT_FALSE(decode(out, size, n, &decoded));
        }
        const std::size_t step = 1 + out.size() / 300;
        for (std::size_t i = 0; i < out.size(); i += step) {
          for (const std::uint8_t flip : {0x01, 0x80, 0xFF}) {
            out.data()[i] ^= flip;
            (void)decode(out, out.size(), n, &decoded);
            out.data()[i] ^= flip;
          }
        }
      }
    }
  }
}

TEST(StringColumn, LengthsThatClaimTooMuchTakeNoMemory) {
  // 2^22 strings of 4 GiB each, by one constant.
  ByteBuffer column;
  column.put(static_cast<std::uint8_t>(CodecId::kStrings));
  column.put(static_cast<std::uint8_t>(CodecId::kConstant));
  column.put_varint(UINT32_MAX);
  Strings decoded;
  EXPECT_FALSE(decode(column, column.size(), 1u << 22, &decoded));
}

TEST(StringColumn, CopyShortCopiesAnySize) {
  for (std::size_t n = 0; n < 200; ++n) {
    std::vector<std::uint8_t> from(n);
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<std::uint8_t>(i + 1);
    std::vector<std::uint8_t> to(n);
    copy_short(to.data(), from.data(), n);
    EXPECT_EQ(from, to) << n;
  }
}

}  // namespace
}  // namespace steno::format
