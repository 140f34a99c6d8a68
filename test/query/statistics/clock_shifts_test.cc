// Shifts of clocks at the ends of what 64 bits hold.
#include "query/statistics/clock_shifts.h"

#include <gtest/gtest.h>

#include "query/statistics/clock_groups.h"

namespace steno::query {
namespace {

ClockShift shift_between(std::int64_t least, std::int64_t most) {
  ClockShift shift;
  shift.reference = "a";
  shift.host = "b";
  shift.forth = shift.back = 1;
  shift.least = least;
  shift.most = most;
  return shift;
}

TEST(ClockShift, MiddleAndUncertaintyOfAnyBounds) {
  const std::int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -3, 0, 2, INT64_MAX - 1, INT64_MAX};
  for (const std::int64_t least : ends) {
    for (const std::int64_t most : ends) {
      if (least > most) continue;
      const ClockShift shift = shift_between(least, most);
      const text::Int128 range = text::Int128{most} - least;
      EXPECT_TRUE(shift.middle() == least + range / 2) << least << " " << most;
      EXPECT_TRUE(shift.uncertainty() == range - range / 2) << least << " " << most;
    }
  }
}

TEST(ClockGroups, AddUpBeyond64Bits) {
  std::vector<ClockShift> shifts = {shift_between(INT64_MAX, INT64_MAX), shift_between(INT64_MAX, INT64_MAX)};
  shifts[1].reference = "b";
  shifts[1].host = "c";
  const std::vector<ClockGroup> groups = group_clocks(shifts);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].hosts, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(groups[0].shifts.size(), 2u);
  EXPECT_TRUE(groups[0].shifts[1].ahead == text::Int128{INT64_MAX} * 2);
  const std::vector<ClockGroup> others = group_clocks(shifts, "b");
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].hosts, (std::vector<std::string>{"b", "a", "c"}));
  ASSERT_EQ(others[0].shifts.size(), 2u);
  EXPECT_TRUE(others[0].shifts[0].ahead == -text::Int128{INT64_MAX});
  EXPECT_TRUE(others[0].shifts[1].ahead == text::Int128{INT64_MAX});
}

}  // namespace
}  // namespace steno::query
