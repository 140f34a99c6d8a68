// Columns of strings (file.md §9.3).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "format/block.h"
#include "format/strings/codec.h"
#include "format/strings/shapes/read.h"
#include "format/strings/sized_part.h"
#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

struct Encoder {
  explicit Encoder(int zstd_level) { context.zstd_level = zstd_level; }
  ByteBuffer encode(const Strings& strings) {
    ByteBuffer out;
    const Source source(strings);
    encode_strings(source.source, context, out);
    return out;
  }

  std::unique_ptr<IntScratch> ints = std::make_unique<IntScratch>();
  StringMemory memory{*ints};
  StringContext context{memory};
};

bool decode(const ByteBuffer& column, std::size_t size, std::size_t n, Strings* out) {
  const std::vector<std::uint8_t> exact(column.data(), column.data() + size);
  return decode_in_all_ways(exact, n, {}, out);
}

TEST(StringColumn, RoundTrip) {
  for (const int level : {kNoZstd, kZstdWhereItPays, 1}) {
    Encoder encoder(level);
    encoder.context.column = 1;
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

TEST(StringArena, FactsOfBytes) {
  std::mt19937 random(7);
  const std::string_view odd("\0\t\n\x1f\x7f\x80\xc2\xff", 8);
  for (int i = 0; i < 2'000; ++i) {
    std::string text(random() % 70, 'x');
    for (std::size_t n = random() % 3; n != 0 && !text.empty(); --n) text[random() % text.size()] = odd[random() % 8];
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const StringFacts facts = StringFacts::of({bytes, text.size()}, true);
    EXPECT_TRUE(facts.has_slack);
    EXPECT_EQ(facts.has_control, text.find_first_of(std::string_view("\0\n\x1f\x7f", 4)) != std::string::npos);
    EXPECT_EQ(facts.has_c1, text.find('\xc2') != std::string::npos);
    EXPECT_EQ(facts.has_high, text.find_first_of("\x80\xc2\xff") != std::string::npos);
  }
  EXPECT_FALSE(StringFacts::of({}, true).has_control);
}

TEST(StringColumn, ExamplesOfTheSpecification) {  // file.md §9.7
  const ByteBuffer out = Encoder(0).encode({"a", std::nullopt, "a"});
  const std::uint8_t expected[] = {0x10, 0x02, 0x02, 0x00, 0x22, 0x61, 0x61};
  ASSERT_EQ(out.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(out.data(), expected, sizeof expected), 0);

  const std::uint8_t shaped[] = {0x14, 0x01, 0x02, 0x00, 0x02, 0x6b, 0x3a, 0x01, 0x03,
                                 0x02, 0x01, 0x01, 0x04, 0x02, 0x03, 0x0e, 0x28, 0x00};
  ByteBuffer column;
  column.put_bytes(shaped, sizeof shaped);
  Strings decoded;
  ASSERT_TRUE(decode(column, column.size(), 2, &decoded));
  EXPECT_EQ(decoded, (Strings{"k:007", "k:012"}));

  const std::uint8_t symbols[] = {0x16, 0x08, 0x02, 0x01, 0x61, 0x62, 0x22, 0x63,
                                  0x05, 0x00, 0x00, 0x01, 0xff, 0x78, 0x01, 0x05};
  column.clear();
  column.put_bytes(symbols, sizeof symbols);
  ASSERT_TRUE(decode(column, column.size(), 2, &decoded));
  EXPECT_EQ(decoded, (Strings{"abab", "abcx"}));

  const std::uint8_t letters[] = {0x17, 6, 2, 0x61, 0x62, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                                  0,    0, 0, 0,    1,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 6, 2};
  column.clear();
  column.put_bytes(letters, sizeof letters);
  ASSERT_TRUE(decode(column, column.size(), 2, &decoded));
  EXPECT_EQ(decoded, (Strings{"abba", "ab"}));

  const std::uint8_t templates[] = {0x19, 1, 1, 6, 2, 1, 1, 2, 1,    0, 7, 0x10, 1, 3,    0x61, 0x20, 0x20,
                                    0x62, 2, 1, 2, 2, 1, 1, 8, 0x10, 2, 1, 4,    2, 0x31, 0x32, 0x32, 0};
  column.clear();
  column.put_bytes(templates, sizeof templates);
  ASSERT_TRUE(decode(column, column.size(), 2, &decoded));
  EXPECT_EQ(decoded, (Strings{"a 1 b", "a 22 b"}));

  const std::uint8_t words[] = {0x1a, 7, 2, 7, 0x10, 1,    3, 0x6e, 0x6f, 0x2c, 0x20, 4,    2,    1,    6,
                                2,    5, 2, 2, 0,    0x91, 1, 1,    6,    0x11, 5,    0x66, 0x69, 0x6c, 0x65};
  column.clear();
  column.put_bytes(words, sizeof words);
  ASSERT_TRUE(decode(column, column.size(), 2, &decoded));
  EXPECT_EQ(decoded, (Strings{"no file", "no, no"}));
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
  EXPECT_EQ(codec_of("padded_keys", 1000), CodecId::kShapedStrings);
  EXPECT_EQ(codec_of("hex_ids", 1000), CodecId::kShapedStrings);
  EXPECT_EQ(codec_of("any_bytes", 1000), CodecId::kStrings);
  EXPECT_EQ(codec_of("sentences", 1000), CodecId::kSymbolStrings);
  EXPECT_EQ(codec_of("varying", 1000), CodecId::kLetterStrings);
  EXPECT_EQ(codec_of("tokens", 1000), CodecId::kLetterStrings);
}

// Bytes a string, in a column of 8,000.
double bytes_each(const char* name) {
  constexpr std::size_t kStrings = 8000;
  for (const Distribution& d : kDistributions) {
    if (std::string(d.name) == name) return double(Encoder(0).encode(make(d, kStrings)).size()) / kStrings;
  }
  return 0;
}

TEST(StringColumn, ShapesCostAboutWhatTheirNumbersDo) {
  EXPECT_LT(bytes_each("padded_keys"), 2.6);  // 20 bits
  EXPECT_LT(bytes_each("hex_ids"), 11.4);     // a third of 160 bits, two thirds of 48, and which of three
  EXPECT_LT(bytes_each("growing"), 0.1);      // differences of 1
  EXPECT_LT(bytes_each("addresses"), 12.9);   // the mini-blocks of such hexadecimal numbers are 64 bits wide
}

// Limits are charged with the size of the arena for strings that are read.
TEST(StringColumn, ShapesTakeNoMoreThanTheirStrings) {
  Strings strings;
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(i * 2654435761u % 1'000'003);
    strings.push_back(i % 7 == 0 ? "port " + number + " of " + std::to_string(i) : "user:" + number);
    bytes += strings.back()->size();
  }
  const ByteBuffer out = Encoder(0).encode(strings);
  ASSERT_EQ(out.data()[0], static_cast<std::uint8_t>(CodecId::kShapedStrings));
  ByteReader in(out.data(), out.size());
  StringArena arena;
  std::vector<std::string_view> views(strings.size());
  ASSERT_TRUE(decode_strings(in, strings.size(), {}, &arena, views.data()));
  EXPECT_EQ(arena.size(), bytes);
  for (std::size_t i = 0; i < views.size(); ++i) ASSERT_EQ(views[i], *strings[i]);
}

TEST(StringColumn, LettersCostTheirBits) {
  EXPECT_LT(bytes_each("varying"), 32.5 * 5 / 8 + 0.9);  // 26 letters, and a length of six bits
  EXPECT_LT(bytes_each("tokens"), 40 * 6 / 8.0 + 0.2);   // 64
}

// Bytes, letters and places that contradict each other.
TEST(StringColumn, LettersThatAreDamagedAreRefused) {
  const auto read = [](std::uint64_t bytes, const std::string& letters, std::uint8_t places) {
    ByteBuffer column;
    column.put(static_cast<std::uint8_t>(CodecId::kLetterStrings));
    column.put_varint(bytes);
    column.put(static_cast<std::uint8_t>(letters.size()));
    column.put_bytes(letters.data(), letters.size());
    for (int i = 0; i < 32; ++i) column.put(i == 0 ? places : std::uint8_t{0});
    column.put(static_cast<std::uint8_t>(CodecId::kConstant));
    column.put_varint(2);  // one string of one byte
    Strings decoded;
    return decode(column, column.size(), 1, &decoded);
  };
  EXPECT_TRUE(read(1, "abc", 2));
  EXPECT_FALSE(read(1, "abc", 3));
  EXPECT_FALSE(read(2, "abc", 2));
  EXPECT_FALSE(read(1, "a", 0));
  EXPECT_FALSE(read(1, std::string(65, 'a'), 0));
  EXPECT_FALSE(read(std::uint64_t{1} << 28, "abc", 0));
  EXPECT_FALSE(read(UINT64_MAX, "abc", 0));
}

// A column of shaped strings by hand: one shape, which all strings have, and its columns, all of the same bytes.
ByteBuffer shaped_column(const std::function<void(ByteBuffer&)>& put_pieces, std::size_t columns,
                         const std::vector<std::uint8_t>& bytes) {
  ByteBuffer column;
  column.put(static_cast<std::uint8_t>(CodecId::kShapedStrings));
  column.put_varint(1);
  put_pieces(column);
  column.put_varint(2);
  column.put(static_cast<std::uint8_t>(CodecId::kConstant));
  column.put_varint(1);
  for (std::size_t i = 0; i < columns; ++i) {
    column.put_varint(bytes.size());
    column.put_bytes(bytes.data(), bytes.size());
  }
  column.put_varint(0);
  return column;
}

TEST(StringColumn, ShapesThatClaimTooMuchTakeNoMemory) {
  // 2^22 strings of one shape: a long constant, or many numbers or texts that are all the same.
  const auto pieces = [](std::uint8_t kind) {
    return [kind](ByteBuffer& out) {
      out.put_varint(64);
      for (int i = 0; i < 64; ++i) {
        out.put(kind);
        if (kind != 4) out.put(std::uint8_t{1});
      }
    };
  };
  const auto long_constant = [](ByteBuffer& out) {
    out.put_varint(1);
    out.put(std::uint8_t{0});
    out.put_string(std::string(1000, 'x'));
  };
  const ByteBuffer columns[] = {shaped_column(pieces(1), 64, {1, 7}), shaped_column(pieces(4), 64, {17, 1}),
                                shaped_column(long_constant, 0, {})};
  for (const ByteBuffer& column : columns) {
    Strings decoded;
    EXPECT_FALSE(decode(column, column.size(), 1u << 22, &decoded));
    EXPECT_TRUE(decode(column, column.size(), 1000, &decoded));
  }
}

// zstd makes next to nothing of what is all the same: texts that are too much together are not all unpacked.
TEST(StringColumn, ShapesOfTextsThatAreTooMuchStopEarly) {
  constexpr std::size_t kTexts = 8;
  const std::string text(std::size_t{40} << 20, 'a');
  const Source source({text, text});
  Encoder encoder(1);
  ByteBuffer part;
  part.put(static_cast<std::uint8_t>(kZstdStringCodec.id));
  if (kZstdStringCodec.encode == nullptr) GTEST_SKIP() << "built without zstd";
  ASSERT_TRUE(kZstdStringCodec.encode(source.source, encoder.context, part));
  Shape shape;
  shape.pieces.resize(kTexts);
  for (Piece& piece : shape.pieces) piece.kind = PieceKind::kText;
  ByteBuffer column;
  column.put_varint(1);
  put_shape(shape, column);
  const std::uint32_t first_shape[] = {1, 1};
  append_sized_ints(IntSource::array(first_shape, 2, kTypeU32), IntHint::kAny, *encoder.ints, column);
  for (std::size_t k = 0; k < kTexts; ++k) {
    column.put_varint(part.size());
    column.put_bytes(part.data(), part.size());
  }
  column.put_varint(0);  // no others
  EXPECT_LT(column.size(), std::size_t{1} << 20);
  ShapedStrings strings;
  ByteReader in(column.data(), column.size());
  EXPECT_FALSE(strings.decode(in, 2, {}));
  EXPECT_LT(strings.bytes_held(), kMaxPayload + 3 * text.size());
}

TEST(StringColumn, ShapesAndDictionariesHoldNoneOfTheirOwn) {
  const auto text = [](ByteBuffer& out) {
    out.put_varint(1);
    out.put(std::uint8_t{4});
  };
  const auto bytes_of = [](const ByteBuffer& b) { return std::vector<std::uint8_t>(b.data(), b.data() + b.size()); };
  const std::vector<std::uint8_t> constant = {17, 2, 'a'};
  const std::vector<std::uint8_t> shaped = bytes_of(shaped_column(text, 1, constant));
  std::vector<std::uint8_t> dictionary = {18, 1};
  dictionary.insert(dictionary.end(), shaped.begin(), shaped.end());
  dictionary.insert(dictionary.end(), {1, 0});
  Strings decoded;
  for (const auto& within : {shaped, dictionary}) {
    const ByteBuffer column = shaped_column(text, 1, within);
    EXPECT_FALSE(decode(column, column.size(), 20, &decoded));
  }
  ByteBuffer column;
  column.put_bytes(dictionary.data(), dictionary.size());
  EXPECT_TRUE(decode(column, column.size(), 20, &decoded));
}

TEST(StringColumn, ZstdWhereItGains) {
  if (find_string_codec(static_cast<std::uint8_t>(CodecId::kZstdStrings)) == nullptr)
    GTEST_SKIP() << "built without zstd";
  // Returns a sentence of words only, with anything between them.
  const auto sentence = [](Rng& rng) {
    static constexpr const char* kWords[] = {"connection", "refused", "by", "the", "other", "side", "after", "attempt"};
    std::string s;
    for (std::size_t k = 3 + rng() % 9; k > 0; --k) s += std::string(kWords[rng() % 8]) + " ,;:-/"[rng() % 6];
    return s;
  };
  Encoder encoder(3);
  Rng rng(1);
  Strings strings;
  std::size_t bytes = 0;
  for (int i = 0; i < 5000; ++i) bytes += strings.emplace_back(sentence(rng))->size();
  const ByteBuffer out = encoder.encode(strings);
  EXPECT_EQ(static_cast<CodecId>(out.data()[0]), CodecId::kZstdStrings);
  EXPECT_LT(out.size(), bytes / 4);
}

// Lines of many statements as one column: too many shapes, and what repeats is far apart and long.
Strings whole_lines(Rng& rng, std::size_t n) {
  Rng same(7);
  std::vector<std::string> texts(300);
  for (std::string& text : texts) {
    for (int i = 0; i < 90; ++i) text += static_cast<char>('a' + same() % 26);
  }
  Strings strings;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& text = texts[rng() % texts.size()];
    const std::size_t middle = rng() % 80;
    strings.push_back(text.substr(0, middle) + std::to_string(rng() % 1000) + text.substr(middle));
  }
  return strings;
}

TEST(StringColumn, ZstdWhereItTakesAThirdOff) {
  if (find_string_codec(static_cast<std::uint8_t>(CodecId::kZstdStrings)) == nullptr)
    GTEST_SKIP() << "built without zstd";
  Rng rng(3);
  Encoder without(kNoZstd);
  Encoder encoder(kZstdWhereItPays);
  without.context.column = encoder.context.column = 5;
  for (int block = 0; block < 70; ++block) {  // some of them compare
    const Strings lines = whole_lines(rng, 2000);
    const ByteBuffer out = encoder.encode(lines);
    ASSERT_EQ(static_cast<CodecId>(out.data()[0]), CodecId::kZstdStrings) << block;
    Strings decoded;
    ASSERT_TRUE(decode(out, out.size(), lines.size(), &decoded));
    ASSERT_TRUE(decoded == lines);
    if (block != 0) continue;
    const ByteBuffer other = without.encode(lines);
    EXPECT_NE(static_cast<CodecId>(other.data()[0]), CodecId::kZstdStrings);
    EXPECT_LE(2 * out.size(), other.size());
  }
  // Random letters: nobody makes them much smaller. The column's lines are of another kind now.
  for (int block = 0; block < 70; ++block) {
    Strings words;
    for (int i = 0; i < 500; ++i) {
      std::string& word = words.emplace_back(std::string()).value();
      for (std::size_t k = 8 + rng() % 40; k > 0; --k) word += static_cast<char>('a' + rng() % 26);
    }
    const ByteBuffer out = encoder.encode(words);
    if (block < 32) continue;  // until the next comparison
    EXPECT_NE(static_cast<CodecId>(out.data()[0]), CodecId::kZstdStrings) << block;
  }
  // A column that belongs to no log, by its key, is not tried.
  Encoder unknown(kZstdWhereItPays);
  EXPECT_NE(static_cast<CodecId>(unknown.encode(whole_lines(rng, 2000)).data()[0]), CodecId::kZstdStrings);
}

TEST(StringColumn, DamageIsAnErrorOrOtherValues) {
  for (const int level : {0, 1}) {
    Encoder encoder(level);
    for (const Distribution& distribution : kDistributions) {
      for (const std::size_t n : {1, 20, 70}) {
        ByteBuffer out = encoder.encode(make(distribution, n));
        Strings decoded;
        const std::size_t cuts = std::min<std::size_t>(out.size(), 500);
        const std::size_t apart = std::max<std::size_t>(1, cuts / static_cast<std::size_t>(test::sampled(250)));
        for (std::size_t size = 0; size < cuts; size += apart) EXPECT_FALSE(decode(out, size, n, &decoded));
        const std::size_t step = 1 + out.size() / static_cast<std::size_t>(test::sampled(120));
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

// file.md §9.3 to §9.6.5 state these rules for codecs whose columns hold other columns.
TEST(StringColumn, LieWithinOthersAsTheFormatSays) {
  const std::map<unsigned, std::set<unsigned>> refused = {
      {18, {18, 25, 28, 29}},     {20, {20, 25, 28, 29}}, {24, {24}},         {25, {24, 25, 28, 29}},
      {26, {24, 25, 26, 28, 29}}, {28, {24, 25, 28, 29}}, {29, {24, 28, 29}}, {30, {24, 25, 28, 29, 30}},
  };
  const auto opens = [](unsigned codec, unsigned within) {
    const auto byte = static_cast<std::uint8_t>(codec);
    ByteReader in(&byte, 1);
    return open_string_codec(in, within) != nullptr;
  };
  for (unsigned codec = 16; codec <= 30; ++codec) {
    const bool known = find_string_codec(static_cast<std::uint8_t>(codec)) != nullptr;
    EXPECT_EQ(known, codec != 21 && codec != 27 && (codec != 19 || kZstdStringCodec.decode != nullptr)) << codec;
    EXPECT_EQ(opens(codec, 0), known);
    for (const auto& [outer, of_outer] : refused) {
      for (const auto& [inner, of_inner] : refused) {
        const unsigned within = within_bit(CodecId(outer)) | within_bit(CodecId(inner));
        EXPECT_EQ(opens(codec, within), known && of_outer.count(codec) == 0 && of_inner.count(codec) == 0)
            << codec << " within " << inner << " within " << outer;
      }
    }
  }
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
