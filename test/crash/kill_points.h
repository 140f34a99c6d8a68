// The points at which checkers can be made to die (base/kill_point.h).
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "arena.h"

namespace steno::crash {

// All points of the library, found in its sources.
inline std::set<std::string> all_points() {
  std::set<std::string> points;
  const std::string open = "STENO_KILL_POINT(\"";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(STENO_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    const std::string text = read_text(entry.path().string());
    for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
      at += open.size();
      points.insert(text.substr(at, text.find('"', at) - at));
    }
  }
  return points;
}

}  // namespace steno::crash
