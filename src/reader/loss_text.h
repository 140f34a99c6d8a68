// Sentences for people about what is missing.
#pragma once

#include <cstdint>
#include <string>

#include "reader/losses.h"

namespace steno::reader {

// Without the path: "120 bytes at offset 4096 are damaged (checksum does not match): skipped".
std::string describe(const LogFile& file, const Loss& loss);
std::string describe(const Damage& damage);

// "12,345,678".
std::string with_commas(std::uint64_t n);
// "2026-11-20T22:24:43.123456789Z".
std::string iso_time(std::int64_t wall_ns);

}  // namespace steno::reader
