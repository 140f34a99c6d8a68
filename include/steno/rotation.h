// When a log begins a new file, what the closed ones are called, and how many of them are kept.
//
//   steno::start({.path = "app.steno", .rotation = {.max_bytes = 100 << 20, .when = "daily 03:30", .keep = 14}});
//   steno::rotate();                       // now: what has been logged is in a closed file when it returns
//
// The file that is written always has the session's path; `tail -f` and the like go on over a rotation. A closed file
// is renamed, beside it: app.steno becomes app.2026-11-22T20-15-00.steno. Each stands alone, and 'steno cat app*.steno'
// reads all of them as one log. Log calls do not wait for any of it. No file is ever overwritten. Where a file cannot
// be renamed (a directory that is not ours to write to), one warning says so, logging goes on in it, and it is tried
// again every second.
//
// Of several sessions and processes that write one file, one rotates it, and the others go on in the new file within a
// second; what they log until then is in the closed one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace steno {

// Options::rotation, and SinkOptions::rotation of text files.
struct Rotation {
  // A file that has become that large is closed; it is larger by less than a block (some MiB at most, of a log that is
  // in a hurry). At least 4 KiB. 0: no limit.
  std::uint64_t max_bytes = 0;
  // "hourly"; "daily" or "daily 03:30"; "weekly", "weekly sun" or "weekly sun 03:30" (Monday and midnight if not said);
  // "every 15m", "every 6h", "every 10s", from midnight on (of s and m what divides an hour, of h what divides a day).
  // Empty: never. Files without records are not closed.
  // A file that was begun before such a moment and is opened after it is closed then.
  std::string when = {};
  // `when` and names go by the zone of the machine, across changes of daylight saving time; false: UTC. A time of day
  // that is there twice counts the first time; one that is left out, when the clock goes past it.
  bool local_time = false;
  // The session begins with a new file. Not where another process, or session, is writing the file.
  bool on_start = false;
  // Names of closed files: {stem} and {ext} (of app.steno: app and .steno), {time} (2026-11-22T20-15-00), {date}, {n}
  // (one more than the largest that is there), {pid}. A name that is taken gets _2, _3 and so on, before {ext}.
  std::string name = "{stem}.{time}{ext}";

  // Of the closed files, by their names, of earlier runs too: the youngest so many, those that were last written so
  // recently, and as many of the youngest as have no more bytes than that together. The others are removed when a
  // session begins a file. 0: no limit. Only regular files of the user's are, that have such a name and (of binary
  // logs) begin as a log does, and that nobody writes to.
  std::uint32_t keep = 0;
  std::chrono::seconds keep_for{0};
  std::uint64_t keep_bytes = 0;
};

}  // namespace steno
