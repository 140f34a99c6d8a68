// The unit that a text says after a number: "took {elapsed} ms". The number stays one: conditions and answers do
// without it; headings and axes have it, and a condition with a duration is taken in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/filter/statement.h"

namespace steno::query {

// Returns the unit that a site's text says, by its usual name ("us" for "µs"). Empty: the text says none that is known,
// or the argument is no number or has a unit of its own.
std::string_view said_unit(const reader::Site& site, std::uint32_t argument);
// Returns the unit of time that the text says as a meaning of the numbers; none: it says no such unit.
std::optional<text::Meaning> said_duration(const reader::Site& site, std::uint32_t argument);
// Returns the units that the statement's sites with the argument say, each once; an empty one: a site says none.
std::vector<std::string> said_units(const Statement& statement, const ArgumentOf& argument);
// Returns the unit that all of these say; empty: they do not agree, or say none.
std::string said_unit(const Statement& statement, const ArgumentOf& argument);
// Returns the unit of time in which the argument's numbers are, of durations or as texts say; none: in no such unit.
std::optional<text::TimeUnit> time_unit_of(const ArgumentOf& argument);

}  // namespace steno::query
