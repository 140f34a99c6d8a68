// Records that were chosen one by one, read block by block: each block once, and of its columns those that are needed.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "query/statistics/chosen_records.h"
#include "reader/slab.h"

namespace steno::cli {

// Calls visit(i, slice) for each record refs[i] that can be decoded, in the order of the file; `slice` is this one
// record, for the time of the call. Blocks that cannot be decoded are added to `failures`, and nothing of them is
// visited.
using VisitChosen = std::function<void(std::size_t i, const reader::Slice& slice)>;
void visit_chosen(const reader::LogSet& logs, std::span<const query::RecordRef> refs, const VisitChosen& visit,
                  std::vector<reader::DecodeFailure>* failures);

// The run of a block that has a record.
const reader::RunEntry& run_of(const reader::LogFile& file, const reader::BlockEntry& entry, std::uint32_t record);

}  // namespace steno::cli
