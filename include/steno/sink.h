// Where a session's records go besides the binary log, as lines: the console, text files, syslog, the systemd journal,
// functions of the program.
//
//   steno::start({.path = "app.steno", .console = true});             // while developing; or STENO_CONSOLE=1
//   steno::start({.console = true});                                  // without a binary log
//   steno::start({.path = "app.steno",
//                 .sinks = {{.path = "app.log", .level = steno::Level::kWarn},
//                           {.path = "app.json", .format = steno::LineFormat::kJson},
//                           {.callback = [](const steno::Line& line) { window.show(line.text); }}}});
//
// The lines are those that `steno cat` prints. Log calls cost the same with and without sinks: the scribe passes copies
// of the records to each sink's thread, which formats and writes them. A line reaches a terminal about 1 ms after its
// call, and other sinks within 0.1 s, or before flush() returns. Lines are ordered by time across threads, except a
// record whose thread was interrupted for more than 0.1 ms inside the call: its line appears when the scribe sees the
// record.
//
// A sink that blocks, fails or is slow delays only itself. Lines that do not fit into its queue, or could not be
// written, are skipped. At the gap, the sink prints how many lines are missing, and Options::on_warning is called for
// the first gap. The binary log has every record in any case.
//
// Sinks run in the process and need Scribe::kThread. A forked child has its own sinks, which write to the same places.
// An external scribe has its own sinks, for all programs that it drains (`steno scribe --sink`,
// docs/guide/processes.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "steno/detail/library_modes.h"
#include "steno/level.h"
#include "steno/rotation.h"
#include "steno/syslog.h"
#include "steno/when_full.h"

namespace steno {

// Standard output or error of the process. kNone: no console.
enum class Console { kNone, kStderr, kStdout };

// The formats of `steno cat --format`.
enum class LineFormat { kText, kJson, kCsv, kLogfmt };

// Colours by level, in lines of text.
enum class Colour { kAuto, kNever, kAlways };  // kAuto: on a terminal, unless NO_COLOR is set or TERM is "dumb"

// A record as a line. Views, valid during the call.
struct Line {
  std::string_view text;     // without the newline
  std::int64_t time_ns = 0;  // since the Unix epoch; may differ from the binary log by about 0.1 us
  Level level = Level::kInfo;
  std::string_view logger;  // empty: the nameless one
};

// A sink that the program implements. All calls come from the sink's own thread, which must not log to the same
// session, because each call would cause another. An exception counts as a failure, like returning false.
class STENO_HAS_STRINGS Sink {
 public:
  virtual ~Sink() = default;
  // Writes `count` lines. False: they could not be written, and count as skipped.
  virtual bool write(const Line* lines, std::size_t count) = 0;
  // Called by flush() and at the end of the session: makes sure that all lines have reached their destination.
  virtual void flush() {}
};

// One sink. Exactly one of console, path, callback, sink, syslog.address and journal.address is set.
struct STENO_HAS_STRINGS SinkOptions {
  // A console: lines are written at once if it is a terminal.
  Console console = Console::kNone;
  // A text file, which is appended to, or created with file_mode; its directories are made too. If it is renamed or
  // removed, a new one is created within a second. Fields in braces are those of Options::path.
  std::string path = {};
  // Permissions of a text file that the sink creates, minus the umask: 0640 for a collector in the file's group. 0:
  // those of Options::file_mode.
  unsigned file_mode = 0;
  // Called for each line, as Sink::write is.
  std::function<void(const Line&)> callback = {};
  // A sink that the program implements.
  std::shared_ptr<Sink> sink = {};
  // Messages for a syslog daemon or the systemd journal (steno/syslog.h).
  SyslogOptions syslog = {};
  JournalOptions journal = {};

  // Its name in rules ("sink:NAME=LEVEL"; steno/session.h): up to 63 printable ASCII characters without blanks, commas,
  // quotes, '=' and '*', and not only digits. Empty: "console", "syslog", "journal", "callback", or the name of the
  // file without its directories.
  std::string name = {};
  // Records of lower levels are left out. Rules can change it while the session runs.
  Level level = Level::kTrace;
  // Only records of this logger and of those below it ("net" includes "net.http"); "net*" is every logger whose name
  // begins with "net". Empty: all.
  std::string logger = {};
  // The format of lines.
  LineFormat format = LineFormat::kText;
  // The layout of text lines, as for `steno cat --pattern`: "{time} {level} {message}". Empty: as `steno cat` prints;
  // for syslog and the journal "{message}", because they have fields for the rest.
  std::string pattern = {};
  bool local_time = false;  // times in the zone of the machine; false: UTC
  // For text; other formats have no colours.
  Colour colour = Colour::kAuto;
  // Prints at most so many lines a second of each statement, and then one that counts the rest: "… 412 more like this
  // in 1 s: cache.cc:88 'miss {key}'". The seconds are those of the records' times. For text lines on a console or in a
  // file. 0: any number. -1: 50 on a terminal, any number elsewhere.
  std::int32_t max_rate = -1;
  // How many bytes of records may wait for the sink, 64 KiB to 1 GiB. When the queue is full, records are skipped
  // (kDrop), or the scribe waits for the sink, up to Options::block_at_most (kBlock). Then the binary log waits too,
  // and once rings are full, so do log calls.
  std::size_t queue_bytes = std::size_t{16} << 20;
  WhenFull when_full = WhenFull::kDrop;
  // When a text file is rotated (steno/rotation.h). Rotation by time happens with the first line after that time.
  Rotation rotation = {};
};

}  // namespace steno
