// Decides whether the records that a damaged stretch of a file held are counted elsewhere, so that a loss can be stated
// exactly.
#pragma once

#include "reader/log_file.h"

namespace steno::reader {

// True: the stretch held blocks of sessions that the reader knows, and nothing else. What is missing of these shows in
// the numbers of their rings and in the totals of their end blocks. False: it may have held anything, for instance a
// session of which nothing is left. Costs a look at the headers in it.
bool is_accounted(const LogFile& file, const Damage& damage);

}  // namespace steno::reader
