// Which header of steno a type needs that cannot be logged, by the type's name as the compiler prints it. Looked at for
// the sentence of a compile error only: statements that compile instantiate nothing of this.
#pragma once

#include <cstddef>
#include <type_traits>

namespace steno::detail {

enum class Missing : unsigned char {
  kLoggable,    // a type of the program's
  kChrono,      // steno/chrono.h
  kOtherClock,  // a time of a clock that is not the wall clock
  kContainers,  // steno/containers.h
  kStdTypes,    // steno/std_types.h
  kNetTypes,    // steno/net_types.h
};

// The letters, digits and `_` of a name.
struct NameWord {
  const char* begin;
  std::size_t size;
};

// Returns whether `list`, words with a space before and after each, has this word.
constexpr bool has_word(const char* list, NameWord word) {
  for (; *list != '\0'; ++list) {
    if (list[0] != ' ') continue;
    std::size_t i = 0;
    while (i < word.size && list[i + 1] == word.begin[i]) ++i;
    if (i == word.size && list[i + 1] == ' ') return true;
  }
  return false;
}

constexpr bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

constexpr NameWord word_at(const char* name) {
  NameWord word{name, 0};
  while (is_of_name(name[word.size])) ++word.size;
  return word;
}

// Decides by the text after `std::chrono::`.
constexpr Missing missing_of_chrono(const char* name) {
  if (has_word(" duration ", word_at(name))) return Missing::kChrono;
  if (!has_word(" time_point ", word_at(name))) return Missing::kLoggable;
  for (; *name != '\0'; ++name) {
    if (has_word(" system_clock ", word_at(name))) return Missing::kChrono;
  }
  return Missing::kOtherClock;
}

// By the name of a type, `std::chrono::duration<…`. Names of inline namespaces, which begin with `_`, are skipped.
constexpr Missing missing_by_name(const char* name) {
  for (bool first = true;; first = false) {
    const NameWord word = word_at(name);
    name += word.size;
    const bool leads_on = name[0] == ':' && name[1] == ':';
    if (first) {
      if (has_word(" in_addr in6_addr sockaddr_in sockaddr_in6 sockaddr_un sockaddr_storage ", word)) {
        return Missing::kNetTypes;
      }
      if (!has_word(" std ", word)) return Missing::kLoggable;
    } else if (has_word(" chrono ", word)) {
      return leads_on ? missing_of_chrono(name + 2) : Missing::kLoggable;
    } else if (!leads_on) {
      if (has_word(" vector array span deque list set multiset unordered_set map multimap unordered_map pair tuple"
                   " optional monostate variant ",
                   word)) {
        return Missing::kContainers;
      }
      if (has_word(" error_code error_condition bitset path unique_ptr shared_ptr exception ", word)) {
        return Missing::kStdTypes;
      }
      return Missing::kLoggable;
    }
    if (!leads_on) return Missing::kLoggable;
    name += 2;
  }
}

// The name of T as it stands in this function's own: "… [with T = NAME]" or "… [T = NAME]".
template <class T>
constexpr Missing missing_for() {
  if (std::is_array<T>::value) return Missing::kContainers;
  const char* name = __PRETTY_FUNCTION__;
  while (*name != '\0' && !(name[0] == 'T' && name[1] == ' ' && name[2] == '=')) ++name;
  return *name == '\0' ? Missing::kLoggable : missing_by_name(name + 4);
}

}  // namespace steno::detail
