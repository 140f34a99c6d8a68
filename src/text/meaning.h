// The meaning of numbers (types.md): amounts of a unit, durations, times, names of an enumeration; and bytes: lists of
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "text/number.h"
#include "text/value.h"
#include "wire/dictionary.h"

namespace steno::text {

// A unit of time is numerator / denominator seconds. Both positive.
struct TimeUnit {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;

  bool operator==(const TimeUnit&) const = default;
};

// "ms", "min", "[60/1]s". None: no unit of time.
std::optional<TimeUnit> time_unit_of(std::string_view name);

inline constexpr TimeUnit kNanosecond = {1, 1'000'000'000};

// Converts `value` from units of `from` to units of `to`. True: exactly, in *whole; false: nearly, in *real.
bool convert(Int128 value, TimeUnit from, TimeUnit to, Int128* whole, long double* real);

class Meaning {
 public:
  enum class Kind : std::uint8_t {
    kUnit,
    kDuration,  // kUnit of a unit of time
    kTime,      // since the epoch
    kNames,
    kList,  // of a string: values, one after the other
  };

  // None: the text is no meaning of values of this type, or of none that this version knows; they are what they are
  // then. Views `text`.
  static std::optional<Meaning> parse(std::string_view text, ArgType type);

  Kind kind() const { return kind_; }
  // The whole of it, as in the dictionary.
  std::string_view text() const { return text_; }
  // The text after numbers; empty for kTime and kNames.
  std::string_view unit() const { return is_number() ? text_ : std::string_view(); }
  // The unit of kDuration and kTime.
  TimeUnit time_unit() const { return time_unit_; }
  // JSON and tables have the number; of the others but lists the text.
  bool is_number() const { return kind_ <= Kind::kDuration; }
  // The name of a value of kNames; none: it has none.
  std::optional<std::string_view> name_of(std::uint64_t bits) const;
  // The other way round, as Value::bits.
  std::optional<std::uint64_t> value_of(std::string_view name) const;
  // kNames: sorted by value.
  const std::vector<std::pair<std::uint64_t, std::string_view>>& names() const { return names_; }

  // kList: calls visit(value, its meaning or nullptr) for each. Returns the mark for truncated bytes; empty: none were
  // truncated.
  template <class Visit>
  std::string_view each(std::string_view bytes, const Visit& visit) const {
    const std::string_view mark = cut_mark(bytes);
    const std::size_t size = fixed_size(element_);
    Value value;
    value.type = element_;
    for (bytes.remove_suffix(mark.size()); bytes.size() >= size; bytes.remove_prefix(size)) {
      value.bits = load_bits(element_, bytes.data());
      visit(value, element_meaning_.empty() ? nullptr : element_meaning_.data());
    }
    return mark;
  }

  // Appends the value with its meaning. `precision`: decimals of a floating-point number, -1: as many as matter.
  void print(const Value& value, int precision, ByteBuffer& out) const;
  // Does what print() does, but with times as in JSON, with a T.
  void print_for_machines(const Value& value, ByteBuffer& out) const;

 private:
  static std::string_view cut_mark(std::string_view bytes);
  static std::uint64_t load_bits(ArgType type, const char* bytes);

  bool parse_names(std::string_view list);
  bool parse_list(std::string_view element);
  void print_list(std::string_view bytes, int precision, ByteBuffer& out) const;
  void print_time(std::uint64_t bits, char between, ByteBuffer& out) const;

  Kind kind_ = Kind::kUnit;
  ArgType type_ = ArgType::kI64;
  ArgType element_ = ArgType::kI64;       // of kList
  std::vector<Meaning> element_meaning_;  // one or none
  TimeUnit time_unit_;
  std::string_view text_;
  std::vector<std::pair<std::uint64_t, std::string_view>> names_;
};

// Those of a site's arguments and fields.
class Meanings {
 public:
  Meanings() = default;
  // Views the site's texts.
  explicit Meanings(const wire::SiteInfo& site);

  // nullptr: numbers are numbers.
  const Meaning* of(std::size_t type) const {
    if (meanings_.empty()) return nullptr;
    for (const auto& [index, meaning] : meanings_) {
      if (index == type) return &meaning;
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<std::uint32_t, Meaning>> meanings_;
};

// Appends the value as `{}` would print it; nullptr: it has no meaning.
void print_value(const Value& value, const Meaning* meaning, ByteBuffer& out);

}  // namespace steno::text
