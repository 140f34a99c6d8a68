// Counts what operator new hands out, for tests that nothing asks for much memory, or for it again and again. Linking
// memory_count.cc replaces it.
#pragma once

#include <cstddef>

namespace steno::test {

// Bytes held now, and the most since reset_peak().
std::size_t held_bytes();
std::size_t peak_bytes();
void reset_peak();
// Bytes handed out since the start, given back or not: what is copied again and again shows.
std::size_t total_bytes();

}  // namespace steno::test
