// The characters that fields of a statement's messages can have, by format and types.
#pragma once

#include <vector>

#include "query/search/automaton.h"
#include "wire/dictionary.h"

namespace steno::query {

// Those of each field, in the order in which they are printed; any byte where nothing is known. A format that does not
// parse gives those up to the place at fault.
std::vector<CharSet> field_characters(const wire::SiteInfo& site);

}  // namespace steno::query
