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
// The lines are those that `steno cat` prints. Log calls cost the same with sinks as without: the scribe hands copies
// of the records to a thread of each sink, which formats and writes. A line is on a terminal about 1 ms after its call;
// at other sinks within 0.1 s, and when flush() returns. Lines are in the order of time, across threads, among records
// that were published within 0.1 ms of their time stamps; one whose thread was held up longer inside the call comes
// when it is seen.
//
// A sink that blocks, fails or is slow delays nothing but itself. What its queue has no room for, or could not be
// written, is skipped; a line of the sink says how many lines are missing where they are missing, and
// Options::on_warning hears of the first. None of that touches the binary log, which has all of them.
//
// Sinks run in the process: they go with Scribe::kThread. A forked child has sinks of its own, to the same places. A
// scribe outside has sinks of its own, too, for all programs that it drains (`steno scribe --sink`,
// docs/guide/processes.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "steno/level.h"
#include "steno/rotation.h"
#include "steno/syslog.h"
#include "steno/when_full.h"

namespace steno {

// Standard output or error of the process. kNone: no console.
enum class Console { kNone, kStderr, kStdout };

// As `steno cat --format`.
enum class LineFormat { kText, kJson, kCsv, kLogfmt };

// Colours by level, in lines of text.
enum class Colour { kAuto, kNever, kAlways };  // kAuto: on a terminal, unless NO_COLOR is set or TERM is "dumb"

// A record as a line. Views, valid during the call.
struct Line {
  std::string_view text;     // without its line end
  std::int64_t time_ns = 0;  // since the Unix epoch; the binary log may know better by some 0.1 us, later
  Level level = Level::kInfo;
  std::string_view logger;  // empty: the nameless one
};

// A sink of the program's own. All calls come from one thread, the sink's, which must not log into the same session:
// it would feed itself. An exception is a failure, like false.
class Sink {
 public:
  virtual ~Sink() = default;
  // Takes `count` lines. False: they could not be written, and count as skipped.
  virtual bool write(const Line* lines, std::size_t count) = 0;
  // For flush() and the end of the session: everything written is to be where it belongs.
  virtual void flush() {}
};

// One sink. Exactly one of console, path, callback, sink, syslog.address and journal.address is set.
struct SinkOptions {
  // A console: lines are written at once if it is a terminal.
  Console console = Console::kNone;
  // A text file, appended to; made with Options::file_mode. Renamed or removed: a new one is begun within a second.
  std::string path = {};
  // Called for each line, as Sink::write is.
  std::function<void(const Line&)> callback = {};
  // One of the program's own.
  std::shared_ptr<Sink> sink = {};
  // Messages for a syslog daemon or the systemd journal (steno/syslog.h).
  SyslogOptions syslog = {};
  JournalOptions journal = {};

  // What rules call it ("sink:NAME=LEVEL"; steno/session.h): up to 63 printable ASCII characters without blanks,
  // commas, quotes, '=' and '*', and not digits alone. Empty: "console", "syslog", "journal", "callback", or a file's
  // name without its directories.
  std::string name = {};
  // Records of lower levels are left out. Rules change it while the session runs.
  Level level = Level::kTrace;
  // Only records of this logger, and of those below it ("net" has "net.http", too), or "net*": all that begin so.
  // Empty: all.
  std::string logger = {};
  // What a line is.
  LineFormat format = LineFormat::kText;
  // What a line of text holds, as `steno cat --pattern`: "{time} {level} {message}". Empty: as `steno cat`; of syslog
  // and the journal, "{message}", for the rest is in fields of their own.
  std::string pattern = {};
  bool local_time = false;  // times in the zone of the machine; false: UTC
  // Of text; other formats have no colours.
  Colour colour = Colour::kAuto;
  // Bytes of records that may wait for the sink, 64 KiB to 1 GiB. What comes then is skipped (kDrop), or the scribe
  // waits for the sink, up to Options::block_at_most, and with it the binary log and, once rings are full, log calls
  // (kBlock).
  std::size_t queue_bytes = std::size_t{16} << 20;
  WhenFull when_full = WhenFull::kDrop;
  // When a file goes on in a new one (steno/rotation.h); by time, with the first line after the moment.
  Rotation rotation = {};
};

}  // namespace steno
