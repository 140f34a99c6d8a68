// Optionals, variants, pairs and tuples whose values are arguments of a statement, each a column of its own
// (<steno/containers.h>).
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "steno/detail/container_text.h"
#include "steno/detail/nullable.h"
#include "steno/struct.h"

namespace steno::detail {

// Returns whether values of a type are a column of their own, and no text that is made for the log.
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

// The presentation of an element: texts are in quotes, as within containers.
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

}  // namespace steno::detail
