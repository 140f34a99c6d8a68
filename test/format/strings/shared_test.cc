// Strings that columns of many blocks share (file.md §12).
#include <gtest/gtest.h>

#include <list>
#include <map>

#include "../sanitizers.h"
#include "format/ints/column.h"
#include "format/strings/distinct.h"
#include "format/strings/shared/codec.h"
#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

// The dictionaries that were written, as a reader has them.
class Dictionaries final : public SharedDictionaries {
 public:
  std::span<const std::string_view> strings_of(std::uint64_t dictionary) const override {
    const auto found = tables_.find(dictionary);
    return found != tables_.end() ? std::span<const std::string_view>(found->second)
                                  : std::span<const std::string_view>();
  }
  // Takes the parts; returns how many strings they have.
  std::size_t add(ByteBuffer& parts) {
    std::size_t count = 0;
    blocks_.push_back({parts.data(), parts.data() + parts.size()});
    ByteReader in(blocks_.back().data(), blocks_.back().size());
    while (!in.at_end()) {
      StringsPart part;
      if (!read_strings_part(in, &part)) {
        ADD_FAILURE() << "a part that cannot be read";
        break;
      }
      auto& table = tables_[part.dictionary];
      EXPECT_EQ(table.size(), part.first) << "parts follow one another";
      table.resize(part.first + part.count);
      ByteReader column(part.column.data(), part.column.size());
      EXPECT_TRUE(decode_strings(column, part.count, {}, &arenas_.emplace_back(), table.data() + part.first));
      EXPECT_TRUE(column.at_end());
      count += part.count;
    }
    parts.clear();
    return count;
  }
  void forget() { tables_.clear(); }

 private:
  std::map<std::uint64_t, std::vector<std::string_view>> tables_;
  std::list<std::vector<std::uint8_t>> blocks_;
  std::list<StringArena> arenas_;
};

class SharedStringsTest : public ::testing::Test {
 protected:
  ByteBuffer encode(const Strings& strings, std::uint32_t argument = 0) {
    ByteBuffer out;
    const Source source(strings);
    context_.shared = shared_.of(16, argument);
    encode_strings(source.source, context_, out);
    return out;
  }
  bool decode(const ByteBuffer& column, std::size_t n, Strings* strings) {
    return decode_in_all_ways({column.data(), column.size()}, n, {.shared = &dictionaries_}, strings);
  }
  static CodecId codec_of(const ByteBuffer& column) { return static_cast<CodecId>(column.data()[0]); }

  std::unique_ptr<IntScratch> ints_ = std::make_unique<IntScratch>();
  StringMemory memory_{*ints_};
  StringContext context_{memory_};
  SharedStrings shared_;
  Dictionaries dictionaries_;
};

TEST_F(SharedStringsTest, RoundTripInBlocksAndStretches) {
  Rng rng(1);
  std::uint32_t argument = 0;
  for (const Distribution& distribution : kDistributions) {
    ++argument;
    for (int block = 0; block < 24; ++block) {
      Strings strings;
      for (std::size_t n = std::size_t{1} << rng() % 12; n > 0; --n) strings.push_back(distribution.value(n, rng));
      const ByteBuffer column = encode(strings, argument);
      dictionaries_.add(shared_.parts());
      Strings decoded;
      ASSERT_TRUE(decode(column, strings.size(), &decoded)) << distribution.name << " " << block;
      ASSERT_TRUE(decoded == strings) << distribution.name << " " << block;

      std::vector<std::string_view> distinct;
      std::vector<std::uint64_t> codes;
      StringArena arena;
      if (read_distinct_strings({column.data(), column.size()}, strings.size(), &dictionaries_, &arena, &distinct,
                                &codes)) {
        std::vector<std::string_view> views;
        for (const std::uint64_t code : codes) views.push_back(distinct.at(code));
        ASSERT_TRUE(copies(views) == strings) << distribution.name << " " << block;
      }
      if (rng() % 8 == 0) {  // whatever comes now must not refer to what was before
        shared_.begin_stretch();
        dictionaries_.forget();
      }
    }
  }
}

TEST_F(SharedStringsTest, AStringIsWrittenOnceInAStretch) {
  Rng rng(2);
  std::vector<std::string> pool;
  for (int i = 0; i < 2000; ++i) pool.push_back("/" + text(rng, 10, 40) + "/" + text(rng, 10, 40));
  for (int stretch = 0; stretch < 3; ++stretch) {
    std::size_t written = 0;
    std::size_t bytes = 0;
    for (int block = 0; block < 40; ++block) {
      Strings strings;
      for (int i = 0; i < 2000; ++i) strings.emplace_back(pool[rng() % pool.size()]);
      const ByteBuffer column = encode(strings);
      bytes = column.size();
      written += dictionaries_.add(shared_.parts());
      Strings decoded;
      ASSERT_TRUE(decode(column, strings.size(), &decoded));
      ASSERT_TRUE(decoded == strings);
    }
    EXPECT_EQ(written, pool.size());
    EXPECT_LT(bytes, 2000 * 11 / 8 + 200) << "11 bits each";
    shared_.begin_stretch();
    dictionaries_.forget();
  }
}

// An encoding that makes a small first column smaller than a dictionary does is given up when strings come again.
TEST_F(SharedStringsTest, WhatComesAgainIsSharedWhateverCameFirst) {
  Rng rng(10);
  const std::function<std::string()> kinds[] = {
      [&] {
        const std::string name = text(rng, 1, 1) + "::" + text(rng, 3, 3);
        return "0x00007f31" + std::to_string(10'000 + rng() % 80'000) + " in " + name + "() at /src/" +
               text(rng, 1, 1) + "/" + text(rng, 5, 9) + ".cc:" + std::to_string(rng() % 1000);
      },
      [&] { return "/var/log/" + text(rng, 3, 3) + "/" + text(rng, 3, 9) + std::to_string(rng() % 10'000); },
      [&] {
        std::string key;
        for (int k = 0; k < 64; ++k) key += "0123456789abcdef"[rng() % 16];
        return key;
      }};
  for (std::uint32_t kind = 0; kind < std::size(kinds); ++kind) {
    std::vector<std::string> pool;
    for (int i = 0; i < 2000; ++i) pool.push_back(kinds[kind]());
    context_.column = 100 + kind;
    std::size_t shared = 0;
    for (int block = 0; block < 30; ++block) {
      Strings strings;
      for (std::size_t i = 0; i < (block == 0 ? pool.size() : 8000); ++i) {
        strings.emplace_back(pool[block == 0 ? i : rng() % pool.size()]);
      }
      shared += codec_of(encode(strings, 100 + kind)) == CodecId::kSharedStrings ? 1 : 0;
      shared_.parts().clear();
    }
    EXPECT_GT(shared, 20u) << kind;
  }
  context_.column = 0;
}

TEST_F(SharedStringsTest, WhatNeverComesAgainIsNotShared) {
  Rng rng(3);
  std::size_t shared = 0;
  for (int block = 0; block < 200; ++block) {
    Strings strings;
    for (int i = 0; i < 500; ++i) strings.emplace_back(text(rng, 20, 40));
    shared += codec_of(encode(strings)) == CodecId::kSharedStrings;
  }
  EXPECT_EQ(shared, 0u);
  EXPECT_TRUE(shared_.parts().empty());
}

// Strings that come twice in their block and never again: the dictionary must not cost more than it ever saves.
TEST_F(SharedStringsTest, PairsThatNeverComeAgainCostLittle) {
  Rng rng(4);
  std::size_t bytes = 0;
  std::size_t raw = 0;
  for (int block = 0; block < 300; ++block) {
    Strings strings;
    for (int i = 0; i < 500; ++i) {
      const std::string s = text(rng, 20, 40);
      raw += 2 * s.size();
      strings.emplace_back(s);
      strings.emplace_back(s);
    }
    bytes += encode(strings).size() + 2 * shared_.parts().size();
    shared_.parts().clear();
  }
  EXPECT_LT(bytes, raw + (std::size_t{1} << 18));
}

TEST_F(SharedStringsTest, MemoryIsBounded) {
  constexpr std::uint32_t kArguments = test::kAddressSanitizer ? 4 : 16;  // 3 MiB each; the bound is 32
  Rng rng(5);
  for (std::uint32_t argument = 0; argument < kArguments; ++argument) {
    for (int block = 0; block < 10; ++block) {
      Strings strings;
      for (int i = 0; i < 400; ++i) {
        const std::string s = text(rng, 800, 900);
        for (int k = 0; k < 3; ++k) strings.emplace_back(s);
      }
      const ByteBuffer column = encode(strings, argument);
      dictionaries_.add(shared_.parts());
      Strings decoded;
      ASSERT_TRUE(decode(column, strings.size(), &decoded));
      ASSERT_TRUE(decoded == strings);
      shared_.keep_bound();
      ASSERT_LE(shared_.bytes(), SharedStrings::kMostBytes + (std::size_t{8} << 20));
    }
  }
}

TEST_F(SharedStringsTest, WhatIsLostIsMissingAndNothingElse) {
  const Strings strings = {"alpha",      "beta",  "alpha", "gamma", "beta",  "alpha", std::nullopt, "gamma",
                           std::nullopt, "alpha", "beta",  "gamma", "alpha", "beta",  "gamma",      "once"};
  Strings many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), strings.begin(), strings.end());
  const ByteBuffer first = encode(many);
  ASSERT_EQ(codec_of(first), CodecId::kSharedStrings);
  shared_.parts().clear();  // lost
  Strings more = many;
  for (int i = 0; i < 100; ++i) more.emplace_back("delta and more of it");
  const ByteBuffer second = encode(more);
  ASSERT_EQ(codec_of(second), CodecId::kSharedStrings);
  Strings decoded;
  ASSERT_TRUE(decode(second, more.size(), &decoded));
  for (std::size_t i = 0; i < more.size(); ++i) EXPECT_TRUE(decoded[i] == more[i] || decoded[i] == kMissingString);
  EXPECT_EQ(decoded[0], kMissingString);
}

TEST_F(SharedStringsTest, HostileColumns) {
  // `others`: their count, then the size of their column and that, if there are some.
  const auto column = [](std::uint64_t dictionary, std::uint64_t code, std::vector<std::uint8_t> others) {
    ByteBuffer out;
    out.put(static_cast<std::uint8_t>(CodecId::kSharedStrings));
    out.put_varint(dictionary);
    out.put_bytes(others.data(), others.size());
    out.put(static_cast<std::uint8_t>(CodecId::kConstant));
    out.put_varint(code);
    return out;
  };
  Strings decoded;
  EXPECT_TRUE(decode(column(7, 1, {0}), 3, &decoded));
  EXPECT_EQ(decoded, Strings(3, kMissingString));
  EXPECT_TRUE(decode(column(7, kMaxSharedStrings, {0}), 3, &decoded));
  EXPECT_FALSE(decode(column(7, kMaxSharedStrings + 1, {0}), 3, &decoded)) << "beyond any dictionary";
  EXPECT_FALSE(decode(column(7, 0, {0}), 3, &decoded)) << "no others";
  EXPECT_FALSE(decode(column(7, 0, {3, 4, 24, 7, 1, 1}), 3, &decoded)) << "shared within shared";
  EXPECT_TRUE(decode(column(7, 0, {3, 3, 17, 2, 'a'}), 3, &decoded));
  EXPECT_EQ(decoded, Strings(3, "a"));
  EXPECT_FALSE(decode(column(7, 0, {2, 3, 17, 2, 'a'}), 3, &decoded)) << "more codes of 0 than others";
  EXPECT_FALSE(decode(column(7, 1, {3, 3, 17, 2, 'a'}), 3, &decoded)) << "others that no value is";
  EXPECT_FALSE(decode(column(7, 0, {4, 3, 17, 2, 'a'}), 3, &decoded)) << "more others than values";
  EXPECT_FALSE(decode(column(7, 0, {3, 4, 17, 2, 'a', 'b'}), 3, &decoded)) << "something after the others";
  EXPECT_FALSE(decode(column(7, 0, {3, 99, 17, 2, 'a'}), 3, &decoded)) << "others beyond the column";

  const ByteBuffer sound = column(7, 1, {0});
  ByteReader in(sound.data(), sound.size());
  std::vector<std::string_view> views(3);
  StringArena arena;
  EXPECT_FALSE(decode_strings(in, 3, {}, &arena, views.data())) << "within a part of a dictionary";
}

TEST(StringsPart, Hostile) {
  const auto readable = [](std::uint64_t first, std::uint64_t count, std::uint64_t size) {
    ByteBuffer out;
    for (const std::uint64_t v : {std::uint64_t{1}, first, count, size}) out.put_varint(v);
    out.put_bytes("xyz", 3);
    ByteReader in(out.data(), out.size());
    StringsPart part;
    return read_strings_part(in, &part);
  };
  EXPECT_TRUE(readable(0, 1, 3));
  EXPECT_TRUE(readable(kMaxSharedStrings - 1, 1, 3));
  EXPECT_FALSE(readable(0, 0, 3));
  EXPECT_FALSE(readable(0, kMaxSharedStrings + 1, 3));
  EXPECT_FALSE(readable(kMaxSharedStrings, 1, 3));
  EXPECT_FALSE(readable(UINT64_MAX, 2, 3));
  EXPECT_FALSE(readable(0, 1, 4));
}

}  // namespace
}  // namespace steno::format
