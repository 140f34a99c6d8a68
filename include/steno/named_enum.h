// Enumerations in log statements by their names, instead of their numbers.
//
//   enum class Side : char { kBuy, kSell };
//   STENO_NAMED_ENUM(Side, kBuy, kSell)            // outside of any namespace; the name with its own: market::Side
//
//   STENO_INFO("{side} {qty}", Side::kBuy, 5);     // kBuy 5
//
// 1 to 32 names, each of a value of its own; compilers warn (-Wswitch) where one is missing. A value that has none is
// its number. Logged as text: a column of strings. Costs the copy of the name; allocates nothing.
#pragma once

#include <type_traits>

#include "steno/detail/c_macros.h"
#include "steno/detail/short_text.h"
#include "steno/loggable.h"

namespace steno::detail {

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

#define STENO_NAMED_ENUM(...)                                              \
  template <>                                                              \
  struct steno::Loggable<STENO_DETAIL_FORMAT(__VA_ARGS__)> {               \
    using Enum = STENO_DETAIL_FORMAT(__VA_ARGS__);                         \
    static ::steno::detail::EnumText capture(Enum value) {                 \
      switch (value) { STENO_DETAIL_EACH(STENO_DETAIL_ENUM, __VA_ARGS__) } \
      return ::steno::detail::text_of_number(value);                       \
    }                                                                      \
  };
#define STENO_DETAIL_ENUM(n, name) \
  case Enum::name:                 \
    return ::steno::detail::text_of_enum(#name);
