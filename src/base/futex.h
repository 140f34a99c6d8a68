// Waiting on a word that may lie in memory shared between processes.
#pragma once

#include <cstdint>

namespace steno {

// Sleeps while *word == expected, at most timeout_ns; may return early for no reason.
void futex_wait(std::uint32_t* word, std::uint32_t expected, std::int64_t timeout_ns);
void futex_wake(std::uint32_t* word);

}  // namespace steno
