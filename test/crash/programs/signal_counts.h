// Counts of calls that have returned, in threads and in their signal handlers. programs/signals.cc shares them with its
// test.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace steno::crash {

inline constexpr unsigned kSignalThreads = 256;

struct SignalCounts {
  struct alignas(64) PerThread {
    std::uint64_t done;     // numbered messages of the thread itself
    std::uint64_t begun;    // messages of handlers that interrupted it
    std::uint64_t handled;  // of these, returned
  };
  std::array<PerThread, kSignalThreads> threads;
};

// The string in handler message `number`: a part of `source`, which is there before any signal is.
inline std::string signal_source() {
  std::string source(4096, ' ');
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>('a' + (i * i + i / 26) % 26);
  return source;
}
inline std::string_view signal_text(std::string_view source, std::uint64_t number) {
  const std::size_t size = number % 7 == 0 ? 2100 + number % 100 : number % 3 == 0 ? 300 : number % 20;
  return source.substr(number % 1000, size);
}

}  // namespace steno::crash
