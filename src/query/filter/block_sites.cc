#include "query/filter/block_sites.h"

namespace steno::query {

bool has_known_counts(const reader::LogFile& file, const reader::BlockEntry& entry) {
  if (file.sites_of(entry).empty() || file.is_damaged(entry)) return false;
  const auto runs = std::span(file.runs()).subspan(entry.first_run, entry.runs);
  return std::none_of(runs.begin(), runs.end(), [](const reader::RunEntry& run) { return run.repeated != 0; });
}

}  // namespace steno::query
