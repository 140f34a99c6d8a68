#include "query/statistics/key_range.h"

#include <bit>

#include "query/ordered.h"
#include "query/statistics/text_codes.h"

namespace steno::query {
namespace {

// The memory of a text beside its characters: a node of the map, a string, its place.
constexpr std::size_t kTextBytes = 112;

int sign_of(std::uint64_t a, std::uint64_t b) {
  return a < b ? -1 : a == b ? 0 : 1;
}

}  // namespace

bool is_number(Field field) {
  return field == Field::kTid || field == Field::kPid || field == Field::kLine || field == Field::kSequence;
}

bool KeySpec::is_text() const {
  if (by == By::kArgument) return counts_as_text(argument.types[0]);
  return by == By::kField && !is_number(field) && field != Field::kLevel;
}

std::size_t KeyHash::operator()(const Key& key) const {
  std::uint64_t h = 0x9E3779B97F4A7C15;
  for (const std::uint64_t part : key) {
    h = (std::rotl(h, 23) ^ part) * 0xC2B2AE3D27D4EB4F;
    h ^= h >> 29;
  }
  return h;
}

std::uint64_t Interner::id_of(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  texts_.push_back(std::make_unique<const std::string>(text));
  ids_.emplace(*texts_.back(), texts_.size() - 1);
  bytes_ += kTextBytes + text.size();
  return texts_.size() - 1;
}

std::uint64_t Interner::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? kUnknown : found->second;
}

std::uint64_t ordered_value(const KeySpec& spec, std::uint64_t value) {
  if (spec.by == KeySpec::By::kField) return value;
  if (spec.by == KeySpec::By::kTime) return value ^ kSignBit;
  const ArgType type = spec.argument.types[0];
  if (kind_of_type(type) != NumberKind::kReal) return value ^ flip_of(kind_of_type(type));
  const double real = type == ArgType::kF32
                          ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)))
                          : std::bit_cast<double>(value);
  // So that the least is that of minus infinity, and NaN with a sign is after all numbers too.
  return key_of_real(real) - key_of_real(-HUGE_VAL);
}

KeyBound KeyOrder::bound_of(const Key& key, const Interner& interner) const {
  KeyBound bound;
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (specs_[k].is_text()) {
      bound.texts[k] = interner.text_of(key[k]);
    } else {
      bound.numbers[k] = ordered_value(specs_[k], key[k]);
    }
  }
  return bound;
}

int KeyOrder::compare(const Key& a, const Key& b, const Interner& of_both) const {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (a[k] == b[k]) continue;
    const int sign = specs_[k].is_text() ? of_both.text_of(a[k]).compare(of_both.text_of(b[k]))
                                         : sign_of(ordered_value(specs_[k], a[k]), ordered_value(specs_[k], b[k]));
    if (sign != 0) return sign;
  }
  return 0;
}

int KeyOrder::compare(const Key& a, const Interner& of_a, const KeyBound& b) const {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    const int sign = specs_[k].is_text() ? of_a.text_of(a[k]).compare(b.texts[k])
                                         : sign_of(ordered_value(specs_[k], a[k]), b.numbers[k]);
    if (sign != 0) return sign;
  }
  return 0;
}

bool KeyOrder::before(const KeyBound& a, const KeyBound& b) const {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    const int sign = specs_[k].is_text() ? a.texts[k].compare(b.texts[k]) : sign_of(a.numbers[k], b.numbers[k]);
    if (sign != 0) return sign < 0;
  }
  return a.hash < b.hash;
}

}  // namespace steno::query
