// UTF-16 and UTF-32 to UTF-8.
#include <gtest/gtest.h>

#include "cases.h"
#include "text/utf8.h"

namespace steno::text {
namespace {

std::string converted(const void* units, std::size_t bytes, unsigned unit_size) {
  ByteBuffer out;
  append_utf8({static_cast<const char*>(units), bytes}, unit_size, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}
std::string utf16(std::u16string_view text) {
  return converted(text.data(), 2 * text.size(), 2);
}
std::string utf32(std::u32string_view text) {
  return converted(text.data(), 4 * text.size(), 4);
}

TEST(Utf8, EveryScalarValue) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::uint8_t bytes[kMaxUtf8Size];
    const std::size_t n = encode_utf8(c, bytes);
    // Read back by the definition.
    static const std::uint32_t kLeads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    static const std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    std::uint32_t back = bytes[0] - kLeads[n];
    for (std::size_t i = 1; i < n; ++i) {
      ASSERT_EQ(bytes[i] & 0xC0, 0x80);
      back = back << 6 | (bytes[i] & 0x3F);
    }
    ASSERT_EQ(back, c);
    ASSERT_TRUE(n == 1 || c >= kLeast[n]);
  }
}

TEST(Utf8, WhatIsNoScalarValueIsReplaced) {
  EXPECT_EQ(utf32(std::u32string{U'a', 0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF, U'b'}), "a\uFFFD\uFFFD\uFFFD\uFFFDb");
}

TEST(Utf8, Utf16) {
  EXPECT_EQ(utf16(u""), "");
  EXPECT_EQ(utf16(u"aé你🎉"), "aé你🎉");
  EXPECT_EQ(utf16(std::u16string{0xD83C}), "\uFFFD");                // half a pair at the end
  EXPECT_EQ(utf16(std::u16string{0xD83C, u'x'}), "\uFFFDx");         // or in front of something else
  EXPECT_EQ(utf16(std::u16string{0xDF89, 0xD83C}), "\uFFFD\uFFFD");  // the wrong way round
  EXPECT_EQ(utf16(std::u16string{0xD83C, 0xD83C, 0xDF89}), "\uFFFD🎉");
}

TEST(Utf8, PartialUnitsAreIgnored) {
  const char bytes[] = {'a', 0, 0, 0, 'b', 0, 0};
  EXPECT_EQ(converted(bytes, 7, 4), "a");
  EXPECT_EQ(converted(bytes, 1, 2), "");
  EXPECT_EQ(converted(bytes, 3, 2), "a");
}

TEST(Utf8, UnalignedUnits) {
  const char bytes[] = {'?', 'a', 0, 0, 0, '\x89', '\xF3', 1, 0};
  EXPECT_EQ(converted(bytes + 1, 8, 4), "a🎉");
}

TEST(Utf8, BytesAreCopied) {
  EXPECT_EQ(converted("a\xFF\xC3", 3, 1), "a\xFF\xC3");
}

}  // namespace
}  // namespace steno::text
