// When columns of strings are compressed with zstd (the codec is in string_codec.h).
#pragma once

#include <cstddef>

#include "format/codecs/codec_trial.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

// For the column that `scratch` is at. With kZstdWhereItPays each column is compared now and then: columns that zstd
// made much smaller use it until the next comparison; others are compared the more rarely, the more often it did not.
TrialUse zstd_use(const StringSource& source, StringScratch& scratch);
// `out` holds the same column from `start` on, by another codec. Replaces that by zstd strings if these take two thirds
// of it at most: zstd finds what repeats over long distances, but its columns take longer to search.
void compare_with_zstd(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out);

}  // namespace steno::format
