// Columns of string runs (file.md §9.6.5): strings that repeat the one before are written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace steno::format {

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
