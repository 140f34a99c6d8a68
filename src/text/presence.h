// Which arguments of a record have a value (types.md, "Values that may be absent").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/value.h"
#include "wire/dictionary.h"

namespace steno::text {

// The presence of one argument: it has a value in records whose field `field` is `value`.
struct Presence {
  std::uint32_t field = 0;
  std::uint32_t value = 1;
  std::uint32_t alternatives = 0;  // of the variant that it is one of; 0: it is an optional

  bool is_alternative() const { return alternatives != 0; }
  bool is_in(std::span<const Value> values) const { return values[field].bits == value; }
  // Returns whether the variant has none of its alternatives. It is printed for the first one.
  bool is_valueless(std::span<const Value> values) const { return values[field].bits >= alternatives; }
};

// Those of a site's arguments.
class Presences {
 public:
  Presences() = default;
  // Fields that make no sense are what they are otherwise, values. `redacted`, by argument, perhaps empty: those of
  // which nobody is to see whether they have a value.
  explicit Presences(const wire::SiteInfo& site, const std::vector<bool>& redacted = {});

  bool empty() const { return fields_.empty(); }
  // nullptr: the argument always has a value.
  const Presence* of(std::size_t argument) const {
    for (const auto& [index, presence] : presences_) {
      if (index == argument) return &presence;
    }
    return nullptr;
  }
  // Returns whether the type at this index is not a value but the flags of absent arguments.
  bool is_field(std::size_t type) const {
    for (const std::uint32_t field : fields_) {
      if (field == type) return true;
    }
    return false;
  }
  bool is_absent(std::size_t argument, std::span<const Value> values) const {
    const Presence* const presence = of(argument);
    return presence != nullptr && !presence->is_in(values);
  }
  std::size_t count_fields() const { return fields_.size(); }
  // The index among the types of the i-th value that is not such a field.
  std::size_t type_of_value(std::size_t i) const {
    for (const std::uint32_t field : fields_) i += field <= i ? 1 : 0;
    return i;
  }
  // How many values a message needs, if it has `arguments`.
  std::size_t values_needed(std::size_t arguments) const {
    return fields_.empty() ? arguments : std::size_t{fields_.back()} + 1;
  }

 private:
  std::vector<std::pair<std::uint32_t, Presence>> presences_;
  std::vector<std::uint32_t> fields_;  // rising
};

}  // namespace steno::text
