// When columns of strings are cut into words (the codec is in string_codec.h).
#pragma once

#include <cstddef>

#include "format/codecs/codec_trial.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

// For the column that `scratch` is at: only columns of strings that are longer than words. Each is compared now and
// then with what other codecs make of it.
TrialUse word_use(const StringSource& source, StringScratch& scratch);
// `out` holds the same column from `start` on, by another codec. Replaces that by word strings if these are smaller by
// an eighth: they take longer to read.
void compare_with_words(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out);

}  // namespace steno::format
