// Sentences for people about what is missing.
#pragma once

#include <cstdint>
#include <string>

#include "base/iso_time.h"
#include "reader/losses.h"

namespace steno::reader {

// Without the path: "120 bytes at offset 4096 are damaged (checksum does not match): skipped".
std::string describe(const LogFile& file, const Loss& loss);
std::string describe(const Damage& damage);
// " after T and before U"; without what is open.
std::string span_of(const Loss& loss);

// "12,345,678".
std::string with_commas(std::uint64_t n);
// "1 record", "1,234 records".
std::string counted(std::uint64_t n, const char* one, const char* many);
using steno::iso_time;

}  // namespace steno::reader
