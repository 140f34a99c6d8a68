// Made-up words.
#pragma once

#include <string>

#include "real/draw.h"

namespace steno::bench {

// Returns a word of so many syllables: "relona".
std::string make_word(Draw& draw, int syllables);
// `n` words of one to four syllables.
Pool<std::string> make_words(Draw& draw, std::size_t n);
// "OrderIndex"
std::string make_type_name(Draw& draw);

}  // namespace steno::bench
