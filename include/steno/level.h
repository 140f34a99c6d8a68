// Levels of log statements, least important first. The numbers are part of the file format (file.md §5).
#pragma once

#include <cstdint>

namespace steno {

// How important a message is.
enum class Level : std::uint8_t {
  kTrace = 0,
  kDebug = 1,
  kInfo = 2,
  kNotice = 3,
  kWarn = 4,
  kError = 5,
  kCritical = 6,
};

// How many levels there are.
inline constexpr int kLevelCount = 7;

// A threshold above every level: nothing passes.
inline constexpr Level kLevelOff = static_cast<Level>(7);

// "TRACE" .. "CRITICAL"; "OFF" for kLevelOff; "?" for anything else. Static storage.
constexpr const char* level_name(Level level) {
  constexpr const char* kNames[] = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL", "OFF"};
  const auto i = static_cast<unsigned>(level);
  return i < 8 ? kNames[i] : "?";
}

}  // namespace steno
