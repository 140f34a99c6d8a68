// Symbol tables, and columns of strings that are coded with them (file.md §9.5).
#include "format/strings/symbols/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/strings/codec.h"
#include "format/strings/distinct.h"
#include "format/strings/symbols/encode.h"
#include "format/strings/symbols/train.h"
#include "string_cases.h"

namespace steno::format {
namespace {

using testing::Rng;

// A text with as many bytes after it as encoders read.
struct Padded {
  explicit Padded(const std::string& text) : size(text.size()), bytes(text + std::string(kMaxSymbolSize, '\xA5')) {}
  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }

  std::size_t size;
  std::string bytes;
};

struct Text {
  const char* name;
  std::function<std::string(Rng&, std::size_t)> make;
};

std::string words(Rng& rng, std::size_t n) {
  std::string text;
  while (text.size() < n) {
    for (std::size_t k = 1 + rng() % 3, word = rng() % 60; k > 0; --k, word = word * 31 % 97)
      text += "lorem ipsum dolor amet "[word % 23] + std::string("aeiou").substr(word % 5);
    text += rng() % 4 == 0 ? "; " : " ";
    if (rng() % 5 == 0) text += std::to_string(rng() % 100'000);
  }
  return text.substr(0, n);
}

const Text kTexts[] = {{"words", words},
                       {"one byte", [](Rng&, std::size_t n) { return std::string(n, '\0'); }},
                       {"all ones", [](Rng&, std::size_t n) { return std::string(n, '\xFF'); }},
                       {"any bytes",
                        [](Rng& rng, std::size_t n) {
                          std::string text(n, '\0');
                          for (char& c : text) c = static_cast<char>(rng());
                          return text;
                        }},
                       {"two bytes",
                        [](Rng& rng, std::size_t n) {
                          std::string text(n, '\0');
                          for (char& c : text) c = rng() % 3 == 0 ? '\0' : '\xFF';
                          return text;
                        }},
                       {"every pair", [](Rng&, std::size_t n) {  // as many different pieces as can be
                          std::string text;
                          for (std::size_t i = 0; i < n; ++i) text += static_cast<char>(i % 2 == 0 ? i / 512 : i * 7);
                          return text;
                        }}};

std::string decode(const SymbolTable& table, const std::vector<std::uint8_t>& codes, std::size_t size) {
  std::string text(size + kSymbolSlack, '\0');
  if (!decode_symbols(table, codes, size, reinterpret_cast<std::uint8_t*>(text.data()))) return "damaged";
  return text.substr(0, size);
}

std::string decode(const SymbolTable& table, const ByteBuffer& codes, std::size_t size) {
  return decode(table, std::vector<std::uint8_t>(codes.data(), codes.data() + codes.size()), size);
}

TEST(SymbolTable, RoundTrip) {
  Rng rng(1);
  SymbolTrainer trainer;
  for (const Text& text : kTexts) {
    for (const std::size_t size : {0u, 1u, 2u, 15u, 16u, 17u, 255u, 256u, 1000u, 70'000u, 600'000u}) {
      const Padded sample(text.make(rng, std::min<std::size_t>(size, 20'000)));
      const Padded whole(text.make(rng, size));
      LearnedSymbols learned;
      trainer.learn(sample.data(), sample.size, 10 * sample.size, &learned);
      if (size % 2 == 0) trainer.learn(sample.data(), sample.size / 2, 10 * sample.size, &learned);  // goes on
      const SymbolEncoder& encoder = learned.encoder;
      ByteBuffer codes;
      encoder.encode(whole.data(), whole.size, codes);
      EXPECT_LE(codes.size(), 2 * size) << text.name << " " << size;
      ByteBuffer bytes;
      put_symbols(encoder.table(), bytes);
      SymbolTable table;
      ByteReader in(bytes.data(), bytes.size());
      ASSERT_TRUE(read_symbols(in, &table) && in.at_end()) << text.name << " " << size;
      ASSERT_EQ(table.symbols, encoder.table().symbols);
      ASSERT_TRUE(decode(table, codes, size) == whole.bytes.substr(0, size)) << text.name << " " << size;
    }
  }
}

// Symbols of all sizes, up to the most there may be: codes of one byte and of two, with any number of pages.
TEST(SymbolTable, AnyNumberOfSymbols) {
  for (const std::size_t count : {0u, 1u, 254u, 255u, 256u, 509u, 510u, 511u, 4000u, 8192u}) {
    SymbolTable table;
    std::set<std::string> known;
    Rng rng(count);
    while (table.symbols.size() < count) {
      std::string symbol(1 + rng() % kMaxSymbolSize, '\0');
      for (char& c : symbol) c = static_cast<char>(rng());
      if (known.insert(symbol).second) table.symbols.emplace_back(Padded(symbol).data(), symbol.size());
    }
    EXPECT_LE(count, table.short_codes() + table.pages() * kPage);
    ByteBuffer bytes;
    put_symbols(table, bytes);
    SymbolTable read;
    ByteReader in(bytes.data(), bytes.size());
    ASSERT_TRUE(read_symbols(in, &read) && in.at_end());
    EXPECT_EQ(read.symbols, table.symbols);
    std::string text;
    for (const std::string& symbol : known) text += symbol;
    const Padded padded(text);
    SymbolEncoder encoder;
    encoder.set(table);
    ByteBuffer codes;
    encoder.encode(padded.data(), padded.size, codes);
    EXPECT_TRUE(decode(read, codes, text.size()) == text) << count;
  }
}

// Code by code. Nothing if a code has no symbol, or no second byte.
std::optional<std::string> decode_one_by_one(const SymbolTable& table, const std::vector<std::uint8_t>& codes) {
  std::string text;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::size_t index = codes[i];
    if (index >= table.short_codes()) {
      const std::size_t page = index - table.short_codes();
      if (++i == codes.size()) return {};
      index = table.short_codes() + page * kPage + codes[i];
      if (page == table.pages()) {
        text += static_cast<char>(codes[i]);
        continue;
      }
    }
    if (index >= table.symbols.size()) return {};
    const Symbol& symbol = table.symbols[index];
    for (std::size_t k = 0; k < symbol.size; ++k)
      text += static_cast<char>((k < 8 ? symbol.low : symbol.high) >> 8 * (k % 8));
  }
  return text;
}

// Bytes that could begin codes of two bytes, in runs of any length, wherever decoding divides them.
TEST(SymbolTable, AnyCodes) {
  std::size_t sound = 0;
  std::size_t damaged = 0;
  for (const std::size_t count : {10u, 255u, 510u, 3000u, 8160u}) {  // all pages are full, but for one
    SymbolTable table;
    for (std::size_t i = 0; i < count; ++i)
      table.symbols.emplace_back(Padded(std::to_string(i) + "abcdefghijklmno").data(), 1 + i % kMaxSymbolSize);
    Rng rng(count);
    for (int i = 0; i < 2000; ++i) {
      std::vector<std::uint8_t> codes(rng() % 200);
      const auto most_short = std::min<std::uint64_t>(table.short_codes(), count);
      for (std::uint8_t& code : codes)
        code =
            static_cast<std::uint8_t>(rng() % 3 == 0 ? 255 - rng() % (256 - table.short_codes()) : rng() % most_short);
      const std::optional<std::string> expected = decode_one_by_one(table, codes);
      const std::size_t size = expected ? expected->size() : rng() % 100;
      ASSERT_EQ(decode(table, codes, size), expected.value_or("damaged")) << count;
      ++(expected ? sound : damaged);
    }
  }
  EXPECT_GT(sound, 4000u);
  EXPECT_GT(damaged, 1000u);
}

TEST(SymbolTable, DamagedCodes) {
  SymbolTable table;
  table.symbols.emplace_back(Padded("ab").data(), 2);
  const auto decodes = [&](std::vector<std::uint8_t> codes, std::size_t size) {
    std::vector<std::uint8_t> text(size + kSymbolSlack);
    return decode_symbols(table, codes, size, text.data());
  };
  EXPECT_TRUE(decodes({0, 255, 'x', 0}, 5));
  EXPECT_FALSE(decodes({0, 255, 'x', 0}, 4));  // too long a text
  EXPECT_FALSE(decodes({0, 255, 'x', 0}, 6));  // too short
  EXPECT_FALSE(decodes({0, 255}, 2));          // an escape at the end
  EXPECT_FALSE(decodes({0, 255}, 3));
  EXPECT_FALSE(decodes({1}, 0));  // codes without a symbol
  EXPECT_FALSE(decodes({1}, 1));
  EXPECT_FALSE(decodes({254, 0}, 2));
  std::vector<std::uint8_t> many(1000, 0);
  EXPECT_TRUE(decodes(many, 2000));
  EXPECT_FALSE(decodes(many, 1999));
  EXPECT_FALSE(decodes(many, 100));
  many[500] = 254;
  EXPECT_FALSE(decodes(many, 1998));
  while (table.symbols.size() < 256) table.symbols.emplace_back(Padded("xyz").data(), 3);
  EXPECT_TRUE(decodes({0, 254, 1, 253}, 8));
  EXPECT_FALSE(decodes({0, 254, 2, 253}, 8));  // a page has no such symbol
  EXPECT_FALSE(decodes({0, 253, 254}, 5));     // a page at the end
}

TEST(SymbolTable, DamagedTables) {
  const auto reads = [](std::vector<std::uint8_t> bytes) {
    SymbolTable table;
    ByteReader in(bytes.data(), bytes.size());
    return read_symbols(in, &table);
  };
  EXPECT_TRUE(reads({0}));
  EXPECT_TRUE(reads({2, 0x01, 'a', 'b', 0x22, 'c'}));
  EXPECT_FALSE(reads({}));
  EXPECT_FALSE(reads({2, 0x01, 'a', 'b'}));             // one is missing
  EXPECT_FALSE(reads({2, 0x01, 'a', 'b', 0x22}));       // its rest is
  EXPECT_FALSE(reads({2, 0x01, 'a', 'b', 0x33, 'c'}));  // more in common than there was
  EXPECT_FALSE(reads({2, 0x01, 'a', 'b', 0x20}));       // more in common than it is long
  EXPECT_FALSE(reads({1, 0x11, 'a'}));                  // in common with nothing
  EXPECT_FALSE(reads({0x81, 0x40, 0x00, 'a'}));         // 2^13 + 1 symbols
}

struct Column {
  ByteBuffer bytes;
  std::size_t n;

  std::span<const std::uint8_t> view() const { return {bytes.data(), bytes.size()}; }
};

// The bytes of all strings.
bool read_joined(std::span<const std::uint8_t> column, StringArena* arena) {
  OpenedColumn opened;
  return open_column({column.data(), column.size()}, kUnknownRows, 0, &opened) && opened.codec == &kSymbolStringCodec &&
         opened.codec->read_text(opened, arena);
}

Column sentences(std::size_t n) {
  std::unique_ptr<IntScratch> ints = std::make_unique<IntScratch>();
  StringMemory memory(*ints);
  StringContext context(memory);
  for (const testing::Distribution& d : testing::kDistributions) {
    if (std::string(d.name) != "sentences") continue;
    const testing::Strings strings = make(d, n);
    const testing::Source source(strings);
    Column column{{}, n};
    encode_strings(source.source, context, column.bytes);
    return column;
  }
  return {};
}

TEST(SymbolStrings, TakeLessThanHalf) {
  const Column column = sentences(8000);
  EXPECT_EQ(static_cast<CodecId>(column.view()[0]), CodecId::kSymbolStrings);
  StringArena arena;
  ASSERT_TRUE(read_joined(column.view(), &arena));
  EXPECT_LT(column.view().size() * 4, arena.size());
}

TEST(SymbolStrings, JoinedStringsAreThoseOfTheColumn) {
  const Column column = sentences(500);
  StringArena joined;
  StringArena arena;
  std::vector<std::string_view> strings(column.n);
  ByteReader in(column.bytes.data(), column.bytes.size());
  ASSERT_TRUE(read_joined(column.view(), &joined));
  ASSERT_TRUE(decode_strings(in, column.n, {}, &arena, strings.data()) && in.at_end());
  std::string all;
  for (const std::string_view s : strings) all += s;
  EXPECT_EQ(all, std::string(joined.bytes().begin(), joined.bytes().end()));
  EXPECT_FALSE(read_joined({}, &joined));
}

// A writer keeps the symbols of a column for the next one of the same argument, whatever that holds.
TEST(SymbolStrings, ColumnsThatChange) {
  std::unique_ptr<IntScratch> ints = std::make_unique<IntScratch>();
  StringMemory memory(*ints);
  StringContext context(memory);
  Rng rng(1);
  for (int block = 0; block < 200; ++block) {
    const auto& distribution = testing::kDistributions[rng() % std::size(testing::kDistributions)];
    const std::size_t n = 1 + rng() % 3000;
    const testing::Strings strings = make(distribution, n);
    const testing::Source source(strings);
    context.column = 1 + rng() % 4;
    ByteBuffer out;
    encode_strings(source.source, context, out);
    StringArena arena;
    std::vector<std::string_view> decoded(n);
    ByteReader in(out.data(), out.size());
    ASSERT_TRUE(decode_strings(in, n, {}, &arena, decoded.data()) && in.at_end()) << distribution.name;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(decoded[i].data() == nullptr, !strings[i].has_value());
      ASSERT_TRUE(decoded[i] == strings[i].value_or("")) << distribution.name;
    }
  }
}

// Claimed sizes are compared with the bytes that there are before memory is taken.
TEST(SymbolStrings, ThatClaimTooMuchTakeNoMemory) {
  ByteBuffer column;
  column.put(static_cast<std::uint8_t>(CodecId::kSymbolStrings));
  column.put_varint(std::uint64_t{1} << 28);
  for (const int byte : {1, 0, int{'a'}, 1, 0, 1, 2}) column.put(static_cast<std::uint8_t>(byte));
  StringArena arena;
  EXPECT_FALSE(read_joined({column.data(), column.size()}, &arena));
  EXPECT_EQ(arena.capacity(), 0u);
}

}  // namespace
}  // namespace steno::format
