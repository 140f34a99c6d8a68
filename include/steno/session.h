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
// A Session has a file, a scribe (the thread that writes the file) and options of its own. The default session serves
// statements that name no logger; others serve the loggers that they made. Records logged before start() wait and are
// taken along; so are, at exit, those logged after stop(). What was logged and no session ever ran is counted, and said
// on stderr at exit.
//
// A record whose call has returned survives the process, however that ends: it is in the file or in shared memory,
// where readers find it and from where the next start() on the same path writes it into the file (docs/guide.md).
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

#include "steno/level.h"
#include "steno/logger.h"
#include "steno/recorder.h"
#include "steno/rotation.h"
#include "steno/sink.h"
#include "steno/status.h"
#include "steno/when_full.h"

namespace steno {

// For Options::block_at_most.
inline constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

// Where time stamps come from.
enum class Clock {
  kBest,    // the CPU's invariant counter (about 10 ns a read), else the wall clock
  kWall,    // CLOCK_REALTIME at each call (about 20 ns)
  kCoarse,  // the counter as of the scribe's last round, a few microseconds ago (under 1 ns); the scribe then never
            // sleeps and takes a core of its own
  kUser,    // Options::user_clock: nanoseconds since the Unix epoch
};

// When written blocks are forced to the disk (fdatasync). Records survive the death of the process in any case; this is
// about the death of the machine.
enum class Sync { kNever, kEachBlock, kOnLevel, kInterval };

// Who writes what a session logs into its file.
enum class Scribe {
  kThread,    // a thread of this process
  kExternal,  // another process: 'steno scribe'. Records wait in shared memory until it comes; they survive both
};

// How a session's scribe waits for something to do. A program's calls never wait for it, but in a full ring; this is
// about how soon it sees what they logged, and what that costs. (Clock::kCoarse spins in any case.)
enum class ScribeWait {
  // Sleeps until a timer, or until a call wakes it: one that passes half a ring, or is of flush_level. Such a call pays
  // for the system call, a microsecond or some. Nothing while nothing is logged.
  kBlock,
  // Looks every millisecond, and no call wakes it: none makes a system call. Costs about 2 % of a core while nothing is
  // logged, and up to a millisecond until it sees something.
  kSleep,
  // Looks all the time, and offers its core to others after each look. Takes what a core has left, sees what is logged
  // within microseconds where it gets one, and no call wakes it.
  kYield,
  // Looks every few microseconds and keeps its core. For machines with cores to spare; see scribe_cpu. Where producers
  // share its core, it takes their time.
  kSpin,
};

// What a session is to do. Every option has its place in a configuration file, too (Options::config).
struct Options {
  // The log file; appended to if it is one already. Empty: STENO_PATH from the environment; where that is not set
  // either and the scribe is external, that names the file; where it is not set and there are sinks, there is no file.
  std::string path = {};
  // A configuration file (TOML), whose keys are the names of these options: what it says goes before what is said here,
  // and the environment before both; its sinks come besides. STENO_CONFIG in the environment names another one for the
  // default session. What is wrong with it is an error that says the line. It is read again when it has been written
  // and closed, or another has taken its place, usually within 10 ms (in two seconds where the kernel does not say so:
  // a file of a network, the other end of a link): `level` and `levels` that change are in effect then, of other
  // changes a warning says that they need a restart, and of a file that cannot be read (or is gone) that all stays as
  // it was.
  // Functions are for the program alone. docs/guide.md
  std::string config = {};
  // Lines on standard error, as of {.console = Console::kStderr} among the sinks. STENO_CONSOLE in the environment
  // overrides it and them: 1 or stderr, stdout, 0 for no console.
  bool console = false;
  // Where records go as lines besides (steno/sink.h).
  std::vector<SinkOptions> sinks = {};
  // When the log goes on in a new file, and which of the closed ones are kept (steno/rotation.h).
  Rotation rotation = {};
  // Statements below it are disabled, where no rule is about them.
  Level level = Level::kInfo;
  // Rules for loggers, files, lines and texts besides, and perhaps another level: as set_levels(), when the session
  // begins. A wrong one is an error. Then STENO_LEVEL in the environment overrides both: rules like these, of which a
  // wrong one is a warning and the others hold.
  std::string levels = {};
  // Which records are kept in shared memory until something happens (steno/recorder.h).
  Recorder recorder = {};

  // Where the process dies of a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), the log gets a CRITICAL record of the
  // signal, the address and the place, and one for each frame of the stack, `module+offset` as addr2line takes them, in
  // the name of the thread and with its context. Handlers are installed for that, which go on to those that were there
  // before, or to the death of the process; so start before other reporters of crashes, or let them call on, and not
  // where faults are the daily business of a runtime (a JVM). They run on a stack of their own (64 KiB), of the thread
  // that starts the session and those that log for the first time after that: in others an overflow of the stack leaves
  // no record. Nothing is recorded in a forked child before its first log call.
  bool crash_record = false;

  // The most bytes of a thread's ring, rounded up to a power of two, 4 KiB to 1 GiB. A record takes 16 bytes and its
  // arguments. A ring begins with 16 KiB (or less, if this is), has 64 KiB once these are full, grows where the thread
  // logs faster than they are emptied, and becomes small again when it does not.
  std::size_t ring_bytes = std::size_t{1} << 23;
  // The most bytes that rings of this session may take in all by growing; what threads begin with is not refused. Nor
  // do they grow where less than an eighth of the file system (or 64 MiB, if that is less) would be left.
  std::size_t staging_limit = std::size_t{1} << 28;
  // What a call does that finds its ring full, and the ring cannot grow.
  WhenFull when_full = WhenFull::kBlock;
  // Exceptions to when_full, e.g. {{Level::kTrace, WhenFull::kDrop}}.
  std::map<Level, WhenFull> when_full_at = {};
  // How long kBlock waits for a log file that refuses to be written (a full disk): from the first refusal on, all calls
  // of all threads together. Then what finds no room is dropped and counted, until the file can be written again. For
  // an audit log, whose program is rather to stand still: kForever. Waiting for a scribe that is busy has no bound.
  std::chrono::milliseconds block_at_most{1000};

  // Where time stamps come from; user_clock is for Clock::kUser, which must have one.
  Clock clock = Clock::kBest;
  std::uint64_t (*user_clock)() = nullptr;

  // The longest a record waits for its block. Records are safe in shared memory meanwhile; a log that is not slow is
  // written at least every second.
  std::chrono::milliseconds flush_interval{5000};
  // Records of this level (WARN or above) and up are written at once, with all before them. kLevelOff: never.
  Level flush_level = Level::kError;

  // When blocks are forced to the disk.
  Sync sync = Sync::kNever;
  Level sync_level = Level::kError;               // Sync::kOnLevel; WARN or above
  std::chrono::milliseconds sync_interval{1000};  // Sync::kInterval

  // Compress string columns with zstd where it gains: 1 to 19. 0: never.
  int zstd_level = 0;
  // Where the scribe does not keep up with what is logged, it packs with less effort until it has caught up,
  // and the file becomes larger than it could be; `steno stat` says in how many blocks. False: never, and calls wait
  // for it instead, or records are dropped.
  bool keep_up = true;
  // Where it is external, STENO_SCRIBE=external in the environment says so too, and zstd_level, keep_up, sync,
  // flush_interval, rotation, file_mode, scribe_cpu and scribe_nice are that scribe's affair; Clock::kCoarse needs a
  // thread. flush() and stop() wait for it, if it is there. While there is none, kBlock waits for block_at_most and
  // then drops.
  Scribe scribe = Scribe::kThread;
  // Whether stop(), and the end of the process, wait until an external scribe has written the session's end. False:
  // they leave that to it, and say nothing if there is none.
  bool stop_waits = true;
  // False: no scribe thread; call poll() often from a thread of your own.
  bool scribe_thread = true;
  // The CPU to pin the scribe thread to; -1: any.
  int scribe_cpu = -1;
  // Added to the nice value that the scribe thread has from the thread that starts the session, as nice(1) does: -20 to
  // 19, the sum is kept in these bounds, a larger one runs less. Below 0 needs CAP_SYS_NICE or RLIMIT_NICE; where the
  // system refuses, a warning says so and the scribe runs on as it is. Calls that wait for room in a full ring wait for
  // this thread.
  int scribe_nice = 0;
  // Of the scribe thread. STENO_SCRIBE_WAIT in the environment overrides it: block, sleep, yield or spin.
  ScribeWait scribe_wait = ScribeWait::kBlock;
  // Where rings live, tried before /dev/shm. Only the first start of a slot decides; STENO_STAGING says it before main.
  std::string staging_directory = {};
  // Permissions of a log file that start() makes.
  unsigned file_mode = 0600;
  // Hears, in a sentence, of anything that goes wrong (from threads of steno's, of two at once perhaps; must not log).
  // Default: stderr.
  std::function<void(const std::string&)> on_warning = {};
};

// What a session has done so far.
struct Stats {
  std::uint64_t records = 0;        // in the file, and in those that were rotated away
  std::uint64_t bytes = 0;          // of these, this session's part
  std::uint64_t blocks = 0;         // of data
  std::uint64_t dropped = 0;        // by full rings since the process made them
  std::uint64_t scribe_cpu_ns = 0;  // CPU time of the scribe thread; 0 without one
  std::uint64_t quick_blocks = 0;   // packed with less effort (Options::keep_up)
  std::uint64_t staging_bytes = 0;  // that the rings take now
  std::uint64_t stalls = 0;         // calls that waited for room in a full ring, since the process made its rings
  std::uint64_t longest_stall_ns = 0;
  std::uint64_t backlog_bytes = 0;       // that wait in the rings now
  std::uint64_t most_backlog_bytes = 0;  // the most that waited when the scribe looked; with a scribe inside
  std::uint64_t lag_ns = 0;          // from when the scribe saw the records that it wrote last until they were written;
  std::uint64_t longest_lag_ns = 0;  // the longest. It waits for more to write too (flush_interval)
};

// A log of its own beside the default one. Movable. Destroying it stops it.
class Session {
 public:
  // Opens the file, starts the scribe. Fails with a sentence that says what is wrong with the path or the options, or
  // if 63 sessions are open.
  static Result<Session> open(Options options);
  // The same at a path: open("app.steno"), open("app.steno", options).
  template <class Path, class = std::enable_if_t<std::is_convertible_v<const Path&, std::string>>>
  static Result<Session> open(const Path& path, Options options = {}) {
    options.path = path;
    return open(std::move(options));
  }

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // A logger of this session; the same one for the same name. At most 32,767 names; beyond, the nameless one.
  // `level`: its own, as by Logger::set_level(), unless that or a rule has given its name one. Left out: it has that of
  // the loggers above it, or the session's.
  Logger logger(const std::string& name);
  Logger logger(const std::string& name, Level level);

  // As steno::set_levels(): the level and the rules for loggers are this session's; those for files, lines and texts
  // are about statements, which all sessions share.
  IgnorableStatus set_levels(const std::string& rules);

  // Returns when everything logged before, by any thread, is in the file, or why it cannot be; and has been handed to
  // the sinks, or block_at_most has passed.
  IgnorableStatus flush();
  // As flush(), and the log goes on in a new file, by Options::rotation's names and limits, whether or not that says
  // when to; so do text files of sinks. What was logged before is in the closed files. Without any record in a file
  // there is nothing to close. Fails where the file cannot be renamed, or another process is its scribe.
  IgnorableStatus rotate();
  // As flush(), and what the flight recorder has is in the file as well (steno/recorder.h). Fails where there is none.
  IgnorableStatus dump_recorder();
  // Writes what is due, and does what `steno ctl` asks. For sessions without a scribe thread, or with an external one;
  // returns whether there was anything.
  bool poll();
  // Writes everything, an end mark, and closes. Its loggers refuse everything from now on. Idempotent.
  IgnorableStatus stop();
  Stats stats() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The default session. False: it runs already, or the file cannot be opened; the reason is said on stderr (few programs
// look).
bool start(Options options = {});
// The same at a path: start("app.steno"), start("app.steno", options).
template <class Path, class = std::enable_if_t<std::is_convertible_v<const Path&, std::string>>>
bool start(const Path& path, Options options = {}) {
  options.path = path;
  return start(std::move(options));
}
// The same with a configuration file: Options::config.
inline bool start_from_file(const std::string& config, Options options = {}) {
  options.config = config;
  return start(std::move(options));
}
// The same with the reason as a value, and silent.
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

// The default session's level: of statements that name no logger, and of loggers that have no other. At once; cost: a
// store a statement. start() sets it to Options::level.
void set_level(Level level);
Level level();

// Changes what is enabled, at once, in the default session; before start() too. `rules` are parted by commas:
//
//   LEVEL            of the session, as set_level()
//   LOGGER=LEVEL     of that logger and those below it ("net" has "net.http"), as Logger::set_level()
//   FILE=LEVEL       of all statements of a file: "storage.cc", "db/storage.cc", whose paths end so
//   FILE:LINE=LEVEL  of the statements of a line
//   TEXT=LEVEL       of statements whose format matches a pattern: TEXT has a '*', which is any text (retry*), or is in
//                    quotes ("connection lost"); a backslash makes '*' and '"' ordinary
//   sink:NAME=LEVEL  of the session's sinks of that name (SinkOptions::name): what they show of what is logged
//   reset            forgets all rules, and keeps the session's level
//
// A LEVEL is a level's name or a usual other one, in any case, or its number: debug, WARNING, off, 2. "inherit" forgets
// the rule. What has a '/' or ends like a source file (.cc, .h, …) is a FILE.
//
// - Of the rules about a statement one counts: for its line or its text; else for its file; else for its logger, or the
//   nearest one above that has one; else the session's level. Of equals the last one.
// - A rule for a sink is apart from the others: it takes the place of SinkOptions::level, for what the sink has not
//   been shown yet. A name that no sink has changes nothing.
// - A rule for a line, text or file enables a statement whatever level its logger has, and in all sessions of the
//   process. Only a logger whose session has ended stays closed.
// - Rules stay, and hold for loggers and statements that come later, in shared libraries too. A rule about the same
//   replaces the earlier one. At most 4,096 are kept for statements; then the oldest goes.
// - What STENO_MIN_LEVEL stripped when it was compiled is not there to be enabled.
// - A rule that cannot be read is left out, and the others hold; kInvalidArgument says which and why.
//
// Cost: of a statement that a rule disables, the same as of any; of one that is enabled, none. Thread-safe; not for
// signal handlers. A forked child begins with the rules of its parent.
IgnorableStatus set_levels(const std::string& rules);

// Names the calling thread in all logs from here on (up to 255 bytes). Default: its kernel name when it first logged.
void set_thread_name(const std::string& name);
// Gives the calling thread its ring now, so that its first log call costs what the others do.
void prepare_thread();

}  // namespace steno
