// Read .steno files: records in time order, with their values.
//
//   auto log = steno::LogReader::open({"app.steno"});
//   if (!log.ok()) return fail(log.status().message());
//   log->for_each([](const steno::Record& r) {
//     std::cout << r.time_ns() << ' ' << r.thread() << ": " << r.message() << '\n';
//     for (std::size_t i = 0; i < r.argument_count(); ++i) use(r.argument(i).name(), r.argument(i).as_int64());
//     return true;                                    // false: stop here
//   });
//   for (const steno::LossFacts& loss : log->losses()) std::cerr << loss.text << '\n';
//
// Nothing in a file is trusted: damaged parts are skipped, never fatal, and reported by losses(). Files are read as
// they are at open; one that is still being written can be opened, and ends where its last whole block did. They are
// read by copy: what somebody truncates (logrotate's `copytruncate`) or changes meanwhile is damage, too; files of more
// than 1 MiB keep a descriptor each for that. What a file may cost is bounded by ReadLimits (<steno/read_limits.h>).
//
// Link `steno::reader`. C++17. A LogReader may be moved, and used by one thread at a time; views live as long as it
// does, those of a Record until the callback returns.
//
// Cost: opening reads each byte once (checksums), of files of 64 MB and more only what their index does not cover, and
// keeps about 100 bytes a block; reading checks and decodes one block of each overlapping time range at a time. Text is
// made only when message() is called.
//
// Numbers rather than records, as columns for Arrow, DuckDB and the like: <steno/batch.h>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "steno/batch.h"
#include "steno/detail/arg_type.h"
#include "steno/level.h"
#include "steno/read_limits.h"
#include "steno/status.h"

namespace steno {

namespace text {
class Meaning;
}

// One log statement of a program.
struct SiteFacts {
  std::uint32_t id = 0;         // within its session
  std::uint64_t stable_id = 0;  // across builds of the program: hash of file, format and types (file.md §5)
  Level level = Level::kInfo;
  bool printf_style = false;
  std::uint32_t line = 0;
  std::string_view format;
  std::string_view file;
  std::string_view function;
  std::string_view types;  // types.md, a letter an argument; flags of absent values too
};

// One run of a program.
struct SessionFacts {
  std::string path;  // of its file
  std::uint64_t session_id = 0;
  std::uint32_t pid = 0;
  std::int64_t start_ns = 0;    // since the Unix epoch
  std::int32_t utc_offset = 0;  // of its machine at the start, seconds east
  std::string program;
  std::string host;
  std::string steno_version;
  std::uint64_t records = 0;  // on file
  bool ended = false;         // in order: what is missing then is known
  bool died = false;          // its process did; what it left is here, so what is missing is known as well
};

// Something that is not in the files although it was written, or that cannot be read.
struct LossFacts {
  std::string path;
  std::uint64_t offset = 0;  // of damage; 0 with size 0: no place in the file
  std::uint64_t size = 0;
  std::uint64_t records = 0;  // known to be missing; 0: unknown
  std::string text;           // a sentence for people
};

// One argument of a record. Which accessor fits follows from type(); the others give 0 or nothing.
class Argument {
 public:
  // Of the value in the log: types.md.
  ArgType type() const { return type_; }
  // The field's name in the format, else its number; unique within the record.
  std::string_view name() const { return name_; }

  // Integers up to 64 bits, bool, characters, pointers, errno. Signed ones are sign-extended.
  std::int64_t as_int64() const { return static_cast<std::int64_t>(bits_); }
  std::uint64_t as_uint64() const { return bits_; }
  // Any number: f32, f64, integers, and those of 16 bytes, rounded.
  double as_double() const;
  // Types of 16 bytes: little-endian, else nullptr.
  const unsigned char* bytes16() const { return wide_; }
  // Strings: their bytes, in units of the type. A null pointer: data() == nullptr.
  std::string_view as_string() const { return string_; }
  // Whether it is a string that was a null pointer, or has no value: an empty std::optional, an alternative that its
  // variant does not hold. Numbers are 0 then, and strings have no data.
  bool is_null() const { return absent_ || (is_string(type_) && string_.data() == nullptr); }
  // What the number means (spec/types.md): "ms", "@ns", "=0 kBuy,1 kSell"; empty: nothing.
  std::string_view meaning() const { return meaning_; }
  // Appends it as `{}` prints it; strings as UTF-8.
  void append_text(std::string* out) const;

 private:
  friend class Record;
  ArgType type_ = ArgType::kI32;
  bool absent_ = false;
  std::string_view name_;
  std::uint64_t bits_ = 0;
  const unsigned char* wide_ = nullptr;
  std::string_view string_;
  std::string_view meaning_;
  const text::Meaning* printed_as_ = nullptr;
};

// A view of one record, valid while the callback runs.
class Record {
 public:
  // Nanoseconds since the Unix epoch, by the clock points of the session.
  std::int64_t time_ns() const;
  // What the clock of the session said: of the processor's counter a number without a unit.
  std::uint64_t ticks() const;
  // That of its statement.
  Level level() const;
  std::string_view logger() const;  // empty: the default one
  std::string_view thread() const;  // its name, else its tid
  std::uint64_t thread_id() const;  // of the kernel
  // The statement; its views are valid as long as the LogReader.
  SiteFacts site() const;
  std::size_t session() const;  // index in LogReader::sessions()

  // The text, as the statement's syntax prints it; bytes of strings as they were logged.
  std::string message() const;
  void append_message(std::string* out) const;

  // The arguments of the statement, and fields of the context and of spans. Flags that say which arguments are there
  // (spec/types.md) are none of them: is_null() says it.
  std::size_t argument_count() const;
  // Requires i < argument_count().
  Argument argument(std::size_t i) const;

 private:
  friend class LogReader;
  friend class RecordCursor;
  struct Impl;
  explicit Record(Impl* impl) : impl_(impl) {}
  Impl* impl_;
};

// How files are opened.
struct ReadOptions {
  // Values that were logged as secrets (secret.h). Else each is a string, "[redacted]", for conditions too.
  bool show_secrets = false;
  ReadLimits limits;
  // Whether files are mapped rather than read by copy. Quicker, and without a descriptor for each file; but one that
  // somebody cuts short meanwhile ends the program with SIGBUS, and one that its owner changes meanwhile is not safe to
  // read. For logs that nobody changes.
  bool map_files = false;
};

// Which records are read, and in which order.
struct ReadFilter {
  Level min_level = Level::kTrace;
  bool sort = true;  // by time over all threads, sessions and files; false: as they lie in the files, which is faster
};

// Records to be pulled, one after another; made by LogReader::records(). One thread at a time; may outlive the
// LogReader.
class RecordCursor {
 public:
  RecordCursor(RecordCursor&&) noexcept;
  RecordCursor& operator=(RecordCursor&&) noexcept;
  ~RecordCursor();

  // The next record, valid until the next call; nullptr: there is none.
  const Record* next();

 private:
  friend class LogReader;
  struct Impl;
  explicit RecordCursor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One or more files, as one log.
class LogReader {
 public:
  // Opens all, or fails with the first that cannot be: kNotFound (or empty), kPermissionDenied, kInvalidArgument (a
  // directory), kCorrupt (no steno file), kUnsupported (a newer version), kIoError. "-" is standard input.
  // Large files are checked by a thread a core, which have ended when this returns.
  static Result<LogReader> open(const std::vector<std::string>& paths, const ReadOptions& options = {});

  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;
  ~LogReader();

  // In the order of the files. A file that is appended to has several.
  const std::vector<SessionFacts>& sessions() const;
  // Every statement in the dictionaries, used or not, session after session.
  std::vector<SiteFacts> sites() const;

  // Calls f(const Record&) for each record. f returns void, or bool: false stops.
  template <class F>
  void for_each(const ReadFilter& filter, F&& f) {
    visit(filter, &call<std::remove_reference_t<F>>, const_cast<void*>(static_cast<const void*>(&f)));
  }
  template <class F, class = std::enable_if_t<!std::is_convertible_v<F, const ReadFilter&>>>
  void for_each(F&& f) {
    for_each(ReadFilter{}, f);
  }

  // The same to be pulled.
  RecordCursor records(const ReadFilter& filter = {});

  // Calls f(const Batch&) for batch after batch, in the order of the files; f as above. The parts of a block that
  // cannot be read give none: losses(). kInvalidArgument, in one sentence: a statement or column that is not in these
  // files, or a `where` that makes no sense. Throws what f throws, and std::bad_alloc. Needs steno::batch.
  //
  // Thread safety: as all of LogReader. Streams are apart: each may be read in a thread of its own, by one thread at a
  // time, beside the others and the LogReader, which it may outlive.
  template <class F>
  Status for_each_batch(const BatchOptions& options, F&& f) {
    return visit_batches(options, &call_batch<std::remove_reference_t<F>>,
                         const_cast<void*>(static_cast<const void*>(&f)));
  }

  // The same to be pulled, as Arrow's C stream interface; all batches have one schema, so of kStatement one statement
  // must be chosen: kInvalidArgument. On success `*out` is the caller's, who must call its release(). Its get_next()
  // returns ENOMEM without memory; unreadable blocks are no error, but are reported by losses() once it is at its end.
  Status stream(const BatchOptions& options, ArrowArrayStream* out);

  // The same to be pulled block by block, each batch with a schema of its own. Errors as for_each_batch().
  Result<BatchCursor> batches(const BatchOptions& options);

  // What is missing or damaged; blocks that only decoding found unreadable are here after a for_each. Empty: all that
  // the sessions wrote is there.
  std::vector<LossFacts> losses() const;

 private:
  friend class RecordCursor;
  struct Impl;
  using Visitor = bool (*)(void* context, const Record& record);
  using BatchVisitor = bool (*)(void* context, const Batch& batch);

  template <class F, class T>
  static bool call_on(void* context, const T& argument) {
    F& f = *static_cast<F*>(context);
    if constexpr (std::is_void_v<decltype(f(argument))>) {
      f(argument);
      return true;
    } else {
      return f(argument);
    }
  }
  template <class F>
  static bool call(void* context, const Record& record) {
    return call_on<F>(context, record);
  }
  template <class F>
  static bool call_batch(void* context, const Batch& batch) {
    return call_on<F>(context, batch);
  }

  explicit LogReader(std::shared_ptr<Impl> impl);
  void visit(const ReadFilter& filter, Visitor visitor, void* context);
  Status visit_batches(const BatchOptions& options, BatchVisitor visitor, void* context);

  std::shared_ptr<Impl> impl_;
};

}  // namespace steno
