// Units of sizes as people write them in options and in configuration files.
#pragma once

#include <cstdint>
#include <string_view>

namespace steno {

// The bytes of a unit: 1 of "" and "B"; 1,024 of "K", "KB" and "KiB"; and so on for M, G and T. The case of letters
// does not matter. 0: no unit.
std::uint64_t byte_unit(std::string_view unit);

}  // namespace steno
