// Logs as columns: a batch has a few thousand records in the layout of Apache Arrow. <steno/reader.h> produces them:
//
//   steno::BatchOptions options;
//   options.shape = steno::BatchOptions::Shape::kStatement;
//   options.statement = "filled {qty} @ {price}";
//   options.columns = {"price"};
//   options.where = "qty > 100 and level >= INFO";
//   double sum = 0;
//   steno::Status status = log->for_each_batch(options, [&](const steno::Batch& batch) {
//     const double* price = batch.columns()[0].data<double>();
//     for (std::size_t i = 0; i < batch.rows(); ++i) sum += price[i];
//   });
//
// and exports them to everything that reads Arrow (pyarrow, DuckDB, Polars, Spark), without needing an Arrow library:
//
//   ArrowArrayStream stream;
//   steno::Status status = log->stream(options, &stream);
//
// In Python: pyarrow.RecordBatchReader._import_from_c(address of the stream).
//
// Link `steno::batch`, which needs RE2 for `where`.
//
// Two shapes.
//   kLog        all statements, as a table with one schema, the basis of `select … from log`.
//   kStatement  the records of one statement, with a column of its own type for each argument. If no statement
//               is chosen, each batch belongs to one statement and has its columns.
//
// To select by level, compare `severity`, the level's number: 0 TRACE, 1 DEBUG, 2 INFO, 3 NOTICE, 4 WARN, 5 ERROR,
// 6 CRITICAL. `level` is for people: DuckDB and Polars take it for a text, so that level >= 'INFO' leaves ERROR out.
//
// Columns of both:
//   time       timestamp[ns, UTC]            severity  uint8: the level's number; 255: the statement is lost to damage
//   time_ns    int64, ns since the epoch: the same, as a number
//   level      ordered dictionary of text, its index the level's number
//   tid        uint64, of the kernel         thread    dictionary of text: its name, else its tid
//   logger     dictionary of text; "": the default one
//   file, function, format                   dictionaries of text
//   line       uint32                        stable_id uint64, of the statement (SiteFacts)
//   ticks      uint64, as logged             session   uint32: index in LogReader::sessions()
//   ring       uint32, sequence uint64: the number of the record in its ring; (session, ring, sequence) is a key
//   pid        uint32; program, host: dictionaries of text
//   message    text
// Arguments:
//   integers   int8 .. int64, uint8 .. uint64; errno: int32; pointers: uint64
//   bool       bool                          floats    float32, float64
//   strings    text (null where the pointer was); UTF-16 and UTF-32 as UTF-8
//   characters text of one character
//   absent     null, for any of these (types.md): empty optionals, alternatives that a variant does not hold
//   16 bytes   fixed-size binary, little-endian; the field's metadata "steno.type" says which (types.md: n o e g)
// Text is valid UTF-8; each invalid byte becomes U+FFFD. A batch has at least one row. The dictionaries above are the
// same in each batch, so that the batches can be grouped by them, and written to one Arrow file.
//
// uint64 in Python: ids of spans are below 2^63. `stable_id`, and ids of spans in logs of older versions, may be above,
// which is more than an integer that pyarrow makes of a Python one can hold: pyarrow.scalar(number, pyarrow.uint64()).
//
// Cost: decoded values are copied once, into the widths above. Buffers are reused for the next batch unless the batch
// was exported; exporting copies nothing. Memory: one decoded block and the batch.
//
// Order: blocks in the order of the files, records as stored in them; those of a thread are in order. Threads are not
// merged: sort by `time` if that matters. A stream of nothing but `session`, `pid`, `program`, `host` and,
// if it is of a statement, `severity`, `level`, `file`, `line`, `function`, `format` and `stable_id` opens no block
// where time, level and statement decide which records are wanted; damage that nobody has met yet stays unseen then.
//
// min_time_ns() and max_time_ns() tell the time range of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steno/arrow.h"
#include "steno/detail/library_modes.h"
#include "steno/level.h"
#include "steno/status.h"

namespace steno {

class STENO_HAS_CONTAINERS BatchCursor;
class STENO_HAS_CONTAINERS LogReader;
struct SiteFacts;
namespace detail {
struct BatchData;
}

// How far a stream is.
struct BatchProgress {
  std::size_t blocks = 0;  // to look at
  std::size_t done = 0;    // of these
  std::size_t read = 0;    // of those that are done: not skipped
};

// How much a stream reads, at most, as it is known before anything is decoded.
struct BatchEstimate {
  std::size_t blocks = 0;   // that may have records which are wanted
  std::uint64_t bytes = 0;  // of these blocks in their files
  std::uint64_t rows = 0;
  std::uint64_t opened_bytes = 0;  // of those blocks that have to be opened for it
};

// Which records and columns to read. All conditions must hold. Blocks that cannot match are skipped without decoding;
// of the others only the requested and compared columns are decoded.
struct STENO_HAS_CONTAINERS BatchOptions {
  // A table of the whole log, whose rows are messages, or of one statement, whose columns are its arguments.
  enum class Shape { kLog, kStatement };
  Shape shape = Shape::kLog;

  // The columns, in this order. Arguments by name or number; "{time}" where a column above has the same name. Batches
  // of a statement without one of them lack that column. Empty: time, severity, level, thread, logger, file, line,
  // function, format and message; for a statement: time, thread, logger and all arguments. Only `message` costs
  // formatting.
  std::vector<std::string> columns;

  bool skip_missing = false;  // leave out a column that no statement has, instead of failing

  std::string statement;        // its format, or a part of it that no other has; empty: all
  std::uint64_t stable_id = 0;  // SiteFacts::stable_id; 0: all
  // One of several statements.
  struct Choice {
    std::uint64_t stable_id = 0;  // SiteFacts::stable_id
    std::string where;            // a condition in addition to the common one; empty: none
  };
  std::vector<Choice> choices;  // for kStatement, instead of the two above: read these in one pass
  Level min_level = Level::kTrace;
  std::int64_t since_ns = INT64_MIN;  // at or after, by Record::time_ns()
  std::int64_t until_ns = INT64_MAX;  // before; INT64_MAX: no end
  std::string where;                  // an expression as `steno cat --where` takes it (docs/cli.md)

  // Return strings as dictionaries: those of the file where it has them, else one entry per value. No text is copied
  // per record. The schema then has a dictionary for every string argument. They differ from batch to batch, which
  // DuckDB and Polars take; for pyarrow's group_by and Arrow files, Table.unify_dictionaries() makes them one.
  bool dictionary_strings = false;
  // Return byte strings as they were logged, as Arrow's binary. Does not apply to messages.
  bool binary_strings = false;
  // Return the strings of a stream as Arrow's string views, where they are neither dictionaries nor binary: a text that
  // several records of a block have is there once. Polars works on these as they are. For the profile kArrow.
  bool view_strings = false;

  // Largest batch. Batches are smaller at the end of a block, or if texts exceed 64 MB.
  std::uint32_t max_rows = 1u << 16;
  // Joins batches of a stream until they have at least so many rows, so that only the last one may have fewer (or one
  // that texts of 2 GB fill). Blocks with few records make batches of few rows otherwise, and files with as many row
  // groups. Costs one more copy of what is joined.
  std::uint32_t min_rows = 1;
  // The types of a stream.
  //   kArrow    those above.
  //   kSpark    what Spark, Delta and Iceberg have: no unsigned integers (the next wider signed one; uint64 as int64
  //   with
  //             the same bits, so from 2^63 on negative), times and durations in microseconds, rounded down, no
  //             dictionaries, binary instead of fixed-size binary, all nullable. `time_ns` is exact.
  //   kParquet  what Parquet has: no durations (int64 in their unit), no dictionaries, all nullable.
  enum class Profile { kArrow, kSpark, kParquet };
  Profile profile = Profile::kArrow;
  // Called by streams and for_each_batch after each block. False: stop; the stream then fails with ECANCELED, and
  // for_each_batch ends.
  std::function<bool(const BatchProgress&)> progress;

  // Which share of the log to read: blocks are distributed to `parts` shares in turn. Each share may be read in its own
  // thread.
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
};

// One column of a batch, in Arrow's layout.
struct BatchColumn {
  std::string_view name;
  std::string_view format;  // Arrow's: "l" int64, "g" float64, "u" text, ...; of the indices if there is a dictionary
  std::size_t length = 0;
  std::size_t nulls = 0;
  const std::uint8_t* validity = nullptr;   // bit i, the lowest first: value i is there; nullptr: all are
  const void* values = nullptr;             // of fixed width; bits of "b"; bytes of "u" and "z"
  const std::int32_t* offsets = nullptr;    // "u", "z": value i is the bytes from offsets[i] to offsets[i + 1]
  const BatchColumn* dictionary = nullptr;  // value i is dictionary value data<std::int32_t>()[i]

  // T must be the type that `format` names.
  template <class T>
  const T* data() const {
    return static_cast<const T*>(values);
  }
  // True if value i is missing.
  bool is_null(std::size_t i) const { return validity != nullptr && (validity[i / 8] >> i % 8 & 1) == 0; }
  // For "b".
  bool truth(std::size_t i) const { return (data<std::uint8_t>()[i / 8] >> i % 8 & 1) != 0; }
  // For texts, in a dictionary or not; empty if null.
  std::string_view text(std::size_t i) const {
    if (is_null(i)) return {};
    if (dictionary != nullptr) return dictionary->text(static_cast<std::size_t>(data<std::int32_t>()[i]));
    return {data<char>() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

// A view, valid until the callback returns. Exported data belongs to its receiver.
class STENO_HAS_CONTAINERS Batch {
 public:
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // The number of records: 1 to max_rows.
  std::size_t rows() const;
  // In the order of BatchOptions::columns.
  const std::vector<BatchColumn>& columns() const;
  // nullptr: none of that name.
  const BatchColumn* find(std::string_view name) const;

  // The time of its first record and of its last one, in nanoseconds since the Unix epoch.
  std::int64_t min_time_ns() const;
  std::int64_t max_time_ns() const;
  // Index in LogReader::sessions().
  std::size_t session() const;
  // For kStatement; empty for kLog.
  SiteFacts site() const;
  // Index in BatchOptions::choices; 0 without any.
  std::size_t choice() const;
  // The number of the schema: the same for batches with the same columns and types; from 0, in the order in which they
  // first appear.
  std::size_t schema() const;

  // Fills both structures, or one if the other is nullptr, with a record batch in Arrow's form: a struct with one field
  // per column. Copies no values. The caller owns the result and must call its release(); children may be moved out, as
  // Arrow allows. It may outlive the batch and the LogReader, and be released in any thread.
  void export_arrow(ArrowSchema* schema, ArrowArray* array) const;

 private:
  friend class LogReader;
  friend class BatchCursor;
  explicit Batch(std::shared_ptr<detail::BatchData> data);

  std::shared_ptr<detail::BatchData> data_;
  std::vector<BatchColumn> columns_;
  std::vector<BatchColumn> dictionaries_;
};

// An iterator over batches of one or several schemas. It returns to the caller after each block even if nothing was
// found, so that the caller can stop or report progress. For one thread at a time; may outlive the LogReader.
class STENO_HAS_CONTAINERS BatchCursor {
 public:
  // Moves. After that, `other` can only be destroyed.
  BatchCursor(BatchCursor&& other) noexcept;
  // Moves. After that, `other` can only be destroyed.
  BatchCursor& operator=(BatchCursor&& other) noexcept;
  ~BatchCursor();

  // The outcome of a step.
  enum class Step {
    kBatch,    // batch()
    kNothing,  // a block was read without a match, or is unreadable
    kEnd,      // there is no more, or status() is not ok
  };
  // Reads at most one block. Throws std::bad_alloc.
  Step next();
  // Why a ByteSource could not be read; records are missing then.
  Status status() const;
  // After kBatch; valid until the next step.
  Batch batch() const;

  // Fills in the schema of a choice's batches; the caller must release it. Some batches may lack fields of the context.
  // False: the log has no such statement.
  bool export_schema(std::size_t choice, ArrowSchema* out) const;

 private:
  friend class LogReader;
  struct State;
  explicit BatchCursor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace steno
