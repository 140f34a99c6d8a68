// Starting, stopping and configuring steno. The statements are in <steno/log.h>.
//
//   steno::start("app.steno");                // the default session; STENO_PATH in the environment starts it too
//   ...                                       // log from any thread
//   steno::stop();                            // optional: done at exit, after the last static destructor
//
//   steno::Options options;                   // C++17; in C++20 also
//   options.level = steno::Level::kDebug;     //   steno::start({.path = "app.steno", .level = steno::Level::kDebug});
//   steno::start("app.steno", options);
//
//   steno::start_from_file("steno.toml");     // all of it in a file; STENO_CONFIG in the environment
//
// A Session has its own file, scribe (the thread that writes the file) and options. The default session serves
// statements that name no logger; other sessions serve the loggers that they made. Records logged before start() are
// kept and written once the session runs; records logged after stop() are written at exit. If no session ever runs, the
// records are lost, and their number is reported on stderr at exit.
//
// Once a log call has returned, its record survives the process, however the process ends. It is in the file or in
// shared memory. Readers find it in either, and the next start() on the same path writes it to the file
// (docs/guide.md).
//
// All functions here are thread-safe; start, stop and open must not be called from a signal handler.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "steno/detail/library_modes.h"
#include "steno/level.h"
#include "steno/logger.h"
#include "steno/recorder.h"
#include "steno/rotation.h"
#include "steno/sink.h"
#include "steno/status.h"
#include "steno/when_full.h"

#include "steno/detail/begin.h"

namespace steno {

// For Options::block_at_most.
inline constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

// Where time stamps come from.
enum class Clock {
  kBest,    // the CPU's invariant counter (about 10 ns a read), else the wall clock
  kWall,    // CLOCK_REALTIME at each call (about 20 ns)
  kCoarse,  // the counter as of the scribe's last round, a few microseconds ago (under 1 ns); the scribe then never
            // sleeps and takes a core of its own
  kUser,  // Options::user_clock: nanoseconds since the Unix epoch; any time from 1970 to 2262, as a simulation's from 0
          // on. A negative one counts as 0
};

// When written blocks are forced to the disk (fdatasync). Records survive a crash of the process in any case; this
// protects them from a crash of the machine.
enum class Sync { kNever, kEachBlock, kOnLevel, kInterval };

// The scribe of a session, which writes its records to its file.
enum class Scribe {
  kThread,    // a thread of this process
  kExternal,  // another process, 'steno scribe'. Records stay in shared memory until it runs; they survive both
              // processes
};

// How a session's scribe waits for work. Log calls wait for the scribe only when their ring is full, so this decides
// only how soon it sees new records, and at what cost. (With Clock::kCoarse the scribe always spins.)
enum class ScribeWait {
  // Sleeps until a timer expires or a call wakes it: a call that fills half of its ring, or has flush_level. Such a
  // call makes a system call, which takes a microsecond or more. Costs nothing while nothing is logged.
  kBlock,
  // Polls every millisecond. No call wakes it, so no call makes a system call. Costs about 2 % of a core while nothing
  // is logged, and sees records after up to a millisecond.
  kSleep,
  // Polls all the time and yields its core after each poll. Uses the idle time of a core and sees records within
  // microseconds while it has one. No call wakes it.
  kYield,
  // Polls every few microseconds and keeps its core. For machines with cores to spare; see scribe_cpu. If producers
  // share its core, it takes their time.
  kSpin,
};

// The options of a session. Each can also be set in a configuration file (Options::config).
struct STENO_HAS_CONTAINERS Options {
  // The log file. An existing log is appended to. Empty: STENO_PATH from the environment. If that is not set either, an
  // external scribe chooses the file, and a session with sinks has no file. Directories that do not exist are made
  // (0755 minus the umask). Fields are replaced when the session starts: {pid}, {program}, {host}, {date} (2026-11-22)
  // and {time} (2026-11-22T20-15-00), as rotation.local_time says, and ${NAME}, an environment variable; other names in
  // braces are an error.
  std::string path = {};
  // A configuration file (TOML) whose keys are the names of these options. It overrides the options set here, and the
  // environment overrides both; its sinks are added to those set here. STENO_CONFIG in the environment names another
  // file for the default session. A mistake in the file is an error that names the line. The file is read again after
  // it has been written and closed, or replaced: usually within 10 ms, within two seconds where the kernel does not
  // report changes (network file systems, targets of links). New values of `level` and `levels` take effect then. A
  // warning says that other changes need a restart, or, if the file cannot be read, that the previous configuration
  // stays in effect.
  // Options that are functions can be set only by the program. docs/guide.md
  std::string config = {};
  // Print records on standard error; the same as {.console = Console::kStderr} among the sinks. STENO_CONSOLE in the
  // environment overrides this option and those sinks: 1 (or true, on, yes, stderr), stdout, 0 (or false, off, no) for
  // no console.
  bool console = false;
  // Other places to which records go, as lines (steno/sink.h).
  std::vector<SinkOptions> sinks = {};
  // When the log continues in a new file, and which closed files are kept (steno/rotation.h).
  Rotation rotation = {};
  // Statements below this level are disabled, unless a rule covers them.
  Level level = Level::kInfo;
  // Rules for loggers, files, lines and texts, and optionally a level, as for set_levels(). They apply when the session
  // begins; a malformed rule is an error. STENO_LEVEL in the environment has rules of the same form, which override
  // these and `level`; a malformed one there causes a warning, and the others hold.
  std::string levels = {};
  // The flight recorder: which records are kept in shared memory until something happens (steno/recorder.h).
  Recorder recorder = {};

  // If the process dies of a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT), log a CRITICAL record with the
  // signal, the address and the place, and one record for each stack frame, as `module+offset` for addr2line. They
  // carry the name and the context of the faulting thread. This installs signal handlers, which then call the previous
  // handlers or let the process die. So start the session before other crash reporters, or have these call the previous
  // handlers; and do not use it where faults are part of normal operation (a JVM). The handlers run on their own stack
  // (64 KiB) in the thread that starts the session and in threads that log for the first time after that; a stack
  // overflow in another thread leaves no record. In a forked child nothing is recorded before its first log call.
  bool crash_record = false;

  // The maximum size of a thread's ring in bytes, rounded up to a power of two, 4 KiB to 1 GiB. A record takes 16 bytes
  // and its arguments. A ring starts with 16 KiB (or this size, if less), has 64 KiB after these have filled once,
  // grows while the thread logs faster than the ring is drained, and shrinks afterwards.
  std::size_t ring_bytes = std::size_t{1} << 23;
  // The maximum number of bytes that the rings of this session may reach in total by growing; new threads always get
  // their first ring. Rings also stop growing when less than an eighth of the file system (or 64 MiB, if that is less)
  // would stay free.
  std::size_t staging_limit = std::size_t{1} << 28;
  // The policy of a call whose ring is full and cannot grow.
  WhenFull when_full = WhenFull::kBlock;
  // Exceptions to when_full, e.g. {{Level::kTrace, WhenFull::kDrop}}.
  std::map<Level, WhenFull> when_full_at = {};
  // How long kBlock waits while the log file cannot be written (a full disk), counted from the first failure for all
  // calls of all threads together. After that, full rings drop and count records until the file can be written again.
  // kForever is for audit logs, where the program should rather stop than lose a record. Waiting for a busy scribe is
  // not limited.
  std::chrono::milliseconds block_at_most{1000};

  // Where time stamps come from. Clock::kUser needs user_clock.
  Clock clock = Clock::kBest;
  std::uint64_t (*user_clock)() = nullptr;

  // The longest time until a record is written to the file; meanwhile it is safe in shared memory. A busy log is
  // written at least every second.
  std::chrono::milliseconds flush_interval{5000};
  // Records of this level or above (WARN or higher) are written at once, with all earlier ones. kLevelOff: never.
  Level flush_level = Level::kError;

  // When blocks are forced to the disk.
  Sync sync = Sync::kNever;
  Level sync_level = Level::kError;               // Sync::kOnLevel; WARN or above
  std::chrono::milliseconds sync_interval{1000};  // Sync::kInterval

  // Compress string columns with zstd at this level, 1 to 19, wherever that makes them smaller. 0: at level 1, and only
  // columns of which it leaves two thirds at most of what everything else does; others can be searched faster.
  // -1: never.
  int zstd_level = 0;
  // While the scribe falls behind, it compresses with less effort until it has caught up, which makes the file larger;
  // `steno stat` shows in how many blocks. False: it always compresses fully, and calls wait for it, or records are
  // dropped.
  bool keep_up = true;
  // The scribe, which writes the file; STENO_SCRIBE=external in the environment selects an external scribe too. An
  // external scribe has its own settings in place of zstd_level, keep_up, sync, flush_interval, rotation, file_mode,
  // scribe_cpu and scribe_nice. It cannot serve Clock::kCoarse. flush() and stop() wait for it if it runs. While none
  // runs, kBlock waits for block_at_most and then drops.
  Scribe scribe = Scribe::kThread;
  // True: stop() and the end of the process wait until an external scribe has written the session's end. False: they do
  // not wait, and do not warn if no scribe runs.
  bool stop_waits = true;
  // False: no scribe thread. Call poll() often, from one of your own threads.
  bool scribe_thread = true;
  // The CPU to pin the scribe thread to; -1: any.
  int scribe_cpu = -1;
  // Added to the nice value that the scribe thread inherits from the thread that starts the session, as nice(1) does:
  // -20 to 19; the sum is clamped to this range. A higher value gives the scribe less CPU time. Values below 0 need
  // CAP_SYS_NICE or RLIMIT_NICE; if the system refuses, a warning says so and the scribe keeps its priority. Calls that
  // wait for room in a full ring wait for this thread.
  int scribe_nice = 0;
  // How the scribe thread waits. STENO_SCRIBE_WAIT in the environment overrides it: block, sleep, yield or spin.
  ScribeWait scribe_wait = ScribeWait::kBlock;
  // The directory for rings, tried before /dev/shm. Only the first start of a session uses it, later ones keep what
  // that chose; STENO_STAGING sets it before main.
  std::string staging_directory = {};
  // Permissions of a log file that start() creates.
  unsigned file_mode = 0600;
  // Called with one sentence for each problem. Runs in threads of steno, possibly two at the same time; must not log.
  // Default: print on stderr.
  std::function<void(const std::string&)> on_warning = {};
};

// Counters of a session.
struct Stats {
  std::uint64_t records = 0;        // in the file and in rotated files
  std::uint64_t bytes = 0;          // written by this session to these files
  std::uint64_t blocks = 0;         // of data
  std::uint64_t dropped = 0;        // records dropped by full rings since the process created them
  std::uint64_t scribe_cpu_ns = 0;  // CPU time of the scribe thread; 0 without one
  std::uint64_t quick_blocks = 0;   // compressed with less effort (Options::keep_up)
  std::uint64_t staging_bytes = 0;  // that the rings take now, in whole pages of the machine
  std::uint64_t stalls = 0;         // calls that waited for room in a full ring since the process created its rings
  std::uint64_t longest_stall_ns = 0;
  std::uint64_t backlog_bytes = 0;       // bytes in the rings that are not in the file yet
  std::uint64_t most_backlog_bytes = 0;  // the largest backlog that the scribe has seen; only with Scribe::kThread
  std::uint64_t lag_ns = 0;              // time from when the scribe saw the records that it wrote last to their write;
  std::uint64_t longest_lag_ns = 0;      // and the longest such time. Both include waiting for flush_interval
  std::uint64_t discarded = 0;  // records refused for other reasons than a full ring, counted as those: a signal
                                // handler within a log call, no memory for a ring. The log names the reason
};

// A log in addition to the default one. Movable. The destructor stops it.
class STENO_HAS_CONTAINERS Session {
 public:
  // Opens the file and starts the scribe. Fails if the path or an option is wrong, or if 63 sessions are open; the
  // message says why.
  static Result<Session> open(Options options);
  // Opens at a path: open("app.steno"), open("app.steno", options).
  template <class Path, class = std::enable_if_t<std::is_convertible_v<const Path&, std::string>>>
  static Result<Session> open(const Path& path, Options options = {}) {
    options.path = path;
    return open(std::move(options));
  }

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // A logger of this session; the same one for the same name. After 32,767 names, the nameless one.
  // `level`: its level, as set by Logger::set_level(), unless that function or a rule has already set one for this
  // name. Without it the logger has the level of the loggers above it, or the session's.
  Logger logger(const std::string& name);
  Logger logger(const std::string& name, Level level);

  // Does what steno::set_levels() does. The level and the rules for loggers apply to this session; rules for files,
  // lines and texts apply to statements, which all sessions share.
  IgnorableStatus set_levels(const std::string& rules);

  // Returns when everything logged before, by any thread, is in the file and has been passed to the sinks (or
  // block_at_most has passed). Otherwise returns why the file cannot be written.
  IgnorableStatus flush();
  // Does what flush() does, and continues the log and the text files of sinks in new files, with the names and limits
  // of Options::rotation, whatever its schedule is. Everything logged before is in the closed files. A file without
  // records is not closed. Fails if the file cannot be renamed, or if the scribe is another process.
  IgnorableStatus rotate();
  // Does what flush() does, and also writes the contents of the flight recorder (steno/recorder.h). Fails if there is
  // none.
  IgnorableStatus dump_recorder();
  // Writes what is due and executes requests of `steno ctl`. For sessions without a scribe thread, or with an external
  // scribe. Returns whether there was anything to do.
  bool poll();
  // Writes everything and an end mark, and closes the file. From then on its loggers refuse all records. Idempotent.
  IgnorableStatus stop();
  Stats stats() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Starts the default session. False: it is already running, or the file cannot be opened; the reason is printed on
// stderr, because few programs check.
bool start(Options options = {});
// Starts at a path: start("app.steno"), start("app.steno", options).
template <class Path, class = std::enable_if_t<std::is_convertible_v<const Path&, std::string>>>
bool start(const Path& path, Options options = {}) {
  options.path = path;
  return start(std::move(options));
}
// Starts with a configuration file: Options::config.
inline bool start_from_file(const std::string& config, Options options = {}) {
  options.config = config;
  return start(std::move(options));
}
// Does what start() does, but returns the reason and prints nothing.
Status try_start(Options options);
IgnorableStatus flush();
IgnorableStatus rotate();
IgnorableStatus dump_recorder();
bool poll();
void stop();
Stats stats();

// A logger of the default session; before start() too.
Logger logger(const std::string& name);
Logger logger(const std::string& name, Level level);

// The level of the default session: of statements that name no logger, and of loggers without a level of their own.
// Takes effect at once and costs one store per statement. start() sets it to Options::level.
void set_level(Level level);
Level level();

// Changes which statements of the default session are enabled, at once; also before start(). `rules` are separated by
// commas:
//
//   LEVEL            of the session, as set_level()
//   LOGGER=LEVEL     of that logger and those below it ("net" includes "net.http"), as Logger::set_level()
//   FILE=LEVEL       of all statements of files whose path ends in this: "storage.cc", "db/storage.cc"
//   FILE:LINE=LEVEL  of the statements of a line
//   TEXT=LEVEL       of statements whose format matches a pattern: TEXT contains '*', which stands for any text
//                    (retry*), or is in quotes ("connection lost"); a backslash escapes '*' and '"'
//   sink:NAME=LEVEL  of the session's sinks of that name (SinkOptions::name)
//   reset            removes all rules and keeps the session's level
//
// LEVEL is the name of a level or a common alias, in upper or lower case, or its number: debug, WARNING, off, 2.
// "inherit" removes the rule. A word that contains '/' or ends like a source file (.cc, .h, …) is a FILE.
//
// - One rule decides about a statement: the one for its line or text; else the one for its file; else the one for its
//   logger, or for the nearest logger above it; else the session's level. Among equal rules the last one counts.
// - A rule for a sink is independent of the others: it replaces SinkOptions::level for records that the sink has not
//   received yet. A rule for an unknown sink has no effect.
// - A rule for a line, text or file enables a statement whatever level its logger has, in all sessions of the process.
//   Only a logger whose session has ended stays closed.
// - Rules persist, and apply to loggers and statements that are added later, also by shared libraries. A rule replaces
//   an earlier one with the same target. At most 4,096 rules for statements are kept; after that each new one removes
//   the oldest.
// - Statements that STENO_MIN_LEVEL removed at compile time cannot be enabled.
// - A malformed rule is ignored, and the others hold; kInvalidArgument says which and why.
//
// Cost: a statement that a rule disables costs the same as any disabled one; an enabled one costs nothing extra.
// Thread-safe; not for signal handlers. A forked child starts with the rules of its parent.
IgnorableStatus set_levels(const std::string& rules);

// Names the calling thread in all logs from now on (up to 255 bytes). Default: its kernel name at its first log call.
void set_thread_name(const std::string& name);
// Gives the calling thread its ring now, so that its first log call costs the same as later ones.
void prepare_thread();

}  // namespace steno

#include "steno/detail/end.h"
