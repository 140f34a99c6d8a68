// When columns of strings are cut at a delimiter: names of files, addresses of pages, qualified names. What comes
// before the last `/` or the like repeats often, and what comes after has shapes that the whole has not. Such a column
// is one of template strings with one template (file.md §9.6).
#pragma once

#include <cstddef>

#include "format/codecs/codec_trial.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

// For the column that `scratch` is at: only columns of long strings that are no part of others. Each is compared now
// and then with what other codecs make of it.
TrialUse path_use(const StringSource& source, StringScratch& scratch);
// Appends the column, cut where it was last found to pay. False: not for these values; nothing is appended.
[[nodiscard]] bool append_paths(const StringSource& source, StringScratch& scratch, ByteBuffer& out);
// `out` holds the same column from `start` on, by another codec. Replaces that by a column that is cut if it is smaller
// by a sixteenth.
void compare_with_paths(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out);

}  // namespace steno::format
