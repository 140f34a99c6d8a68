// From C++ values to the wire form of arguments (types.md): which letter a type has, and what is stored.
//
// wire() turns an argument into a Scalar (a value to store) or a Bytes (a string to copy); it runs before the record is
// opened.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "steno/detail/arg_type.h"
#include "steno/detail/config.h"
#include "steno/loggable.h"

namespace steno::detail {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

template <class T>
struct Scalar {
  T value;
};

// The type that a value is stored as. Integers of one size have one, so that code is compiled once for all of them;
// their letters say which they are.
template <std::size_t kSize>
struct StoredInteger;
template <>
struct StoredInteger<1> {
  using Type = std::uint8_t;
};
template <>
struct StoredInteger<2> {
  using Type = std::uint16_t;
};
template <>
struct StoredInteger<4> {
  using Type = std::uint32_t;
};
template <>
struct StoredInteger<8> {
  using Type = std::uint64_t;
};
template <class T, bool kIsInteger = std::is_integral_v<T> && sizeof(T) <= 8>
struct StoredAs {
  using Type = T;
};
template <class T>
struct StoredAs<T, true> : StoredInteger<sizeof(T)> {};
template <class T>
using Stored = typename StoredAs<T>::Type;

// A string to copy: `size` bytes, or kNullBytes for a null pointer (whose low half is the wire's mark for it).
struct Bytes {
  const void* data;
  std::size_t size;
};
inline constexpr std::size_t kNullBytes = ~std::size_t{0};
static_assert(static_cast<std::uint32_t>(kNullBytes) == kNullString);

// A terminated string that is still to be measured: that is done in code that statements share.
struct Terminated {
  const char* data;
};

template <class T>
struct Typed {
  using Type = T;
};

inline constexpr std::size_t kUnbounded = ~std::size_t{0};

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

// How a statement passes an argument on: scalars by value. So a constant that has no definition, as a static const
// member may, is no reference to it, and a packed member can be an argument. All others by reference.
template <class T>
using Parameter = std::conditional_t<std::is_scalar_v<T>, std::remove_cv_t<T>, const T&>;
// True: functions that deduce the type of one argument take it by value (arrays would be pointers then).
template <class T>
inline constexpr bool kIsValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class C>
constexpr char string_letter() {
  if (std::is_same_v<C, char16_t>) return 'U';
  if (std::is_same_v<C, wchar_t> || std::is_same_v<C, char32_t>) return 'W';
  return 'S';
}

template <class C>
inline constexpr bool kIsCharacter =
    std::is_same_v<C, char> || std::is_same_v<C, signed char> || std::is_same_v<C, unsigned char> ||
#if defined(__cpp_char8_t)
    std::is_same_v<C, char8_t> ||
#endif
    std::is_same_v<C, wchar_t> || std::is_same_v<C, char16_t> || std::is_same_v<C, char32_t>;

// Arrays of signed and unsigned char (int8_t, uint8_t) are bytes: in brace statements a list of numbers, of which zero
// is one. Arrays of the other character types are text, up to a NUL.
template <class T>
inline constexpr bool kIsByteArray = false;
template <std::size_t N>
inline constexpr bool kIsByteArray<signed char[N]> = true;
template <std::size_t N>
inline constexpr bool kIsByteArray<unsigned char[N]> = true;

template <class T>
constexpr char integer_letter() {
  constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(0);
  switch (sizeof(T)) {
    case 1:
      return kSigned ? 'a' : 'h';
    case 2:
      return kSigned ? 's' : 't';
    case 4:
      return kSigned ? 'i' : 'j';
    case 8:
      return kSigned ? 'l' : 'm';
    default:
      return kSigned ? 'n' : 'o';
  }
}

// Units before the first NUL, at most `bound`. Never reads past `bound`.
template <class C>
inline std::size_t string_units(const C* s, std::size_t bound) {
  if constexpr (sizeof(C) == 1) {
    const auto* p = reinterpret_cast<const char*>(s);
    if (bound == kUnbounded) return __builtin_strlen(p);
    const void* end = std::memchr(p, 0, bound);
    return end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - p) : bound;
  } else {
    std::size_t n = 0;
    while (n < bound && s[n] != C{}) ++n;
    return n;
  }
}

template <class C>
inline Bytes c_string(const C* s, std::size_t bound) {
  if (STENO_UNLIKELY(s == nullptr)) return {nullptr, kNullBytes};
  return {s, string_units(s, bound) * sizeof(C)};
}

template <class T, class = void>
struct IsString : std::false_type {};
// std::string, std::string_view and their like, without including them.
template <class T>
struct IsString<T, std::void_t<typename T::traits_type::char_type, decltype(std::declval<const T&>().data()),
                               decltype(std::declval<const T&>().size())>> : std::true_type {};

template <class T, class = void>
struct IsLoggable : std::false_type {};
template <class T>
struct IsLoggable<T, std::void_t<decltype(Loggable<T>::capture(std::declval<const T&>()))>> : std::true_type {};

template <class T, class = void>
struct HasMeaning : std::false_type {};
template <class T>
struct HasMeaning<T, std::void_t<decltype(Loggable<T>::meaning())>> : std::true_type {};
template <class T, class = void>
struct HasText : std::false_type {};
template <class T>
struct HasText<T, std::void_t<decltype(Loggable<T>::text(std::declval<const T&>()))>> : std::true_type {};

// Not __builtin_strlen: GCC does not evaluate that of an array with NULs after the text.
constexpr std::size_t length_of(const char* text) {
  std::size_t n = 0;
  while (text[n] != '\0') ++n;
  return n;
}

// The meaning of a type's numbers (types.md); empty: they are numbers.
template <class T>
constexpr const char* meaning_of() {
  if constexpr (kIsByteArray<T>) {
    return std::is_signed_v<std::remove_extent_t<T>> ? "[a" : "[h";
  } else if constexpr (HasMeaning<T>::value) {
    return Loggable<T>::meaning();
  } else if constexpr (IsLoggable<T>::value) {
    return meaning_of<Bare<decltype(Loggable<T>::capture(std::declval<const T&>()))>>();
  } else {
    return "";
  }
}

// Returns whether readers show values of a type only when asked (secret.h).
template <class T>
constexpr bool is_secret() {
  return *meaning_of<T>() == '!';
}

// The letter of a C++ type; '?' if it has none. In printf statements %p turns a C string's 'S' into 'p' later.
template <class T>
constexpr char letter_of() {
  if constexpr (IsLoggable<T>::value) {
    return letter_of<Bare<decltype(Loggable<T>::capture(std::declval<const T&>()))>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return 'b';
  } else if constexpr (std::is_same_v<T, char>) {
    return 'c';
  } else if constexpr (std::is_same_v<T, wchar_t> || std::is_same_v<T, char32_t>) {
    return 'w';
  } else if constexpr (std::is_same_v<T, char16_t>) {
    return 'u';
  } else if constexpr (std::is_same_v<T, float>) {
    return 'f';
  } else if constexpr (std::is_same_v<T, double>) {
    return 'd';
  } else if constexpr (std::is_same_v<T, long double>) {
    return sizeof(long double) == 8 ? 'd' : __LDBL_MANT_DIG__ == 64 ? 'e' : 'g';
  } else if constexpr (std::is_same_v<T, Int128> || std::is_same_v<T, Uint128>) {
    return integer_letter<T>();
  } else if constexpr (std::is_enum_v<T>) {
    return letter_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_integral_v<T>) {
    return integer_letter<T>();
  } else if constexpr (std::is_array_v<T>) {
    using Element = Bare<std::remove_extent_t<T>>;
    return kIsCharacter<Element> ? string_letter<Element>() : '?';
  } else if constexpr (std::is_null_pointer_v<T>) {
    return 'p';
  } else if constexpr (std::is_pointer_v<T>) {
    using Target = Bare<std::remove_pointer_t<T>>;
    return kIsCharacter<Target> ? string_letter<Target>() : 'p';
  } else if constexpr (IsString<T>::value) {
    using Unit = typename T::traits_type::char_type;
    return kIsCharacter<Unit> ? string_letter<Unit>() : '?';
  } else {
    return '?';
  }
}

// Returns whether a type is a pointer that brace formats refuse: {fmt} takes no pointers but void's, and neither do we.
template <class T>
constexpr bool is_typed_pointer() {
  if constexpr (std::is_pointer_v<T>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    return !std::is_void_v<Target> && !kIsCharacter<Target>;
  } else {
    return false;
  }
}

// Arguments that wire() does not take as they are: those of user types, whose captured value must live until the record
// is written, and volatile ones.
template <class T>
constexpr bool needs_capture() {
  return IsLoggable<Bare<T>>::value || std::is_volatile_v<T>;
}
template <class T>
STENO_ALWAYS_INLINE decltype(auto) captured(const T& v) {
  if constexpr (IsLoggable<Bare<T>>::value) {
    using Value = Bare<decltype(Loggable<Bare<T>>::capture(v))>;
    if constexpr (needs_capture<Value>()) {
      return Bare<decltype(captured(Loggable<Bare<T>>::capture(v)))>(captured(Loggable<Bare<T>>::capture(v)));
    } else {
      return Value(Loggable<Bare<T>>::capture(v));
    }
  } else if constexpr (std::is_volatile_v<T>) {
    return Bare<T>(v);
  } else {
    return (v);
  }
}

// The argument where no meaning goes with it: as text, if it has that.
template <class T>
STENO_ALWAYS_INLINE decltype(auto) captured_as_text(const T& v) {
  if constexpr (kIsByteArray<Bare<T>>) {
    return reinterpret_cast<const char(&)[std::extent_v<T>]>(v);  // as %s prints it
  } else if constexpr (HasText<Bare<T>>::value) {
    return Bare<decltype(Loggable<Bare<T>>::text(v))>(Loggable<Bare<T>>::text(v));
  } else if constexpr (IsLoggable<Bare<T>>::value) {
    return Bare<decltype(captured_as_text(Loggable<Bare<T>>::capture(v)))>(
        captured_as_text(Loggable<Bare<T>>::capture(v)));
  } else {
    return captured(v);
  }
}
template <class T>
constexpr auto text_type() {
  if constexpr (IsLoggable<T>::value || kIsByteArray<T>) {
    return Typed<Bare<decltype(captured_as_text(std::declval<const T&>()))>>();
  } else {
    return Typed<T>();
  }
}
// The type that captured_as_text() makes of a T.
template <class T>
using TextType = typename decltype(text_type<T>())::Type;

// The argument as it goes into the record. kAs is the letter the format settled on; `bound` the most units a string may
// have (printf's precision), if kBounded.
template <char kAs, bool kBounded, class T>
STENO_ALWAYS_INLINE auto wire(const T& v, [[maybe_unused]] std::size_t bound = kUnbounded) {
  if constexpr (kAs == 'p') {
    if constexpr (std::is_null_pointer_v<T>) {
      return Scalar<std::uint64_t>{0};
    } else if constexpr (IsString<T>::value) {
      return Scalar<std::uint64_t>{reinterpret_cast<std::uintptr_t>(v.data())};
    } else if constexpr (std::is_array_v<T>) {
      return Scalar<std::uint64_t>{reinterpret_cast<std::uintptr_t>(&v[0])};
    } else {
      return Scalar<std::uint64_t>{reinterpret_cast<std::uintptr_t>(v)};
    }
  } else if constexpr (kIsByteArray<T>) {
    return Bytes{&v[0], sizeof v};
  } else if constexpr (std::is_array_v<T>) {
    return c_string(&v[0], bound < std::extent_v<T> ? bound : std::extent_v<T>);
  } else if constexpr (std::is_pointer_v<T>) {
    if constexpr (!kBounded && sizeof(*v) == 1) {
      return Terminated{reinterpret_cast<const char*>(v)};
    } else {
      return c_string(v, bound);
    }
  } else if constexpr (IsString<T>::value) {
    return Bytes{v.data(), (v.size() < bound ? v.size() : bound) * sizeof(*v.data())};
  } else if constexpr (std::is_enum_v<T>) {
    using Number = Stored<std::underlying_type_t<T>>;
    return Scalar<Number>{static_cast<Number>(v)};
  } else {
    return Scalar<Stored<T>>{static_cast<Stored<T>>(v)};
  }
}

template <class T>
constexpr Scalar<T> measured(Scalar<T> s) {
  return s;
}
constexpr Bytes measured(Bytes b) {
  return b;
}
STENO_EXPORT Bytes measured(Terminated t) noexcept;

// How many bytes of payload an argument adds.
template <class T>
constexpr std::size_t payload_size(const Scalar<T>&) {
  return 0;
}
STENO_ALWAYS_INLINE std::size_t payload_size(const Bytes& b) {
  return b.size == kNullBytes ? 0 : b.size;
}

// Bytes in the fixed part.
template <class W>
constexpr std::size_t wire_size() {
  if constexpr (std::is_same_v<W, Bytes> || std::is_same_v<W, Terminated>) {
    return 4;
  } else {
    return sizeof(W::value);
  }
}

STENO_ALWAYS_INLINE std::int32_t errno_now() {
  return errno;
}

// Copies a string's bytes, if any, and returns where they end. Short ones without another call: the C library's memcpy
// costs more than the rest of a record.
STENO_EXPORT char* copy_payload(char* to, Bytes bytes) noexcept;

template <class T>
STENO_ALWAYS_INLINE void store_fixed(char*& p, const Scalar<T>& s) {
  if constexpr (sizeof(T) == 16 && std::is_floating_point_v<T>) {
    char image[16] = {};
    __builtin_memcpy(image, &s.value, __LDBL_MANT_DIG__ == 64 ? 10 : 16);  // x87: six bytes are no value
    __builtin_memcpy(p, image, 16);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    // The volatile store keeps GCC from packing several numbers into a vector first, which takes longer.
    typedef T __attribute__((may_alias, aligned(1))) Anywhere;
    *reinterpret_cast<volatile Anywhere*>(p) = s.value;
  } else {
    __builtin_memcpy(p, &s.value, sizeof(T));
  }
  p += sizeof(T);
}
STENO_ALWAYS_INLINE void store_fixed(char*& p, const Bytes& b) {
  const auto slot = static_cast<std::uint32_t>(b.size);
  __builtin_memcpy(p, &slot, 4);
  p += 4;
}

template <class T>
STENO_ALWAYS_INLINE void store_payload(char*&, const Scalar<T>&) {}
STENO_ALWAYS_INLINE void store_payload(char*& p, const Bytes& b) {
  p = copy_payload(p, b);
}

// An argument of any type, for code that is not compiled per type: a number's bytes, or a string.
struct Wire {
  union {
    char number[16];
    Bytes string;
  };

  template <class T>
  explicit Wire(const Scalar<T>& s) : number{} {
    char* p = number;
    store_fixed(p, s);
  }
  explicit Wire(const Bytes& b) : string(b) {}
};

}  // namespace steno::detail
