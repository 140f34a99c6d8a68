// Reads .steno files: records in the order of time, with their values.
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
// Nothing in a file is trusted: damaged parts are skipped, never fatal, and reported by losses(). A file is read as it
// was when it was opened; one that is still being written ends at its last whole block. Files are read by copy: a part
// that is truncated (logrotate's `copytruncate`) or changed meanwhile counts as damage. Files of more than 1 MiB keep a
// descriptor open for that. ReadLimits bound what reading may cost (<steno/read_limits.h>).
//
// Link `steno::reader`. C++17. A LogReader can be moved, and used by one thread at a time. Views are valid as long as
// it lives, those of a Record until the callback returns.
//
// Cost: opening reads each byte once (checksums), but of files of 64 MB or more only the parts that their index does
// not cover; it keeps about 100 bytes per block. Reading decodes only the blocks whose time ranges overlap at a moment.
// Text is formatted only when message() is called.
//
// For columns instead of records (Arrow, DuckDB and so on) see <steno/batch.h>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "steno/batch.h"
#include "steno/byte_source.h"
#include "steno/detail/arg_type.h"
#include "steno/detail/library_modes.h"
#include "steno/level.h"
#include "steno/read_limits.h"
#include "steno/status.h"

#include "steno/detail/begin.h"

namespace steno {

namespace text {
class Meaning;
}
class STENO_HAS_CONTAINERS LogReader;
class STENO_HAS_CONTAINERS RecordCursor;

// One log statement of a program.
struct SiteFacts {
  std::uint32_t id = 0;         // within its session
  std::uint64_t stable_id = 0;  // the same across builds of the program: hash of file, format and types (file.md §5)
  Level level = Level::kInfo;
  bool printf_style = false;
  std::uint32_t line = 0;
  std::string_view format;
  std::string_view file;
  std::string_view function;
  std::string_view types;  // one letter per argument (types.md), including flags of absent values
};

// One run of a program.
struct SessionFacts {
  std::string path;  // the log file
  std::uint64_t session_id = 0;
  std::uint32_t pid = 0;
  std::int64_t start_ns = 0;    // since the Unix epoch
  std::int32_t utc_offset = 0;  // of the machine when the session started, in seconds east of UTC
  std::string program;
  std::string host;
  std::string steno_version;
  std::uint64_t records = 0;  // in the file
  bool ended = false;         // normally, so what is missing is known
  bool died = false;          // its process died; what it left is included, so what is missing is known too
};

// A thread of a session.
struct ThreadFacts {
  std::size_t session = 0;  // index in LogReader::sessions()
  std::uint64_t tid = 0;    // of the kernel
  std::string name;         // else its tid
};

// Something that was logged but is not in the files, or cannot be read.
struct LossFacts {
  std::string path;
  std::uint64_t offset = 0;  // of the damage; offset and size 0: not at a place in the file
  std::uint64_t size = 0;
  std::uint64_t records = 0;  // how many are known to be missing; 0: unknown
  std::string text;           // a sentence for people
};

// One argument of a record. type() tells which accessor applies; the others return 0 or nothing.
class Argument {
 public:
  // The type of the stored value (types.md).
  ArgType type() const { return type_; }
  // The name of the field in the format, else its number. Unique within the record.
  std::string_view name() const { return name_; }

  // For integers up to 64 bits, bool, characters, pointers and errno. Signed values are sign-extended.
  std::int64_t as_int64() const { return static_cast<std::int64_t>(bits_); }
  std::uint64_t as_uint64() const { return bits_; }
  // For any number: f32, f64, integers, and 16-byte types, rounded.
  double as_double() const;
  // For 16-byte types: the bytes, little-endian. Else nullptr.
  const unsigned char* bytes16() const { return wide_; }
  // For strings: the bytes, in units of the type. For a null pointer data() is nullptr.
  std::string_view as_string() const { return string_; }
  // True for a string that was a null pointer, and for an absent value: an empty std::optional, or an alternative that
  // its variant does not hold. Numbers are then 0, and strings have no data.
  bool is_null() const { return absent_ || (is_string(type_) && string_.data() == nullptr); }
  // The meaning of the number (spec/types.md): "ms", "@ns", "=0 kBuy,1 kSell". Empty: none.
  std::string_view meaning() const { return meaning_; }
  // Appends the value as `{}` prints it; strings as UTF-8.
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
  // Nanoseconds since the Unix epoch, computed with the clock points of the session.
  std::int64_t time_ns() const;
  // The reading of the session's clock. For the processor's counter it has no unit.
  std::uint64_t ticks() const;
  // The level of its statement.
  Level level() const;
  std::string_view logger() const;  // empty: the default one
  std::string_view thread() const;  // its name, else its thread id
  std::uint64_t thread_id() const;  // the kernel's thread id
  // The statement; its views are valid as long as the LogReader.
  SiteFacts site() const;
  std::size_t session() const;  // index in LogReader::sessions()

  // The message, formatted in the syntax of the statement. Strings keep the bytes that were logged.
  std::string message() const;
  void append_message(std::string* out) const;

  // The arguments of the statement, followed by the fields of the context and of spans. Flags of absent values
  // (spec/types.md) do not count; is_null() tells about them.
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
  // Show values that were logged as secrets (secret.h). Otherwise each is the string "[redacted]", also in conditions.
  bool show_secrets = false;
  ReadLimits limits;
  // Map files instead of reading them by copy. Faster, and needs no descriptor per file; but if a file is truncated
  // meanwhile, the program dies of SIGBUS, and a file that its owner changes meanwhile is not safe to read. For logs
  // that nobody changes.
  bool map_files = false;
};

// Which records are read, and in which order.
struct ReadFilter {
  Level min_level = Level::kTrace;
  // By time across all threads, sessions and files. False: in the order of the files, which is faster.
  bool sort = true;
};

// An iterator over records; made by LogReader::records(). For one thread at a time; may outlive the LogReader.
class STENO_HAS_CONTAINERS RecordCursor {
 public:
  RecordCursor(RecordCursor&&) noexcept;
  RecordCursor& operator=(RecordCursor&&) noexcept;
  ~RecordCursor();

  // The next record, valid until the next call; nullptr at the end, or if a source fails (LogReader::source_status()).
  const Record* next();

 private:
  friend class LogReader;
  struct Impl;
  explicit RecordCursor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One or more files, as one log.
class STENO_HAS_CONTAINERS LogReader {
 public:
  // Opens all files, or fails for the first that cannot be opened: kNotFound (missing or empty), kPermissionDenied,
  // kInvalidArgument (a directory), kCorrupt (not a steno file), kUnsupported (a newer version), kIoError. "-" is
  // standard input.
  // Large files are checked by one thread per core; these have ended when this returns.
  static Result<LogReader> open(const std::vector<std::string>& paths, const ReadOptions& options = {});
  // Opens logs that sources give (byte_source.h). Of a source of 1 MiB and more it reads the index, and later the
  // blocks that are needed. Errors in addition: kIoError (a source fails), kExhausted (one without an index that can be
  // used is larger than ReadLimits::copied_bytes). What processes of this machine have in shared memory is not looked
  // for.
  static Result<LogReader> open_sources(const std::vector<std::shared_ptr<ByteSource>>& sources,
                                        const ReadOptions& options = {});

  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;
  ~LogReader();

  // The sessions, in the order of the files. A file that was appended to has several.
  const std::vector<SessionFacts>& sessions() const;
  // All statements of the dictionaries, used or not, session by session.
  std::vector<SiteFacts> sites() const;
  // All threads of the dictionaries, session by session.
  std::vector<ThreadFacts> threads() const;

  // Calls f(const Record&) for each record. f returns void, or a bool: false stops.
  template <class F>
  void for_each(const ReadFilter& filter, F&& f) {
    visit(filter, &call<std::remove_reference_t<F>>, const_cast<void*>(static_cast<const void*>(&f)));
  }
  template <class F, class = std::enable_if_t<!std::is_convertible_v<F, const ReadFilter&>>>
  void for_each(F&& f) {
    for_each(ReadFilter{}, f);
  }

  // Records as an iterator gives them, one by one.
  RecordCursor records(const ReadFilter& filter = {});

  // Calls f(const Batch&) for each batch, in the order of the files; f as above. Unreadable parts of blocks give no
  // batches and are reported by losses(). kInvalidArgument: a statement or column is not in these files, or `where` is
  // malformed; the message says which. Throws what f throws, and std::bad_alloc. Needs steno::batch.
  //
  // Thread safety: as for LogReader. Streams are independent: each may be read in its own thread, at the same time as
  // others and as the LogReader, which it may outlive.
  template <class F>
  Status for_each_batch(const BatchOptions& options, F&& f) {
    return visit_batches(options, &call_batch<std::remove_reference_t<F>>,
                         const_cast<void*>(static_cast<const void*>(&f)));
  }

  // Gives batches through Arrow's C stream interface. All batches have one schema, so for kStatement exactly one
  // statement must be chosen, else kInvalidArgument. On success the caller owns `*out` and must call its release().
  // get_next() returns ENOMEM if there is no memory. Unreadable blocks are not an error; losses() reports them once the
  // stream has ended.
  Status stream(const BatchOptions& options, ArrowArrayStream* out);

  // How much stream() would read, of all parts. Cost: a look at the entry of each block. Errors as
  // those of stream().
  Result<BatchEstimate> estimate(const BatchOptions& options) const;

  // Gives batches as an iterator, block by block; each batch has its own schema. Errors as for for_each_batch().
  Result<BatchCursor> batches(const BatchOptions& options);

  // The failure of a source that a RecordCursor, for_each or losses() has met: records are missing then. The next of
  // these forgets it. Batches and streams have a status of their own.
  Status source_status() const;

  // Returns what is missing or damaged. Blocks that only decoding finds unreadable are included after a for_each.
  // Empty: everything that the sessions wrote is there.
  std::vector<LossFacts> losses() const;
  // Returns those of them that are known without a look at all blocks: of large files, and of sources, an index tells
  // which blocks may report drops, and damage in the others is known once somebody has read them.
  std::vector<LossFacts> known_losses() const;

 private:
  friend class RecordCursor;
  struct Impl;
  using Visitor = bool (*)(void* context, const Record& record);

  std::vector<LossFacts> find_losses(bool in_unread) const;
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

#include "steno/detail/end.h"
