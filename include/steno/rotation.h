// Rotation: when a log continues in a new file, how closed files are named, and how many are kept.
//
//   steno::start({.path = "app.steno", .rotation = {.max_bytes = 100 << 20, .when = "daily 03:30", .keep = 14}});
//   steno::rotate();                       // now: when it returns, everything logged before is in a closed file
//
// The current file always has the session's path, and `steno tail -f` continues across rotations. A closed file is
// renamed in the same directory: app.steno becomes app.2026-11-22T20-15-00.steno. Each file can be read alone, and
// 'steno cat app*.steno' reads all of them as one log. Log calls never wait for a rotation. No file is ever
// overwritten. If a file cannot be renamed (no write permission for the directory), there is one warning, logging
// continues in that file, and rotation is retried every second.
//
// If several sessions or processes write the same file, one of them rotates it. The others continue in the new file
// within a second; their records until then are in the closed file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace steno {

// Options::rotation, and SinkOptions::rotation of text files.
struct Rotation {
  // A file that has reached this size is closed. It exceeds the size by less than a block (a few MiB at most, for a
  // busy log). At least 4 KiB. 0: no limit.
  std::uint64_t max_bytes = 0;
  // "hourly"; "midnight", which is "daily"; "daily 03:30"; "weekly", "weekly sun" or "weekly sun 03:30" (default:
  // Monday, midnight); "every 15m", "every 6h", "every 10s", counted from midnight (s and m must divide an hour, h must
  // divide a day). Empty: never. Files without records are not closed. A file that was created before such a time and
  // is opened after it is closed at once.
  std::string when = {};
  // True: `when` and names of files use the local time zone, with its daylight saving time; false: UTC. A time of day
  // that occurs twice counts the first time; one that is skipped counts when the clock passes it.
  bool local_time = false;
  // Start the session with a new file, unless another process or session is writing the file.
  bool on_start = false;
  // The name of closed files: {stem} and {ext} (app and .steno for app.steno), {time} (2026-11-22T20-15-00), {date},
  // {n} (one more than the largest existing number), {pid}. If the name exists, _2, _3 and so on is added before {ext}.
  std::string name = "{stem}.{time}{ext}";

  // Limits for closed files, including those of earlier runs: keep this many of the newest, those last written within
  // this time, and as many of the newest as fit into this many bytes. The others are removed when a session begins a
  // file. 0: no limit. Only regular files are removed that belong to the user, match `name`, are not being written, and
  // (for binary logs) begin like a log.
  std::uint32_t keep = 0;
  std::chrono::seconds keep_for{0};
  std::uint64_t keep_bytes = 0;
};

}  // namespace steno
