// Times for people.
#pragma once

#include <cstdint>
#include <string>

namespace steno {

// "2026-11-20T22:24:43.123456789Z".
std::string iso_time(std::int64_t wall_ns);

}  // namespace steno
