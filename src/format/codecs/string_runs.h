// When strings that repeat the one before are written once (the codec is in string_codec.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "format/codecs/codec_trial.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

// For the column that `scratch` is at: only columns in which about half of the strings repeat the one before. Each is
// compared now and then with what other codecs make of it.
TrialUse runs_use(const StringSource& source, StringScratch& scratch);
// `out` holds the same column from `start` on, by another codec. Replaces that by string runs if these are smaller by a
// sixteenth: few strings that come again and again have small indices anyway.
void compare_with_runs(const StringSource& source, StringScratch& scratch, std::size_t start, ByteBuffer& out);

// Such a column, but for its strings: from after its codec byte.
struct RunsHead {
  std::size_t count = 0;  // of the strings that do not repeat the one before
  std::span<const std::uint8_t> repeats;
};
// For n >= 1 untrusted strings; the column of `count` strings comes next. False: damaged.
[[nodiscard]] bool read_runs_head(ByteReader& in, std::size_t n, RunsHead* head);
// How often each of those strings comes again. False: damaged.
[[nodiscard]] bool read_repeats(const RunsHead& head, std::size_t n, std::span<std::uint64_t> repeats);

}  // namespace steno::format
