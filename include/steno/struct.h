// Structures in log statements: each field is an argument.
//
//   struct Order { std::uint64_t id; int qty; double price; };
//   STENO_STRUCT(Order, id, qty, price)                        // outside of any namespace; with its own: market::Order
//
//   STENO_INFO("filled {order} in {us} us", order, us);        // filled {id=7, qty=5, price=1.5} in 12 us
//
// The fields are columns of the log, named order.id, order.qty and order.price in --where, JSON and Arrow; if the
// format's field has no name, they are named after the type, Order.id. Readers do not know structures: in the log the
// statement's format is "filled {{id={order.id}, qty={order.qty}, price={order.price}}} in {us} us". 1 to 32 members of
// types that statements take, including structures, but no bit-fields. For brace statements; the field of a structure
// takes no spec and no number. Costs as much as the fields as arguments.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "steno/detail/c_macros.h"
#include "steno/detail/statement.h"

namespace steno::detail {

// True: the fields of the structure T are the alternatives of a variant (containers.h).
template <class T>
inline constexpr bool kIsVariant = false;

// The texts that follow the names of the fields of a pair or tuple (containers.h), which prints as such; nullptr: T is
// neither.
template <class T>
inline constexpr const char* const* kTupleSpecs = nullptr;

// A statement's format with the fields of structures in place of the structures.
template <class... A>
struct StructFormat {
  struct Argument {
    const char* type;           // the structure's name; null: none
    const char* const* fields;  // their names
    std::size_t count;
    bool is_variant;
    const char* const* tuple_specs;  // null: it is no tuple
  };
  static constexpr Argument kArguments[sizeof...(A)] = {
      {Structure<A>::name(), Structure<A>::names(), Structure<A>::kFields, kIsVariant<A>, kTupleSpecs<A>}...};
  static constexpr int kCount = static_cast<int>(sizeof...(A));

  // Counts, and writes where there is room.
  struct Writer {
    char* to = nullptr;
    std::size_t size = 0;
    constexpr void put(char c) {
      if (to != nullptr) to[size] = c;
      ++size;
    }
    constexpr void put(const char* text, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) put(text[i]);
    }
    constexpr void put(const char* text) { put(text, length_of(text)); }
  };

  const char* format;
  std::size_t length;
  Writer out{};
  std::size_t at = 0;
  int next = 0;
  std::size_t name_begin[sizeof...(A) + 1] = {};
  std::size_t name_size[sizeof...(A) + 1] = {};
  bool good = true;

  constexpr StructFormat(const char* format_text, std::size_t format_size, char* to)
      : format(format_text), length(format_size), out{to, 0} {
    while (at < length && good) {
      const char c = format[at];
      const bool twice = at + 1 < length && format[at + 1] == c;
      if (c == '{' && !twice) {
        field();
      } else {
        out.put(c);
        if (twice && (c == '{' || c == '}')) out.put(format[++at]);
        ++at;
      }
    }
  }

  constexpr void field() {
    const std::size_t begin = at++;
    const std::size_t name = at;
    while (at < length && format[at] != ':' && format[at] != '}') ++at;
    const std::size_t size = at - name;
    const int argument = take(name, size);
    if (argument >= 0 && argument < kCount && kArguments[argument].type != nullptr) {
      good = good && at < length && format[at] == '}' && (size == 0 || !digit(format[name]));
      ++at;
      return put_fields(kArguments[argument], name, size);
    }
    // The field stays as it is; widths and precisions from arguments take theirs.
    for (; at < length && format[at] != '}'; ++at) {
      if (format[at] != '{') continue;
      const std::size_t inner = ++at;
      while (at < length && format[at] != '}') ++at;
      (void)take(inner, at - inner);
    }
    if (at < length) ++at;
    out.put(format + begin, at - begin);
  }

  static constexpr bool digit(char c) { return c >= '0' && c <= '9'; }

  // Which argument a field means. -1: one by number, which goes with no structure.
  constexpr int take(std::size_t name, std::size_t size) {
    if (size != 0 && digit(format[name])) {
      good = false;
      return -1;
    }
    for (int i = 0; i < next && i < kCount && size != 0; ++i) {
      if (name_size[i] != size) continue;
      bool same = true;
      for (std::size_t k = 0; k < size; ++k) same = same && format[name_begin[i] + k] == format[name + k];
      if (same) return i;
    }
    if (next < kCount) {
      name_begin[next] = name;
      name_size[next] = size;
    }
    return next++;
  }

  // One of the alternatives prints. Without a name they have numbers.
  constexpr void put_alternatives(const Argument& argument, std::size_t name, std::size_t size) {
    out.put("variant(");
    for (std::size_t i = 0; i < argument.count; ++i) {
      out.put('{');
      out.put(format + name, size);
      if (size != 0) {
        out.put('.');
        out.put(argument.fields[i]);
      }
      out.put('}');
    }
    out.put(')');
  }

  constexpr void put_elements(const Argument& argument, std::size_t name, std::size_t size) {
    out.put('(');
    for (std::size_t i = 0; i < argument.count; ++i) {
      if (i != 0) out.put(", ");
      out.put('{');
      out.put(format + name, size);
      if (size != 0) {
        out.put('.');
        out.put(argument.fields[i]);
      }
      out.put(argument.tuple_specs[i]);
      out.put('}');
    }
    out.put(')');
  }

  constexpr void put_fields(const Argument& argument, std::size_t name, std::size_t size) {
    if (argument.is_variant) return put_alternatives(argument, name, size);
    if (argument.tuple_specs != nullptr) return put_elements(argument, name, size);
    out.put("{{");
    for (std::size_t i = 0; i < argument.count; ++i) {
      if (i != 0) out.put(", ");
      out.put(argument.fields[i]);
      out.put("={");
      if (size != 0) {
        out.put(format + name, size);
      } else {
        out.put(argument.type);
      }
      out.put('.');
      out.put(argument.fields[i]);
      out.put('}');
    }
    out.put("}}");
  }
};

// The statement in place of a statement S with structures.
template <class S, class... A>
struct STENO_HIDDEN StructStatement {
  static constexpr StatementText kText = S::steno_text();
  static constexpr bool kLiteral = kText.format != nullptr;
  using Format = StructFormat<A...>;
  static constexpr Format measured() {
    return Format(kLiteral ? kText.format : "", kLiteral ? kText.length : 0, nullptr);
  }
  static constexpr std::size_t kSize = measured().out.size;
  struct Text {
    char of[kSize + 1];
  };
  static constexpr Text make() {
    Text text{};
    static_cast<void>(Format(kLiteral ? kText.format : "", kLiteral ? kText.length : 0, text.of));
    return text;
  }
  static constexpr Text kFormat = make();
  static_assert(
      measured().good,
      "steno: the field of a structure, variant or tuple takes no spec, and no argument of the statement is named "
      "by a number");

  static constexpr StatementText steno_text() {
    StatementText text = kText;
    if (kLiteral) {
      text.format = kFormat.of;
      text.length = kSize;
    }
    return text;
  }
};
template <class S, class... A>
struct STENO_HIDDEN SiteWord<StructStatement<S, A...>> : SiteWord<S> {};

// "Order" of "market::Order".
constexpr const char* last_name(const char* name) {
  const char* last = name;
  for (; *name != '\0'; ++name) {
    if (*name == ':') last = name + 1;
  }
  return last;
}

template <class T>
constexpr auto fields_of(const T& value) {
  if constexpr (kIsStruct<T>) {
    return Structure<T>::fields(value);
  } else {
    return std::tuple<const T&>(value);
  }
}

template <class S, class Slot, class... A>
STENO_ALWAYS_INLINE bool log_structs(Slot slot, std::uint64_t found, const A&... args) {
  return std::apply(
      [&](const auto&... fields) { return log<StructStatement<S, Bare<A>...>>(slot, found, "", fields...); },
      std::tuple_cat(fields_of(args)...));
}
template <class S, class... A>
constexpr void check_structs(const A&... args) {
  std::apply([](const auto&... fields) { check_statement<StructStatement<S, Bare<A>...>>("", fields...); },
             std::tuple_cat(fields_of(args)...));
}

}  // namespace steno::detail

#define STENO_STRUCT(...)                                                                               \
  template <>                                                                                           \
  struct steno::detail::Structure<STENO_DETAIL_FORMAT(__VA_ARGS__)> {                                   \
    using Type = STENO_DETAIL_FORMAT(__VA_ARGS__);                                                      \
    static constexpr const char* kNames[] = {STENO_DETAIL_EACH(STENO_DETAIL_MEMBER_NAME, __VA_ARGS__)}; \
    static constexpr std::size_t kFields = sizeof kNames / sizeof kNames[0];                            \
    static constexpr const char* name() {                                                               \
      return ::steno::detail::last_name(STENO_DETAIL_SPELLING(STENO_DETAIL_FORMAT(__VA_ARGS__)));       \
    }                                                                                                   \
    static constexpr const char* const* names() { return kNames; }                                      \
    static constexpr auto fields(const Type& value) {                                                   \
      return std::tuple_cat(STENO_DETAIL_EACH(STENO_DETAIL_MEMBER, __VA_ARGS__) std::tuple<>());        \
    }                                                                                                   \
  };
#define STENO_DETAIL_MEMBER_NAME(n, member) #member,
#define STENO_DETAIL_MEMBER(n, member) std::tie(value.member),
