#include "query/filter/block_bounds.h"

#include <algorithm>

namespace steno::query {
namespace {

constexpr BlockBounds kNone = {{INT64_MAX, INT64_MIN}, 0};

BlockBounds times_of(const Condition& condition) {
  BlockBounds bounds;
  const text::Int128 value = condition.constant.integer;
  const auto cut = [](text::Int128 ns) {
    return static_cast<std::int64_t>(std::clamp<text::Int128>(ns, INT64_MIN, INT64_MAX));
  };
  const bool negated = condition.negated;
  switch (condition.comparison) {
    case Comparison::kEqual:
      if (!negated) bounds.span = {cut(value), cut(value)};
      break;
    case Comparison::kLess:
      negated ? bounds.span.first = cut(value) : bounds.span.last = cut(value - 1);
      break;
    case Comparison::kLessEqual:
      negated ? bounds.span.first = cut(value + 1) : bounds.span.last = cut(value);
      break;
    case Comparison::kGreater:
      negated ? bounds.span.last = cut(value) : bounds.span.first = cut(value + 1);
      break;
    case Comparison::kGreaterEqual:
      negated ? bounds.span.last = cut(value - 1) : bounds.span.first = cut(value);
      break;
    default:
      break;
  }
  return bounds;
}

// A record whose level is not known satisfies no condition on levels.
BlockBounds levels_of(const Condition& condition) {
  BlockBounds bounds;
  switch (condition.comparison) {
    case Comparison::kEqual:
    case Comparison::kLess:
    case Comparison::kLessEqual:
    case Comparison::kGreater:
    case Comparison::kGreaterEqual:
      break;
    default:
      return bounds;
  }
  bounds.levels = 0;
  for (int level = 0; level < 7; ++level) {
    const bool holds = compare<text::Int128>(condition.comparison, level, condition.constant.integer);
    if (holds != condition.negated) bounds.levels = static_cast<std::uint8_t>(bounds.levels | 1u << level);
  }
  return bounds;
}

}  // namespace

BlockBounds BlockBounds::and_also(const BlockBounds& other) const {
  return {span.cut_to(other.span), static_cast<std::uint8_t>(levels & other.levels)};
}

BlockBounds BlockBounds::or_else(const BlockBounds& other) const {
  return {{std::min(span.first, other.span.first), std::max(span.last, other.span.last)},
          static_cast<std::uint8_t>(levels | other.levels)};
}

bool BlockBounds::may_have(const reader::LogFile& file, const reader::BlockEntry& entry) const {
  if ((levels != 0xFF && (entry.levels & levels) == 0) || span.empty()) return false;
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!file.wall_bounds(entry, &first, &last)) return true;
  return last >= span.first && first <= span.last;
}

BlockBounds bounds_of(const Expression& expression) {
  BlockBounds bounds;
  switch (expression.kind) {
    case Expression::Kind::kTrue:
      break;
    case Expression::Kind::kAnd:
      for (const Expression& part : expression.parts) bounds = bounds.and_also(bounds_of(part));
      break;
    case Expression::Kind::kOr:
      bounds = kNone;
      for (const Expression& part : expression.parts) bounds = bounds.or_else(bounds_of(part));
      break;
    case Expression::Kind::kCondition: {
      const Condition& condition = expression.condition;
      if (condition.constant.kind != Constant::Kind::kInteger || condition.constant.unit) break;
      if (condition.field == Field::kTime) return times_of(condition);
      if (condition.field == Field::kLevel) return levels_of(condition);
      break;
    }
  }
  return bounds;
}

}  // namespace steno::query
