// Formats whose arguments became texts.
#pragma once

#include <string>
#include <vector>

#include "wire/dictionary.h"

namespace steno::cli {

// Changes the format of a statement of which some arguments (`texts`, by argument) are strings now, so that it prints:
// what only fits numbers is taken out of their fields. If no field can be mended, a list of the arguments replaces the
// format, in braces whatever the style was. `info` has the new types.
void fit_format(const std::vector<bool>& texts, wire::SiteInfo* info);

}  // namespace steno::cli
