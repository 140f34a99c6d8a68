// The unit that a text says after a number: "took {elapsed} ms". The number stays one: conditions and answers do
// without it; headings and axes have it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "query/filter/statement.h"

namespace steno::query {

// Empty: none of those that are known, or what is no number, or has a unit of its own.
std::string_view said_unit(const reader::Site& site, std::uint32_t argument);
// What all of the statement's sites say that have the argument; empty: they do not agree.
std::string said_unit(const Statement& statement, const ArgumentOf& argument);

}  // namespace steno::query
