// Spans of threads (steno/span.h).
#pragma once

namespace steno::runtime {

// In the child of a fork: spans that begin from here on have other numbers than the parent's.
void renumber_spans();

}  // namespace steno::runtime
