// --by: which result a record belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/cell.h"
#include "query/filter/statement.h"
#include "query/statistics/key_range.h"
#include "query/statistics/time_steps.h"

namespace steno::query {

// Returns whether one of these keys is an argument, or a field of context, of `sites`.
bool name_arguments(const std::vector<std::string>& texts, const std::vector<const reader::Site*>& sites);

// Returns keys as parse_keys() takes them of what people write: "host,level" for two, "minute" or "1m" for "time:1m". A
// name of an argument of `sites` stays as it is.
std::vector<std::string> plain_keys(const std::vector<std::string>& texts,
                                    const std::vector<const reader::Site*>& sites);

// "time:1s", "arg NAME", "{NAME}", or a name as in --where: "level", "thread", "host", an argument. kInvalidArgument:
// one is wrong. Steps of time are in UTC, or in the reader's time zone if `local_span` is given, the time range of the
// log.
Result<std::vector<KeySpec>> parse_keys(const std::vector<std::string>& texts, const Statement* statement,
                                        const TimeSpan* local_span = nullptr);

// A key's value for people.
Cell cell_of(const KeySpec& spec, std::uint64_t value, const Interner& interner);

}  // namespace steno::query
