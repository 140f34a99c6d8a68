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

#include "steno/detail/container_columns.h"
#include "steno/detail/container_text.h"
#include "steno/loggable.h"

namespace steno {

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

// Optionals and variants are text in printf statements and contexts, and where the value is text itself.
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
