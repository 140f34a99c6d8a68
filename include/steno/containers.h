// Containers and composite types in log statements.
//
//   std::vector<int> sizes = {1, 2, 3};
//   STENO_INFO("sizes {sizes}", sizes);                                  // sizes [1, 2, 3]
//   STENO_INFO("{best} of {all}", std::optional(7), std::set{3, 7});     // optional(7) of {3, 7}
//   STENO_INFO("got {reply}", std::variant<int, std::string>("no"));     // got variant("no")
//   STENO_INFO("{routes}", std::map<std::string, int>{{"eu", 2}});       // {"eu": 2}
//
// - Contiguous numbers, bools and enumerations (vector, array, span, C arrays) are copied as they are and formatted by
//   the reader; in JSON they are lists (spec/types.md). `{:.2}` prints floating-point elements with two decimals.
//   Enumerations of <steno/named_enum.h> print their names.
// - The value of an optional is an argument of its type, copied as it is: `--where 'best == 7'` and `agg` see a number.
//   An empty one prints as none, is null in conditions, JSON and Arrow, and is not counted by agg. The field's spec
//   applies to the value, `{:.2f}`. Each alternative of a variant is an argument, reply.int and reply.string, of which
//   all but one are absent; its field takes no spec and no number. Names: bool, char, int, uint, float, string,
//   pointer, monostate; the second of a kind has its place as a suffix, int2. Both work in structures too.
// - Each element of a pair or tuple is an argument, at.first and at.second, or at._0, at._1 and so on (up to 16). They
//   print as `(1, "x")`; the field takes no spec and no number. They work in structures and in each other too.
// - All others are formatted as text in the logging thread, which allocates: vectors of other types (also of optionals,
//   because a list cannot mark absent elements), deque, list, set, map and their unordered variants; optionals and
//   variants of these, of pairs and of tuples; and everything except lists in spans, printf statements and contexts.
//   Strings within are in quotes; elements can be anything that a statement takes.
//
// C++17; span from C++20 on.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "steno/detail/capture.h"
#include "steno/detail/nullable.h"
#include "steno/loggable.h"
#include "steno/struct.h"

namespace steno {
namespace detail {

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

// Whether values are logged by their bytes: their letter is that of a number, and what is captured is the value itself.
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

// Whether a type has append(value, out) of its own: those below.
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
    static_assert(AppendsItself<V>::value,
                  "steno: an element's type cannot be logged; specialise steno::Loggable for it");
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

}  // namespace detail

template <class T, class A>
struct Loggable<std::vector<T, A>> : detail::ListLoggable<std::vector<T, A>, T> {};
template <class A>
struct Loggable<std::vector<bool, A>> : detail::TextLoggable<std::vector<bool, A>, Loggable<std::vector<bool, A>>> {
  static void append(const std::vector<bool, A>& list, std::string& out) {
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out += ", ";
      out += list[i] ? "true" : "false";
    }
    out += ']';
  }
};
template <class T, std::size_t N>
struct Loggable<std::array<T, N>> : detail::ListLoggable<std::array<T, N>, T> {};
#if __cplusplus >= 202002L
template <class T, std::size_t N>
struct Loggable<std::span<T, N>> : detail::ListLoggable<std::span<T, N>, std::remove_cv_t<T>> {};
#endif

template <class T, class A>
struct Loggable<std::deque<T, A>> : detail::RangeLoggable<std::deque<T, A>, '[', ']'> {};
template <class T, class A>
struct Loggable<std::list<T, A>> : detail::RangeLoggable<std::list<T, A>, '[', ']'> {};
template <class T, class... R>
struct Loggable<std::set<T, R...>> : detail::RangeLoggable<std::set<T, R...>, '{', '}'> {};
template <class T, class... R>
struct Loggable<std::multiset<T, R...>> : detail::RangeLoggable<std::multiset<T, R...>, '{', '}'> {};
template <class T, class... R>
struct Loggable<std::unordered_set<T, R...>> : detail::RangeLoggable<std::unordered_set<T, R...>, '{', '}'> {};
template <class K, class V, class... R>
struct Loggable<std::map<K, V, R...>> : detail::MapLoggable<std::map<K, V, R...>> {};
template <class K, class V, class... R>
struct Loggable<std::multimap<K, V, R...>> : detail::MapLoggable<std::multimap<K, V, R...>> {};
template <class K, class V, class... R>
struct Loggable<std::unordered_map<K, V, R...>> : detail::MapLoggable<std::unordered_map<K, V, R...>> {};
template <class A, class B>
struct Loggable<std::pair<A, B>> : detail::TupleLoggable<std::pair<A, B>> {};
template <class... T>
struct Loggable<std::tuple<T...>> : detail::TupleLoggable<std::tuple<T...>> {};

// As text: in printf statements and contexts, and where the value is text itself.
template <class T>
struct Loggable<std::optional<T>> : detail::TextLoggable<std::optional<T>, Loggable<std::optional<T>>> {
  static void append(const std::optional<T>& value, std::string& out) {
    if (!value) {
      out += "none";
    } else {
      out += "optional(";
      detail::append_text(*value, out);
      out += ')';
    }
  }
};
template <>
struct Loggable<std::monostate> {
  static unsigned char capture(const std::monostate&) { return 0; }
  static constexpr const char* meaning() { return "=0 monostate"; }
  static std::string_view text(const std::monostate&) { return "monostate"; }
};
template <class... T>
struct Loggable<std::variant<T...>> : detail::TextLoggable<std::variant<T...>, Loggable<std::variant<T...>>> {
  static void append(const std::variant<T...>& value, std::string& out) {
    out += "variant(";
    if (value.valueless_by_exception()) {
      out += "valueless by exception";
    } else {
      std::visit([&](const auto& one) { detail::append_text(one, out); }, value);
    }
    out += ')';
  }
};

namespace detail {

// Whether values of a type are a column of their own, and no text that is made for the log.
template <class T>
constexpr bool is_column() {
  return letter_of<T>() != '?' && !is_typed_pointer<T>() && !kIsStruct<T> &&
         (!AppendsItself<T>::value || *meaning_of<T>() == '[');
}

template <class T>
struct NullableParts<std::optional<T>> {
  static constexpr bool kIs = is_column<T>();
  using Value = T;
  static constexpr bool kFlag = true;
  static constexpr char kMark = '?';
  static constexpr std::size_t kAlternatives = 0;
  static const T* find(const std::optional<T>& value) { return value ? &*value : nullptr; }
  static bool flag(const std::optional<T>& value) { return value.has_value(); }
};

template <std::size_t kIndex, class Variant>
struct Alternative {
  const Variant& of;
};
template <std::size_t kIndex, class Variant>
struct NullableParts<Alternative<kIndex, Variant>> {
  static constexpr bool kIs = true;
  using Value = Bare<std::variant_alternative_t<kIndex, Variant>>;
  static constexpr bool kFlag = kIndex == 0;  // that of the first one is for all
  static constexpr char kMark = '|';
  static constexpr std::size_t kAlternatives = std::variant_size_v<Variant>;
  static const Value* find(const Alternative<kIndex, Variant>& value) { return std::get_if<kIndex>(&value.of); }
  static unsigned char flag(const Alternative<kIndex, Variant>& value) {
    return static_cast<unsigned char>(value.of.index());
  }
};

constexpr const char* alternative_name(char letter) {
  switch (letter) {
    case 'b':
      return "bool";
    case 'c':
    case 'u':
    case 'w':
      return "char";
    case 'a':
    case 's':
    case 'i':
    case 'l':
    case 'n':
      return "int";
    case 'h':
    case 't':
    case 'j':
    case 'm':
    case 'o':
      return "uint";
    case 'f':
    case 'd':
    case 'e':
    case 'g':
      return "float";
    case 'p':
      return "pointer";
    default:
      return "string";
  }
}

// "int", "string"; the second "int" is "int2", after its place.
template <class... T>
struct AlternativeNames {
  static constexpr std::size_t kCount = sizeof...(T);
  struct Texts {
    char of[kCount][12];
  };
  static constexpr Texts make() {
    Texts texts{};
    const char letters[] = {(std::is_same_v<T, std::monostate> ? '\0' : letter_of<Bare<T>>())...};
    for (std::size_t i = 0; i < kCount; ++i) {
      const char* const name = letters[i] == '\0' ? "monostate" : alternative_name(letters[i]);
      char* p = texts.of[i];
      for (const char* c = name; *c != '\0'; ++c) *p++ = *c;
      bool taken = false;
      for (std::size_t k = 0; k < i; ++k) taken = taken || same(texts.of[k], texts.of[i]);
      if (taken) p = put_small(i, p);
    }
    return texts;
  }
  static constexpr bool same(const char* a, const char* b) {
    for (; *a == *b; ++a, ++b) {
      if (*a == '\0') return true;
    }
    return false;
  }
  static constexpr Texts kTexts = make();
  template <std::size_t... kPlace>
  struct Pointers {
    static constexpr const char* kNames[] = {kTexts.of[kPlace]...};
  };
};

inline constexpr std::size_t kMostAlternatives = 16;

template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;
template <class... T>
struct Structure<std::variant<T...>> {
  static constexpr std::size_t kFields =
      (is_column<Bare<T>>() && ...) && sizeof...(T) <= kMostAlternatives ? sizeof...(T) : 0;
  static constexpr const char* name() { return kFields != 0 ? "variant" : nullptr; }
  static constexpr const char* const* names() { return names_of(std::index_sequence_for<T...>()); }
  static constexpr auto fields(const std::variant<T...>& value) {
    return fields_of(value, std::index_sequence_for<T...>());
  }

 private:
  template <std::size_t... kPlace>
  static constexpr const char* const* names_of(std::index_sequence<kPlace...>) {
    return AlternativeNames<T...>::template Pointers<kPlace...>::kNames;
  }
  template <std::size_t... kPlace>
  static constexpr auto fields_of(const std::variant<T...>& value, std::index_sequence<kPlace...>) {
    return std::tuple<Alternative<kPlace, std::variant<T...>>...>(Alternative<kPlace, std::variant<T...>>{value}...);
  }
};

// What is in quotes, as within containers.
template <class T>
constexpr const char* element_spec() {
  if constexpr (kIsStruct<T> || kIsNullable<T> || AppendsItself<T>::value || HasText<T>::value || kIsByteArray<T>) {
    return "";
  } else {
    constexpr char kLetter = letter_of<T>();
    return is_string(static_cast<ArgType>(kLetter)) || kLetter == 'c' ? ":?" : "";
  }
}

inline constexpr std::size_t kMostElements = 16;
inline constexpr const char* kElementNames[kMostElements] = {"_0", "_1", "_2",  "_3",  "_4",  "_5",  "_6",  "_7",
                                                             "_8", "_9", "_10", "_11", "_12", "_13", "_14", "_15"};
inline constexpr const char* kPairNames[] = {"first", "second"};

// Text where an element is a pointer to what it points to, which statements refuse.
template <class... T>
struct TupleStructure {
  static constexpr std::size_t kFields =
      sizeof...(T) <= kMostElements && !(is_typed_pointer<Bare<T>>() || ...) ? sizeof...(T) : 0;
  static constexpr const char* name() { return kFields != 0 ? "tuple" : nullptr; }
};
template <class... T>
struct ElementSpecs {
  static constexpr const char* kTexts[] = {element_spec<Bare<T>>()..., nullptr};
};

template <class A, class B>
struct Structure<std::pair<A, B>> : TupleStructure<A, B> {
  static constexpr const char* const* names() { return kPairNames; }
  static constexpr auto fields(const std::pair<A, B>& value) { return std::tie(value.first, value.second); }
};
template <class A, class B>
inline constexpr const char* const* kTupleSpecs<std::pair<A, B>> = ElementSpecs<A, B>::kTexts;
template <class... T>
struct Structure<std::tuple<T...>> : TupleStructure<T...> {
  static constexpr const char* const* names() { return kElementNames; }
  static constexpr auto fields(const std::tuple<T...>& value) {
    return std::apply([](const auto&... elements) { return std::tie(elements...); }, value);
  }
};
template <class... T>
inline constexpr const char* const* kTupleSpecs<std::tuple<T...>> = ElementSpecs<T...>::kTexts;

}  // namespace detail

// Not of characters: those are strings, or bytes (detail/capture.h).
template <class T, std::size_t N>
struct Loggable<T[N]> {
  template <class E, class = std::enable_if_t<!detail::kIsCharacter<E>>>
  static auto capture(const E (&list)[N]) {
    if constexpr (detail::is_listable<E>()) {
      return detail::ListBytes(list, sizeof list);
    } else {
      return text(list);
    }
  }
  static constexpr const char* meaning() {
    if constexpr (detail::is_listable<T>()) return detail::ListMeaning<T>::kText.of;
    return "";
  }
  template <class E, class = std::enable_if_t<!detail::kIsCharacter<E>>>
  static std::string text(const E (&list)[N]) {
    std::string text;
    detail::append_range(list, '[', ']', text);
    return text;
  }
};

}  // namespace steno
