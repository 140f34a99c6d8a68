// Waiting on a word that may lie in memory shared between processes.
#pragma once

#include <cstdint>
#include <vector>

namespace steno {

// Sleeps while *word == expected, at most timeout_ns; may return early for no reason.
void futex_wait(std::uint32_t* word, std::uint32_t expected, std::int64_t timeout_ns);
void futex_wake(std::uint32_t* word);
struct FutexWord {
  std::uint32_t* word = nullptr;
  std::uint32_t expected = 0;
};
// Sleeps while all words are as expected, at most timeout_ns; may return early for no reason. Where the system cannot
// wait for so many (or any), it sleeps for `otherwise_ns`.
void futex_wait_any(const std::vector<FutexWord>& words, std::int64_t timeout_ns, std::int64_t otherwise_ns);

}  // namespace steno
