// Columns of strings for tests: what they hold, and how it lies in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../random_cases.h"
#include "base/padded_digits.h"
#include "format/column_values.h"
#include "format/strings/codec.h"

namespace steno::format::testing {

using Rng = std::mt19937_64;
using Strings = std::vector<std::optional<std::string>>;

inline const auto kMany = static_cast<std::size_t>(test::random_cases(40000));
inline const std::size_t kSizes[] = {1, 2, 3, 20, 63, 64, 65, 255, 256, 257, 1000, kMany};

inline std::string text(Rng& rng, std::size_t least, std::size_t most) {
  std::string s(least + rng() % (most - least + 1), '\0');
  for (char& c : s) c = static_cast<char>('a' + rng() % 26);
  return s;
}

struct Distribution {
  const char* name;
  std::function<std::optional<std::string>(std::size_t i, Rng& rng)> value;
};

// A line as programs write them: one of some statements, with numbers, times, names and paths.
inline std::string line(Rng& rng) {
  static constexpr const char* kStatements[] = {
      "connection from %a accepted, %n open",  "session %h opened for user %w by (uid=%n)",
      "GET %p took %n ms (%n bytes)",          "cannot read %p: no such file",
      "checkpoint complete: wrote %n buffers", "%w: state %w -> %w",
      "key=%h value=\"%w\" [%n/%n]",           "%n"};
  std::string s = "2026-11-26 12:" + std::to_string(10 + rng() % 50) + ":" + std::to_string(10 + rng() % 50) + " host" +
                  std::to_string(rng() % 3) + " daemon[" + std::to_string(rng() % 4000) + "]: ";
  const char* statement = kStatements[rng() % 16 * (rng() % 16) % std::size(kStatements)];
  for (const char* p = statement; *p != '\0'; ++p) {
    if (*p != '%') {
      s += *p;
      continue;
    }
    switch (*++p) {
      case 'n':
        s += std::to_string(rng() >> (40 + rng() % 24));
        break;
      case 'h':
        for (int k = 0; k < 8; ++k) s += "0123456789abcdef"[rng() % 16];
        break;
      case 'a':
        s += "10.0." + std::to_string(rng() % 4) + "." + std::to_string(rng() % 256) + ":" +
             std::to_string(rng() % 60000);
        break;
      case 'p':
        for (std::size_t k = 1 + rng() % 4; k > 0; --k) s += "/" + text(rng, 3, 9);
        break;
      default:
        s += rng() % 5 == 0 ? text(rng, 3, 9) : std::string("started").substr(rng() % 3);
    }
  }
  return s;
}

inline const Distribution kDistributions[] = {
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
    {"padded_keys",
     [](std::size_t, Rng& rng) {
       const std::string digits = std::to_string(rng() % 1'000'000);
       return std::string(16 - digits.size(), '0') + digits;
     }},
    {"hex_ids",  // of both cases, longer and shorter than a number
     [](std::size_t i, Rng& rng) {
       std::string s = i % 3 == 0 ? "trace=" : "span=";
       const std::size_t digits = i % 3 == 0 ? 40 : 12;
       for (std::size_t k = 0; k < digits; ++k) s += "0123456789abcdef"[rng() % 16];
       return i % 3 == 2 ? "SPAN=" + s.substr(5) : s;
     }},
    {"paths",
     [](std::size_t, Rng& rng) {
       std::string s = "/api/v2/" + text(rng, 3, 9);
       for (std::size_t k = rng() % 4; k > 0; --k) s += "/" + std::to_string(rng() % 5000);
       return s;
     }},
    {"times",
     [](std::size_t i, Rng& rng) {
       const auto two = [](std::size_t v) { return (v < 10 ? "0" : "") + std::to_string(v); };
       return "2026-11-" + two(1 + i % 30) + "T" + two(rng() % 24) + ":" + two(rng() % 60) + "." +
              std::to_string(rng());
     }},
    {"almost_shaped",  // what begins like the others and goes on otherwise
     [](std::size_t, Rng& rng) {
       static constexpr const char* kEnds[] = {"", "x", "0", "00", "18446744073709551615", "99999999999999999999", ":"};
       const std::string key = "k:" + std::to_string(rng() % 100'000);
       if (rng() % 5 != 0) return std::optional(key);
       if (rng() % 9 == 0) return rng() % 2 == 0 ? std::nullopt : std::optional<std::string>("");
       return std::optional(key.substr(0, rng() % (key.size() + 1)) + kEnds[rng() % std::size(kEnds)]);
     }},
    {"addresses",
     [](std::size_t, Rng& rng) {
       char s[40];
       std::snprintf(s, sizeof s, "10.%u.%u.%u:%u at 0x%llx", unsigned(rng() % 4), unsigned(rng() % 256),
                     unsigned(rng() % 256), unsigned(rng() % 65536),
                     static_cast<unsigned long long>(rng() >> (rng() % 64)));
       return std::string(s);
     }},
    {"seldom_long",  // of one shape; strings that are taken apart together are shorter
     [](std::size_t, Rng& rng) {
       return "/v1/" + text(rng, 1, rng() % 40 == 0 ? 90 : 8) + "?id=" + std::to_string(rng() % 100'000);
     }},
    {"sentences",
     [](std::size_t, Rng& rng) {
       static constexpr const char* kWords[] = {"connection", "refused", "by", "the", "other", "side", "after", "try"};
       std::string s;
       for (std::size_t k = 3 + rng() % 30; k > 0; --k) s += std::string(kWords[rng() % 8]) + " ,;:-/"[rng() % 6];
       return s + std::to_string(rng() % 1000);
     }},
    {"tokens",
     [](std::size_t, Rng& rng) {
       std::string s(40, '\0');
       for (char& c : s) {
         c = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[rng() % 64];
       }
       return s;
     }},
    {"any_bytes",
     [](std::size_t, Rng& rng) {
       std::string s(rng() % 20, '\0');
       for (char& c : s) c = static_cast<char>(rng());
       return s;
     }},
    {"lines", [](std::size_t, Rng& rng) { return line(rng); }},
    {"lines_and_others",
     [](std::size_t, Rng& rng) {
       if (rng() % 50 == 0) return rng() % 2 == 0 ? std::nullopt : std::optional<std::string>("");
       if (rng() % 400 == 0) return std::optional(line(rng) + text(rng, 5000, 6000));
       if (rng() % 20 == 0) return std::optional(text(rng, 0, 80));
       std::string s = line(rng);
       if (rng() % 20 == 0) s[rng() % s.size()] = static_cast<char>(rng());
       return std::optional(s);
     }},
    {"same_ends", [](std::size_t, Rng& rng) { return "0123456789abcdef" + text(rng, 1, 2) + "0123456789abcdef"; }},
};

// Keeps the strings' bytes apart, each in memory of its own size, after as many bytes as a record has before it at
// least.
struct Source {
  explicit Source(const Strings& strings) {
    for (const auto& s : strings) {
      std::vector<std::uint8_t>& record = bytes.emplace_back(kBefore, std::uint8_t{0xA5});
      if (s) record.insert(record.end(), s->begin(), s->end());
      refs.push_back({record.data() + kBefore, s ? static_cast<std::uint32_t>(s->size()) : kNullString});
    }
    source = StringSource::of(refs);
  }

  static constexpr std::size_t kBefore = 16;
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<StringRef> refs;
  StringSource source;
};

inline Strings make(const Distribution& distribution, std::size_t n) {
  Rng rng(n);
  Strings strings;
  for (std::size_t i = 0; i < n; ++i) strings.push_back(distribution.value(i, rng));
  return strings;
}

inline std::optional<std::string> copy_of(std::string_view s) {
  return s.data() == nullptr ? std::nullopt : std::optional(std::string(s));
}

inline Strings copies(const std::vector<std::string_view>& views) {
  Strings out;
  for (const std::string_view view : views) out.push_back(copy_of(view));
  return out;
}

// Checks that the facts hold for all strings, and that each string has the slack that is promised.
inline void expect_true(const StringFacts& facts, const std::vector<std::string_view>& strings) {
  unsigned read = 0;
  for (const std::string_view s : strings) {
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(s.data()), s.size());
    const auto any = [&bytes](auto test) { return std::any_of(bytes.begin(), bytes.end(), test); };
    EXPECT_TRUE(facts.has_null || s.data() != nullptr);
    EXPECT_LE(s.size(), facts.longest);
    EXPECT_TRUE(facts.has_control || !any([](std::uint8_t c) { return (c < 0x20 && c != 9) || c == 0x7F; }));
    EXPECT_TRUE(facts.has_c1 || !any([](std::uint8_t c) { return c == 0xC2; }));
    EXPECT_TRUE(facts.has_high || !any([](std::uint8_t c) { return c >= 0x80; }));
    if (!facts.has_slack || s.data() == nullptr) continue;
    for (std::size_t i = 0; i < StringArena::kSlack; ++i) read += static_cast<std::uint8_t>(s.data()[s.size() + i]);
  }
  volatile unsigned keep = read;  // under sanitizers, a read that is not allowed
  (void)keep;
}

// The strings of a column that was decoded, however it leaves them.
inline Strings unpack(ColumnValues& values) {
  Strings strings;
  if (values.form == StringForm::kViews) {
    strings = copies({values.strings.begin(), values.strings.end()});
    expect_true(values.facts, {values.strings.begin(), values.strings.end()});
  } else if (values.form == StringForm::kCodes) {
    std::vector<std::string_view> views;
    for (const std::uint64_t code : values.ints) views.push_back(values.table[code]);
    expect_true(values.facts, views);
    strings = copies(views);
  } else {
    ShapedStrings& shaped = values.shaped;
    for (const std::uint32_t place : shaped.places()) {
      const std::size_t value = place >> ShapedStrings::kShapeBits;
      const std::size_t shape = place % (1u << ShapedStrings::kShapeBits);
      if (shape == 0) {
        strings.push_back(copy_of(shaped.others()[value]));
        expect_true(shaped.facts_of_others(), {shaped.others()[value]});
        continue;
      }
      std::string& s = strings.emplace_back("").value();
      for (const ShapedPart& part : shaped.parts_of(shape)) {
        char number[kPaddedRoom];
        if (part.piece->is_number()) {
          EXPECT_LE(part.numbers[value], part.greatest);
          s.append(number, print_number(*part.piece, part.numbers[value], number));
        } else if (part.piece->kind == PieceKind::kText) {
          expect_true(part.arena.facts(), {part.texts[value]});
          s += part.texts[value];
        } else {
          s += part.piece->text;
        }
      }
    }
  }
  return strings;
}

// Reads a column, n strings, in all ways; true: all have read the same. All say whether it is damaged.
inline bool decode_in_all_ways(std::span<const std::uint8_t> column, std::size_t n, const StringPlace& place,
                               Strings* out) {
  ByteReader in(column.data(), column.size());
  StringArena arena;
  std::vector<std::string_view> views(n);
  const bool good = decode_strings(in, n, place, &arena, views.data()) && in.at_end();
  if (good) {
    expect_true(arena.facts(), views);
    *out = copies(views);
  }
  for (const auto packed : {PackedStrings::kNone, PackedStrings::kOneShape, PackedStrings::kAny}) {
    Arena memory;
    ColumnValues values;
    if (packed == PackedStrings::kAny) values.place_in(&memory);
    ByteReader again(column.data(), column.size());
    const bool good_again = decode_string_values(again, n, place, packed, &values) && again.at_end();
    EXPECT_EQ(good_again, good);
    if (!good || !good_again) continue;
    EXPECT_TRUE(unpack(values) == *out);
  }
  return good;
}

// Columns of one argument, one after the other.
class Columns {
 public:
  Columns() { context_.column = 1; }
  // Encodes and decodes; the column.
  std::vector<std::uint8_t> pass(const Strings& strings) {
    ByteBuffer out;
    const Source source(strings);
    encode_strings(source.source, context_, out);
    const std::vector<std::uint8_t> column(out.data(), out.data() + out.size());
    Strings decoded;
    EXPECT_TRUE(decode_in_all_ways(column, strings.size(), {}, &decoded));
    EXPECT_TRUE(decoded == strings);
    return column;
  }
  StringContext& context() { return context_; }

 private:
  std::unique_ptr<IntScratch> ints_ = std::make_unique<IntScratch>();
  StringMemory memory_{*ints_};
  StringContext context_{memory_};
};

inline std::size_t bytes_of(const Strings& strings) {
  std::size_t bytes = 0;
  for (const auto& s : strings) bytes += s.value_or("").size();
  return bytes;
}

inline CodecId codec_of(const std::vector<std::uint8_t>& column) {
  return static_cast<CodecId>(column[0]);
}

// Damages a column of n strings so often, each other time within its first `head` bytes, and cuts it now and then.
// Returns how often that is told.
inline int damage_told(const std::vector<std::uint8_t>& column, std::size_t n, std::size_t head, int cases, Rng& rng) {
  int told = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<std::uint8_t> damaged = column;
    for (std::size_t k = 1 + rng() % 3; k > 0; --k) {
      damaged[rng() % std::min<std::size_t>(damaged.size(), i % 2 == 0 ? head : SIZE_MAX)] =
          static_cast<std::uint8_t>(rng());
    }
    if (rng() % 4 == 0) damaged.resize(rng() % damaged.size());
    Strings decoded;
    told += decode_in_all_ways(damaged, n, {}, &decoded) ? 0 : 1;
  }
  return told;
}

// Damage is told in more than a quarter of the cases, and so is another number of strings.
inline void expect_damage_told(const std::vector<std::uint8_t>& column, std::size_t n, std::size_t head, int cases,
                               Rng& rng) {
  EXPECT_GT(damage_told(column, n, head, cases, rng), cases / 4);
  Strings decoded;
  EXPECT_FALSE(decode_in_all_ways(column, n / 2, {}, &decoded));
}

// Makes a string another one: null, empty, with one byte that may be any, or what change(s, k) makes of it, k <
// changes.
template <class Change>
void disturb(std::optional<std::string>* s, Rng& rng, std::size_t changes, const Change& change) {
  const std::size_t kind = rng() % (3 + changes);
  if (kind == 0) {
    s->reset();
  } else if (kind == 1) {
    s->emplace();
  } else if (kind == 2) {
    (**s)[rng() % (*s)->size()] = static_cast<char>(rng());
  } else {
    change(**s, kind - 3);
  }
}

// A part of a column that begins with its size.
inline void put_part(const std::vector<std::uint8_t>& bytes, ByteBuffer* out) {
  out->put_varint(bytes.size());
  out->put_bytes(bytes.data(), bytes.size());
}

inline std::vector<std::uint8_t> constant_number(std::uint64_t value) {
  ByteBuffer column;
  column.put(static_cast<std::uint8_t>(CodecId::kConstant));
  column.put_varint(value);
  return {column.data(), column.data() + column.size()};
}

inline std::vector<std::uint8_t> constant_string(const std::string& value) {
  ByteBuffer column;
  encode_constant_string(
      {reinterpret_cast<const std::uint8_t*>(value.data()), static_cast<std::uint32_t>(value.size())}, column);
  return {column.data(), column.data() + column.size()};
}

}  // namespace steno::format::testing
