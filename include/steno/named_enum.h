// Logs enumerations by their names instead of their numbers.
//
//   enum class Side : char { kBuy, kSell };
//   STENO_NAMED_ENUM(Side, kBuy, kSell)            // outside of any namespace; the name with its own: market::Side
//
//   STENO_INFO("{side} {qty}", Side::kBuy, 5);     // kBuy 5
//
// 1 to 32 names with distinct values; compilers warn (-Wswitch) if one is missing. A value without a name prints as its
// number. It is logged as a number, and the log's dictionary has the names (spec/types.md): `--where 'side == "kBuy"'`
// works, and `{:d}` prints the number. Costs a store. In printf statements (%s) and contexts it is logged as its name,
// a text.
#pragma once

#include <cstddef>
#include <type_traits>

#include "steno/detail/c_macros.h"
#include "steno/detail/capture.h"
#include "steno/detail/short_text.h"
#include "steno/loggable.h"

namespace steno::detail {

// The type that an enum is logged as: one whose values readers know as numbers.
template <class Enum, class Number = std::underlying_type_t<Enum>>
using EnumNumber = std::conditional_t<std::is_same_v<Number, bool> || std::is_same_v<Number, char> ||
                                          std::is_same_v<Number, wchar_t> || std::is_same_v<Number, char16_t> ||
                                          std::is_same_v<Number, char32_t>,
                                      long long, Number>;

template <class Enum>
struct EnumName {
  const char* name;
  Enum value;
};

// "=0 kBuy,1 kSell", from Names::kNames.
template <class Names>
struct EnumMeaning {
  static constexpr std::size_t kMostDigits = 20;
  static constexpr std::size_t size() {
    std::size_t size = 1;
    for (const auto& one : Names::kNames) size += length_of(one.name) + kMostDigits + 2;
    return size;
  }
  struct Text {
    char of[size()];
  };
  static constexpr Text make() {
    Text text{};
    char* p = text.of;
    for (const auto& one : Names::kNames) {
      *p = p == text.of ? '=' : ',';
      p = put(static_cast<EnumNumber<std::remove_cv_t<decltype(one.value)>>>(one.value), p + 1);
      *p++ = ' ';
      for (const char* c = one.name; *c != '\0'; ++c) *p++ = *c;
    }
    return text;
  }
  template <class Number>
  static constexpr char* put(Number number, char* p) {
    auto magnitude = static_cast<unsigned long long>(number);
    if (number < 0) {
      *p++ = '-';
      magnitude = 0 - magnitude;
    }
    unsigned long long unit = 1;
    while (magnitude / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) *p++ = static_cast<char>('0' + magnitude / unit % 10);
    return p;
  }
  static constexpr Text kText = make();
};

using EnumText = ShortText<128>;

inline EnumText text_of_enum(const char* name) {
  EnumText text;
  text.append(name);
  return text;
}
template <class Enum>
EnumText text_of_number(Enum value) {
  EnumText text;
  using Number = std::underlying_type_t<Enum>;
  if constexpr (std::is_signed_v<Number>) {
    text.append_signed(static_cast<long long>(value));
  } else {
    text.append(static_cast<unsigned long long>(value));
  }
  return text;
}

}  // namespace steno::detail

#define STENO_NAMED_ENUM(...)                                                                                   \
  template <>                                                                                                   \
  struct steno::Loggable<STENO_DETAIL_FORMAT(__VA_ARGS__)> {                                                    \
    using Enum = STENO_DETAIL_FORMAT(__VA_ARGS__);                                                              \
    static constexpr ::steno::detail::EnumName<Enum> kNames[] = {                                               \
        STENO_DETAIL_EACH(STENO_DETAIL_ENUM_NAME, __VA_ARGS__)};                                                \
    static constexpr auto capture(Enum value) { return static_cast<::steno::detail::EnumNumber<Enum>>(value); } \
    static constexpr const char* meaning() { return ::steno::detail::EnumMeaning<Loggable>::kText.of; }         \
    static ::steno::detail::EnumText text(Enum value) {                                                         \
      switch (capture(value)) {                                                                                 \
        STENO_DETAIL_EACH(STENO_DETAIL_ENUM, __VA_ARGS__)                                                       \
        default:                                                                                                \
          break;                                                                                                \
      }                                                                                                         \
      return ::steno::detail::text_of_number(value);                                                            \
    }                                                                                                           \
  };
#define STENO_DETAIL_ENUM_NAME(n, name) {#name, Enum::name},
#define STENO_DETAIL_ENUM(n, name) \
  case capture(Enum::name):        \
    return ::steno::detail::text_of_enum(#name);
