#include "lines/message_tile.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/copy_steps.h"
#include "base/padded_digits.h"
#include "base/small_decimals.h"
#include "lines/byte_tests.h"

namespace steno::lines {
namespace {

using Value = MessageStep::Value;

// A step of all messages: the literal, then put(p, i), which writes value i at p and returns the end.
template <class Put>
[[gnu::always_inline]] inline void each(const MessageStep& step, MessageTile& tile, Put put) {
  static_assert(sizeof(Bytes) == MessageStep::kLiteral);
  Bytes literal;
  std::memcpy(&literal, step.literal, sizeof literal);
  const std::size_t literal_size = step.literal_size;
  const std::uint32_t* const index = step.of_shape ? tile.values : tile.rows;
  char** const ends = tile.ends;
  const std::size_t size = tile.size;
  for (std::size_t k = 0; k < size; ++k) {
    char* const p = ends[k];
    std::memcpy(p, &literal, sizeof literal);
    ends[k] = put(p + literal_size, index[k]);
  }
}

// Columns are read where each thread's records are: more streams than processors see. Tells the memory what the next
// messages will ask for; nothing is read beyond the column's end.
template <class T>
[[gnu::always_inline]] inline void fetch_ahead(const T* values, std::size_t i) {
  constexpr std::size_t kAhead = 256;  // bytes
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(values + i) + kAhead));
}

template <class Put>
[[gnu::always_inline]] inline void each_number(const MessageStep& step, MessageTile& tile, Put put) {
  const auto* const numbers = static_cast<const std::uint64_t*>(step.values);
  each(step, tile, [=](char* p, std::size_t i) {
    fetch_ahead(numbers, i);
    return put(p, numbers[i]);
  });
}

template <Value value>
[[gnu::always_inline]] inline void each_plain_number(const MessageStep& step, MessageTile& tile) {
  const unsigned shift = step.shift;
  const int precision = step.precision;
  const ArgType type = step.type;
  each_number(step, tile,
              [=](char* p, std::uint64_t bits) { return put_number(value, shift, precision, type, bits, p); });
}

template <class Put>
[[gnu::always_inline]] inline void each_string(const MessageStep& step, MessageTile& tile, Put put) {
  const auto* const strings = static_cast<const std::string_view*>(step.values);
  each(step, tile, [=](char* p, std::size_t i) {
    fetch_ahead(strings, i);
    return put(p, strings[i]);
  });
}

template <class Put>
[[gnu::always_inline]] inline void each_coded(const MessageStep& step, MessageTile& tile, Put put) {
  const auto* const codes = static_cast<const std::uint64_t*>(step.values);
  const std::string_view* const table = step.table;
  each(step, tile, [=](char* p, std::size_t i) {
    fetch_ahead(codes, i);
    return put(p, table[codes[i]]);
  });
}

// Messages with a number that is too large are left out.
void each_fixed(const MessageStep& step, MessageTile& tile) {
  const int precision = step.precision;
  const ArgType type = step.type;
  std::uint64_t bit = 1;
  std::uint64_t left_out = 0;
  each_number(step, tile, [&](char* p, std::uint64_t bits) {
    char* const end = put_number(Value::kFixed, 0, precision, type, bits, p);
    if (end == nullptr) left_out |= bit;
    bit <<= 1;
    return end != nullptr ? end : p;
  });
  tile.left_out |= left_out;
}

// In `width` digits at least, eight at most.
[[gnu::always_inline]] inline char* put_eight(std::uint64_t digits, std::uint64_t width, char* p) {
  store(p, digits >> 8 * (8 - width));
  return p + width;
}

template <char ten>
void each_hex(const MessageStep& step, MessageTile& tile) {
  const std::uint64_t width = step.width;
  const unsigned shift = step.shift;
  each_number(step, tile, [=](char* p, std::uint64_t number) {
    return put_eight(eight_hex_digits(static_cast<std::uint32_t>(number >> shift), ten), width, p);
  });
}

void each_padded_number(const MessageStep& step, MessageTile& tile) {
  const std::size_t width = step.width;
  const char ten = step.ten;
  each_number(step, tile, [=](char* p, std::uint64_t number) {
    return ten == 0 ? put_padded_decimal(number, width, p) : put_padded_hex(number, width, ten, p);
  });
}

void print_step(const MessageStep& step, MessageTile& tile) {
  const std::uint64_t width = step.width;
  switch (step.value) {
    case Value::kNone:
    case Value::kEnd:
      return each(step, tile, [](char* p, std::size_t) { return p; });
    case Value::kSmall:
      return each_plain_number<Value::kSmall>(step, tile);
    case Value::kShort:
      return each_number(step, tile, [](char* p, std::uint64_t number) {
        const auto n = static_cast<std::uint32_t>(number);
        return put_eight(eight_digits(n), count_digits(n), p);
      });
    case Value::kUnsigned:
      return each_plain_number<Value::kUnsigned>(step, tile);
    case Value::kSigned:
      return each_plain_number<Value::kSigned>(step, tile);
    case Value::kFixed:
      return each_fixed(step, tile);
    case Value::kShortest:
      return each_plain_number<Value::kShortest>(step, tile);
    case Value::kBool:
      return each_plain_number<Value::kBool>(step, tile);
    case Value::kPadded:
      return each_number(step, tile, [=](char* p, std::uint64_t number) {
        return put_eight(eight_digits(static_cast<std::uint32_t>(number)), width, p);
      });
    case Value::kPaddedShort:
      return each_number(step, tile, [=](char* p, std::uint64_t number) {
        const auto n = static_cast<std::uint32_t>(number);
        return put_eight(eight_digits(n), std::max(count_digits(n), width), p);
      });
    case Value::kPaddedHex:
      return step.ten == 'a' ? each_hex<'a'>(step, tile) : each_hex<'A'>(step, tile);
    case Value::kPaddedNumber:
      return each_padded_number(step, tile);
    case Value::kString16:
      return each_string(step, tile, [](char* p, std::string_view s) { return put_short_string<16>(p, s); });
    case Value::kString32:
      return each_string(step, tile, [](char* p, std::string_view s) { return put_short_string<32>(p, s); });
    case Value::kString64:
      return each_string(step, tile, [](char* p, std::string_view s) { return put_short_string<64>(p, s); });
    case Value::kString:
      return each_string(step, tile, [](char* p, std::string_view s) { return put_long_string(p, s); });
    case Value::kCoded16:
      return each_coded(step, tile, [](char* p, std::string_view s) { return put_short_string<16>(p, s); });
    case Value::kCoded32:
      return each_coded(step, tile, [](char* p, std::string_view s) { return put_short_string<32>(p, s); });
    case Value::kCoded64:
      return each_coded(step, tile, [](char* p, std::string_view s) { return put_short_string<64>(p, s); });
    case Value::kCoded:
      return each_coded(step, tile, [](char* p, std::string_view s) { return put_long_string(p, s); });
    case Value::kTested:
    case Value::kTestedCoded:
      break;
  }
  assert(false);
}

}  // namespace

void MessageTile::print(std::span<const MessageStep> steps) {
  for (const MessageStep& step : steps) print_step(step, *this);
}

}  // namespace steno::lines
