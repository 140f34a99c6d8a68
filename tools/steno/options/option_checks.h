// Validators for the values of options. A value that does not pass is refused in one sentence:
// "--jobs: 'many' is no whole number".
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace steno::cli {

// Decimal digits. For transform(): the option gets them without leading zeros, which would make it an octal number.
CLI::Validator whole_number(std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<std::int64_t>::max());
// A finite number.
CLI::Validator real_number(double least, double most = std::numeric_limits<double>::max());
// Bytes, with a unit or without: "4096", "256M", "1.5GB", "1GiB"; units are powers of 1024. For transform(): the option
// gets plain digits.
CLI::Validator byte_size();
// One of these.
CLI::Validator one_of(std::vector<std::string> names);
// A text that is not empty; `advice` is appended to the error.
CLI::Validator some_text(std::string advice);

}  // namespace steno::cli
