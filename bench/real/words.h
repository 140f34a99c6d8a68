// Made-up words.
#pragma once

#include <string>
#include <vector>

#include "real/draw.h"

namespace steno::bench {

// Of so many syllables: "relona".
std::string make_word(Draw& draw, int syllables);
// `n` words of one to four syllables.
std::vector<std::string> make_words(Draw& draw, std::size_t n);
// "OrderIndex"
std::string make_type_name(Draw& draw);

}  // namespace steno::bench
