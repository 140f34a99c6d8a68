// When columns of strings are cut into items (the codec is in string_codec.h).
#pragma once

#include <cstddef>

#include "format/codecs/codec_trial.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

// For the column that `scratch` is at: only columns of long strings that are no part of others. Each is compared now
// and then with what other codecs make of it.
TrialUse list_use(const StringSource& source, StringScratch& scratch);
// `out` holds the same column from `start` on, by another codec. Replaces that by list strings if these are smaller by
// an eighth: they take longer to read.
void compare_with_lists(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out);

}  // namespace steno::format
