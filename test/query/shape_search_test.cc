// Searching columns of shaped strings: what it says of rows agrees with their strings.
#include "query/shape_search.h"

#include <gtest/gtest.h>

#include <random>

#include "format/codecs/string_codec.h"

namespace steno::query {
namespace {

using Rng = std::mt19937_64;

std::string padded(std::uint64_t v, std::size_t width) {
  const std::string digits = std::to_string(v);
  return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

std::string hex(Rng& rng, std::size_t digits, const char* alphabet) {
  std::string s;
  while (s.size() < digits) s += alphabet[rng() % 16];
  return s;
}

// Strings of one to three shapes, some of none.
std::vector<std::string> random_strings(Rng& rng, std::size_t n) {
  const unsigned kinds = 1 + static_cast<unsigned>(rng() % 3);
  const unsigned first = static_cast<unsigned>(rng() % 6);
  const std::uint64_t range = std::uint64_t{1} << (rng() % 63);
  const auto number = [&] { return rng() % range; };
  const auto one = [&]() -> std::string {
    if (rng() % 20 == 0) return rng() % 2 == 0 ? "" : "odd" + std::to_string(rng() % 100);
    switch ((first + rng() % kinds) % 6) {
      case 0:
        return "user:" + padded(number(), 7);
      case 1:
        return "/v" + std::to_string(number() % 3) + "/item/" + std::to_string(number()) + "/part/" +
               padded(number() % 90, 2);
      case 2:
        return hex(rng, 8, "0123456789abcdef") + "-" + hex(rng, 4, "0123456789abcdef");
      case 3:
        return "id=" + hex(rng, 24, "0123456789ABCDEF");
      case 4:
        return std::to_string(number() % 256) + "." + std::to_string(number() % 256);
      default:
        return "GET /" + std::string(rng() % 2 == 0 ? "cart" : "order") + std::to_string(rng() % 7) +
               "x?n=" + std::to_string(number());
    }
  };
  std::vector<std::string> strings;
  while (strings.size() < n) strings.push_back(one());
  return strings;
}

std::vector<std::uint8_t> encode(const std::vector<std::string>& strings) {
  static format::IntScratch ints;
  static format::StringScratch scratch;
  scratch.ints = &ints;
  std::string bytes(16, '\0');
  for (const std::string& s : strings) bytes += s;
  std::vector<format::StringRef> refs;
  const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data()) + 16;
  for (const std::string& s : strings) {
    refs.push_back({p, static_cast<std::uint32_t>(s.size())});
    p += s.size();
  }
  format::StringSource source;
  source.count = refs.size();
  source.array = refs.data();
  ByteBuffer out;
  format::encode_strings(source, scratch, out);
  return {out.data(), out.data() + out.size()};
}

// A piece of one of the strings, sometimes with what follows or precedes it in a message, sometimes changed.
std::string random_needle(Rng& rng, const std::vector<std::string>& strings) {
  const std::string text = "get " + strings[rng() % strings.size()] + ": hit";
  const std::size_t begin = rng() % text.size();
  std::string needle = text.substr(begin, 1 + rng() % std::min<std::size_t>(text.size() - begin, 20));
  if (rng() % 4 == 0) needle[rng() % needle.size()] = "0123456789abcdef/:"[rng() % 18];
  return needle;
}

// As the shape of a message "get {}: hit" has it.
NeedleSites::Column column_of(const Needle& needle) {
  NeedleSites::Column column;
  column.before = needle.unfound(needle.run(0, "get "));
  for (std::uint64_t bit = 1; bit != 0; bit <<= 1) {
    if (!needle.accepts(bit) && needle.accepts(needle.continue_over(bit, ": hit"))) column.after |= bit;
  }
  return column;
}

TEST(ShapeSearch, AgreesWithTheStrings) {
  std::size_t shaped = 0;
  std::size_t told = 0;
  std::size_t unknown = 0;
  std::size_t wrong_part = 0;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    Rng rng(seed);
    const std::vector<std::string> strings = random_strings(rng, 40 + rng() % 300);
    const std::vector<std::uint8_t> bytes = encode(strings);
    for (int round = 0; round < 60; ++round) {
      const Needle needle(random_needle(rng, strings), rng() % 8 == 0);
      const NeedleSites::Column column = column_of(needle);
      std::vector<Share> rows;
      if (!find_shaped_rows(needle, column, bytes, strings.size(), &rows)) continue;
      ++shaped;
      bool any = false;
      for (std::size_t i = 0; i < strings.size(); ++i) {
        const bool part = may_contribute(needle, column, strings[i]);
        any |= part;
        ASSERT_FALSE(part && rows[i] == Share::kNone) << strings[i] << " has '" << needle.text() << "', seed " << seed;
        wrong_part += !part && rows[i] == Share::kPart;
        unknown += rows[i] == Share::kUnknown;
        told += rows[i] != Share::kUnknown;
      }
      ASSERT_TRUE(!any || shapes_may_contribute(needle, column, bytes)) << needle.text() << " seed " << seed;
    }
  }
  EXPECT_GT(shaped, 5000u);
  EXPECT_EQ(wrong_part, 0u);     // what numbers tell is exact
  EXPECT_GT(told, 3 * unknown);  // and they tell it of most
}

TEST(ShapeSearch, DamagedColumnsGiveNothingOrSomething) {
  Rng rng(3);
  std::vector<std::string> strings;
  for (int i = 0; i < 300; ++i) strings.push_back("user:" + padded(rng() % 100'000, 7));
  const std::vector<std::uint8_t> sound = encode(strings);
  const Needle needle("user:00", false);
  const NeedleSites::Column column = column_of(needle);
  std::vector<Share> rows;
  ASSERT_TRUE(find_shaped_rows(needle, column, sound, strings.size(), &rows));
  for (std::size_t size = 0; size < sound.size(); ++size) {
    EXPECT_FALSE(find_shaped_rows(needle, column, std::span(sound).first(size), strings.size(), &rows));
  }
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> bytes = sound;
    bytes[rng() % std::min<std::size_t>(bytes.size(), 80)] = static_cast<std::uint8_t>(rng());
    (void)find_shaped_rows(needle, column, bytes, strings.size(), &rows);
    (void)shapes_may_contribute(needle, column, bytes);
  }
}

}  // namespace
}  // namespace steno::query
