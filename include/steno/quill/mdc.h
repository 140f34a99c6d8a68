// The mapped diagnostic context of a thread (steno/quill.h): fields of steno's context (steno/context.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "steno/context.h"

#include "steno/detail/begin.h"

namespace quill::detail {

// At most 16 fields, together about 900 bytes; one that finds no room is left out.
//
// They are on the same stack as the fields of steno::ScopedContext, and each of the two takes away what came later:
// - A change of these ends each ScopedContext that began after the first of them was set.
// - The end of a ScopedContext ends those of these that were set, or set again, in its scope, until the next change,
//   which sets all of them again.
// The two do not disturb each other where a scope begins before the first field and ends after the last was erased, or
// where no field changes in it.
class Mdc {
 public:
  static Mdc& of_thread() {
    thread_local Mdc mdc;
    return mdc;
  }
  Mdc() = default;
  Mdc(const Mdc&) = delete;
  Mdc& operator=(const Mdc&) = delete;
  ~Mdc() { clear(); }  // steno's context has views of the names

  // Names and values in turn. A name that is there keeps its place.
  template <class T, class... More>
  void set(std::string_view name, const T& value, const More&... more) {
    put(name, value);
    if constexpr (sizeof...(More) != 0) {
      set(more...);
    } else {
      apply();
    }
  }
  template <class... Names>
  void erase(const Names&... names) {
    withdraw();
    (remove(names), ...);
    apply();
  }
  void clear() {
    withdraw();
    fields_.clear();
  }

 private:
  struct Field {
    std::string name;
    char type;
    bool is_null;
    std::string bytes;
  };

  template <class T>
  void put(std::string_view name, const T& value) {
    using steno::detail::Bare;
    constexpr char kType = steno::detail::letter_of<steno::detail::ContextType<T>>();
    static_assert(kType != '?', "steno: a type that no statement takes; specialise steno::Loggable for it");
    store(name, kType, steno::detail::wire<kType, false>(steno::detail::context_value(value)));
  }
  template <class T>
  void store(std::string_view name, char type, steno::detail::Scalar<T> value) {
    store(name, type, steno::detail::Bytes{&value.value, sizeof value.value});
  }
  void store(std::string_view name, char type, steno::detail::Terminated value) {
    store(name, type, steno::detail::measured(value));
  }
  void store(std::string_view name, char type, steno::detail::Bytes value) {
    withdraw();
    const bool is_null = value.size == steno::detail::kNullBytes;
    Field field{std::string(name), type, is_null, {}};
    if (!is_null) field.bytes.assign(static_cast<const char*>(value.data), value.size);
    for (Field& known : fields_) {
      if (known.name != name) continue;
      known = std::move(field);
      return;
    }
    fields_.push_back(std::move(field));
  }
  void remove(std::string_view name) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].name != name) continue;
      fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

  // Takes the fields out of steno's context, before they change.
  void withdraw() {
    if (is_applied_) steno::detail::pop_context(before_);
    is_applied_ = false;
  }
  void apply() {
    for (const Field& field : fields_) {
      unsigned before = 0;
      steno::detail::push_context(field.name.c_str(), field.type, field.bytes.data(),
                                  field.is_null ? steno::detail::kNullBytes : field.bytes.size(), &before);
      if (!is_applied_) before_ = before;
      is_applied_ = true;
    }
  }

  std::vector<Field> fields_;
  unsigned before_ = 0;  // fields of steno's context that were there before these
  bool is_applied_ = false;
};

}  // namespace quill::detail

#include "steno/detail/end.h"
