// The order of keys, and ranges of them: what one pass over a log looks at when all keys together do not fit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/cell.h"
#include "query/filter/expression.h"
#include "query/filter/statement.h"
#include "query/statistics/time_steps.h"

namespace steno::query {

// Returns whether a field that every record has is a whole number.
bool is_number(Field field);

struct KeySpec {
  enum class By { kField, kArgument, kTime };  // kTime: steps of it
  By by = By::kField;
  Field field = Field::kLevel;  // of kField
  std::string title;
  ArgumentOf argument;
  TimeSteps steps;  // of kTime

  // Values of the key are texts, as numbers of an Interner; or else levels, or whole numbers.
  bool is_text() const;
};

inline constexpr std::size_t kMaxKeys = 4;

// The values of the keys, as numbers; texts are interned.
using Key = std::array<std::uint64_t, kMaxKeys>;
struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

// Texts as numbers. Not thread-safe, but for what is const.
class Interner {
 public:
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  std::uint64_t id_of(std::string_view text);
  std::uint64_t find(std::string_view text) const;  // kUnknown if it has none
  const std::string& text_of(std::uint64_t id) const { return *texts_[id]; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unordered_map<std::string_view, std::uint64_t> ids_;
  std::vector<std::unique_ptr<const std::string>> texts_;
  std::size_t bytes_ = 0;
};

// A number of a key as 64 bits whose order is that of results: levels in theirs, numbers in theirs, NaN after them.
std::uint64_t ordered_value(const KeySpec& spec, std::uint64_t value);

// A place between two keys, or, if a key alone is too much for a pass, within its values by their hashes.
struct KeyBound {
  std::array<std::uint64_t, kMaxKeys> numbers{};  // ordered_value()
  std::array<std::string, kMaxKeys> texts;
  std::uint64_t hash = 0;  // values of the key with at least this hash are after it
};

// [from, cut) of the keys.
struct KeyRange {
  std::optional<KeyBound> from;
  std::optional<KeyBound> cut;
};

// Orders keys as the rows of results are.
class KeyOrder {
 public:
  explicit KeyOrder(const std::vector<KeySpec>& specs) : specs_(specs) {}

  KeyBound bound_of(const Key& key, const Interner& interner) const;
  // Less than, equal to or greater than 0. Hashes are not looked at.
  int compare(const Key& a, const Key& b, const Interner& of_both) const;
  int compare(const Key& a, const Interner& of_a, const KeyBound& b) const;
  bool before(const KeyBound& a, const KeyBound& b) const;  // hashes count

 private:
  const std::vector<KeySpec>& specs_;
};

}  // namespace steno::query
