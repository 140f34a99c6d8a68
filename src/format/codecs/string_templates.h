// When columns of strings are taken apart by templates (the codec is in string_codec.h).
#pragma once

#include <cstddef>

#include "format/codecs/codec_trial.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

// For the column that `scratch` is at: only columns of long strings that are no part of others but lists. Each is
// compared now and then with what other codecs make of it, and whenever the column is `compared` anyway.
TrialUse template_use(const StringSource& source, bool compared, StringScratch& scratch);
// `out` holds the same column from `start` on, by another codec. Replaces that by template strings if these are
// smaller by a sixteenth: they take longer to write.
void compare_with_templates(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out);

}  // namespace steno::format
