// When each statement was logged first and last: exact, and read from few blocks.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/work_meter.h"
#include "reader/statistics.h"

namespace steno::query {

struct SiteTimes {
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
};

// The identity that statements of several sessions share: stable_id, or the ordinal if the dictionary entry is missing.
inline std::uint64_t identity_of(const reader::Site& site) {
  return site.known() ? site.info().stable_id : site.ordinal();
}

// By identity. Directories bound the times; only blocks that can hold a first or last record are decoded. Blocks that
// cannot be read are left out.
std::unordered_map<std::uint64_t, SiteTimes> find_site_times(const reader::LogFile& file, WorkMeter* meter = nullptr);
// Finds the times of all the files' statements.
std::unordered_map<std::uint64_t, SiteTimes> find_site_times(reader::Files files, WorkMeter* meter = nullptr);

}  // namespace steno::query
