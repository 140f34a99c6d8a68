// The lines of whole requests: all records that share a key with one of those that somebody has selected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/work_meter.h"
#include "query/filter/expression.h"
#include "query/statistics/chosen_records.h"
#include "reader/log_set.h"
#include "steno/status.h"

namespace steno::query {

struct LinesOf {
  // Arguments, or fields of context, whose values are the keys; several where statements name one thing differently.
  std::vector<std::string> names;
  std::optional<Expression> condition;            // which records are selected; none: all
  const std::vector<RecordRef>* these = nullptr;  // or only these, in this order; `condition` is not looked at
  std::size_t most_keys = 0;
};

struct FoundLines {
  // Together by key: in the order in which selected records first have it. A record with several keys is there once.
  ChosenRecords lines;
  std::uint64_t without_key = 0;  // of LinesOf::these: how many have none
};

// Numbers and texts that read alike are one key: 656 and "656". Memory: 40 bytes for each record, and the keys.
// kInvalidArgument: no statement has one of the names, or there are more than `most_keys` keys.
Result<FoundLines> find_lines_of(const reader::LogSet& logs, const LinesOf& question, WorkMeter* meter);

}  // namespace steno::query
