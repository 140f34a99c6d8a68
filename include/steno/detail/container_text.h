// Lists of numbers and the texts of other containers, as <steno/containers.h> logs them.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "steno/detail/capture.h"
#include "steno/detail/report.h"
#include "steno/loggable.h"

namespace steno::detail {

// A list of numbers, as statements take strings.
class ListBytes {
 public:
  struct traits_type {
    using char_type = char;
  };
  ListBytes(const void* data, std::size_t size)
      : data_(data != nullptr ? static_cast<const char*>(data) : ""), size_(size) {}
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const char* data_;  // not null: that would be a null string
  std::size_t size_;
};

// Returns whether values are logged by their bytes: their letter is that of a number, and what is captured is the value
// itself.
template <class T>
constexpr bool is_listable() {
  if (!std::is_arithmetic_v<T> && !std::is_enum_v<T>) return false;
  for (const char letter : {'b', 'a', 's', 'i', 'l', 'h', 't', 'j', 'm', 'f', 'd'}) {
    if (letter_of<T>() == letter) return sizeof(T) == fixed_size(static_cast<ArgType>(letter));
  }
  return false;
}

// "[i", and what an element means.
template <class T>
struct ListMeaning {
  struct Text {
    char of[length_of(meaning_of<T>()) + 3];
  };
  static constexpr Text make() {
    Text text{};
    text.of[0] = '[';
    text.of[1] = letter_of<T>();
    char* p = text.of + 2;
    for (const char* c = meaning_of<T>(); *c != '\0'; ++c) *p++ = *c;
    return text;
  }
  static constexpr Text kText = make();
};

template <class T>
void append_text(const T& value, std::string& out);

inline void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

template <class T>
void append_number(T value, std::string& out) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

template <class Range>
void append_range(const Range& range, char open, char close, std::string& out) {
  out += open;
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += ", ";
    first = false;
    append_text<Bare<decltype(element)>>(element, out);  // of vector<bool> a proxy's
  }
  out += close;
}
template <class Map>
void append_map(const Map& map, std::string& out) {
  out += '{';
  bool first = true;
  for (const auto& [key, value] : map) {
    if (!first) out += ", ";
    first = false;
    append_text(key, out);
    out += ": ";
    append_text(value, out);
  }
  out += '}';
}
template <class Tuple, std::size_t... kPlace>
void append_tuple(const Tuple& tuple, std::index_sequence<kPlace...>, std::string& out) {
  out += '(';
  ((out += kPlace == 0 ? "" : ", ", append_text(std::get<kPlace>(tuple), out)), ...);
  out += ')';
}

// Tells whether a type has an append(value, out) of its own: those below do.
template <class T, class = void>
struct AppendsItself : std::false_type {};
template <class T>
struct AppendsItself<T,
                     std::void_t<decltype(Loggable<T>::append(std::declval<const T&>(), std::declval<std::string&>()))>>
    : std::true_type {};

// An element: as {fmt} prints those of ranges.
template <class T>
void append_text(const T& value, std::string& out) {
  using V = Bare<T>;
  if constexpr (AppendsItself<V>::value) {
    Loggable<V>::append(value, out);
  } else if constexpr (HasText<V>::value) {
    const auto& text = Loggable<V>::text(value);
    out.append(text.data(), text.size());
  } else if constexpr (IsLoggable<V>::value) {
    append_text(Loggable<V>::capture(value), out);
    if constexpr (HasMeaning<V>::value) {  // a unit; names and times have a text()
      constexpr char kFirst = *Loggable<V>::meaning();
      if (kFirst != '=' && kFirst != '@') out += Loggable<V>::meaning();
    }
  } else if constexpr (std::is_same_v<V, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_same_v<V, char>) {
    out += {'\'', value, '\''};
  } else if constexpr (std::is_enum_v<V>) {
    append_number(static_cast<std::underlying_type_t<V>>(value), out);
  } else if constexpr (std::is_arithmetic_v<V>) {
    append_number(value, out);
  } else if constexpr (std::is_convertible_v<const V&, std::string_view>) {
    append_quoted(std::string_view(value), out);
  } else if constexpr (IsString<V>::value) {
    append_quoted(std::string_view(value.data(), value.size()), out);
  } else if constexpr (std::is_pointer_v<V> || std::is_null_pointer_v<V>) {
    out += "0x";
    char digits[16];
    const auto address = reinterpret_cast<std::uintptr_t>(static_cast<const volatile void*>(value));
    out.append(digits, std::to_chars(digits, digits + sizeof digits, address, 16).ptr);
  } else {
    static_assert(MissingReport<missing_for<V>(), -2, 0>::kFine);
  }
}

// The common part of those that are text.
template <class T, class Derived>
struct TextLoggable {
  static std::string capture(const T& value) {
    std::string text;
    Derived::append(value, text);
    return text;
  }
};

template <class T, class Element>
struct ListLoggable {
  static auto capture(const T& list) {
    if constexpr (is_listable<Element>()) {
      return ListBytes(list.data(), list.size() * sizeof(Element));
    } else {
      std::string text;
      append(list, text);
      return text;
    }
  }
  static constexpr const char* meaning() {
    if constexpr (is_listable<Element>()) return ListMeaning<Element>::kText.of;
    return "";
  }
  static std::string text(const T& list) {
    std::string text;
    append(list, text);
    return text;
  }
  static void append(const T& list, std::string& out) { append_range(list, '[', ']', out); }
};

template <class T, char kOpen, char kClose>
struct RangeLoggable : TextLoggable<T, RangeLoggable<T, kOpen, kClose>> {
  static void append(const T& range, std::string& out) { append_range(range, kOpen, kClose, out); }
};
template <class T>
struct MapLoggable : TextLoggable<T, MapLoggable<T>> {
  static void append(const T& map, std::string& out) { append_map(map, out); }
};
template <class T>
struct TupleLoggable : TextLoggable<T, TupleLoggable<T>> {
  static void append(const T& tuple, std::string& out) {
    append_tuple(tuple, std::make_index_sequence<std::tuple_size_v<T>>(), out);
  }
};

}  // namespace steno::detail
