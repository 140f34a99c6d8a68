// Logs as columns, for programs that want numbers rather than records: a batch is a few thousand records in the layout
// of Apache Arrow. <steno/reader.h> hands them out:
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
// and to whatever speaks Arrow (pyarrow, DuckDB, Polars, Spark), with no Arrow library needed here:
//
//   ArrowArrayStream stream;
//   steno::Status status = log->stream(options, &stream);
//
// In Python: pyarrow.RecordBatchReader._import_from_c(address of the stream).
//
// Link `steno::batch`, which needs RE2 for `where`.
//
// Two shapes.
//   kLog        all statements, as a table of one schema: what `select … from log` stands on.
//   kStatement  the records of one statement, with a column of its own type for each argument. Without a choice of
//               statement each batch is of one statement, and its columns are that one's.
//
// Columns of both:
//   time       timestamp[ns, UTC]            level     ordered dictionary of text, its index the level's number
//   severity   uint8: the level's number     thread    dictionary of text: its name, else its tid
//   tid        uint64, of the kernel         logger    dictionary of text; "": the default one
//   file, function, format                   dictionaries of text
//   line       uint32                        stable_id uint64, of the statement (SiteFacts)
//   ticks      uint64, as logged             session   uint32: index in LogReader::sessions()
//   ring       uint32, sequence uint64: the record's number in its ring: (session, ring, sequence) is a key
//   pid        uint32; program, host: dictionaries of text
//   message    text
// Arguments:
//   integers   int8 .. int64, uint8 .. uint64; errno: int32; pointers: uint64
//   bool       bool                          floats    float32, float64
//   strings    text (null where the pointer was); UTF-16 and UTF-32 as UTF-8
//   characters text of one character
//   absent     null, of any of these (types.md): empty optionals, alternatives that a variant does not hold
//   16 bytes   fixed-size binary, little-endian; the field's metadata "steno.type" says which (types.md: n o e g)
// Text is valid UTF-8: bytes that are none become U+FFFD, each. A batch has at least one row.
//
// Cost: what a block's codecs unpack is copied once, into the widths above; buffers are used again for the next batch
// unless it was exported, and exporting copies nothing. Memory: one block decoded, and the batch.
//
// Order: blocks in the order of the files, records as they lie in them, each thread's in its own order. Threads are not
// merged: sort by `time` if it matters; min_time_ns() and max_time_ns() tell what a batch spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steno/arrow.h"
#include "steno/level.h"
#include "steno/status.h"

namespace steno {

struct SiteFacts;
namespace detail {
struct BatchData;
}

// Which records, and what of them. All conditions must hold. Blocks that cannot have a match are skipped by their
// directories; of the others only those columns are decoded that are asked for or compared.
struct BatchOptions {
  // A table of the whole log, whose rows are messages; or of one statement, whose columns are its arguments.
  enum class Shape { kLog, kStatement };
  Shape shape = Shape::kLog;

  // In this order. Arguments by name or number, "{time}" where a column above has the same name; a statement that does
  // not have one of them gives batches without it. Empty: time, level, thread, logger, file, line, function, format and
  // message; of statements: time, thread, logger and all arguments. Messages cost printing; nothing else does.
  std::vector<std::string> columns;

  bool skip_missing = false;  // a column that no statement has is left out, instead of an error

  std::string statement;        // its format, whole or a part that no other has; empty: all
  std::uint64_t stable_id = 0;  // SiteFacts::stable_id; 0: all
  // One of several statements.
  struct Choice {
    std::uint64_t stable_id = 0;  // SiteFacts::stable_id
    std::string where;            // a condition beside that of all; empty: none
  };
  std::vector<Choice> choices;  // of kStatement, in place of the two above: these, in one pass
  Level min_level = Level::kTrace;
  std::int64_t since_ns = INT64_MIN;  // at or after, by Record::time_ns()
  std::int64_t until_ns = INT64_MAX;  // before; INT64_MAX: no end
  std::string where;                  // an expression as `steno cat --where` takes it (docs/cli.md)

  // Strings as the dictionaries that the file has for them, where it has (else each value is an entry of its own): no
  // text is copied per record. The schema then says dictionary for every argument that is a string.
  bool dictionary_strings = false;
  // Byte strings as they were logged, as Arrow's binary. Not messages.
  bool binary_strings = false;

  std::uint32_t max_rows = 1u << 16;  // in a batch; there are fewer at the end of a block, or if texts pass 64 MB
  // The share of the log to read: blocks are dealt out to `parts` shares in turn. Each share may be read in a thread of
  // its own.
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
};

// One column of a batch, as Arrow lays it out.
struct BatchColumn {
  std::string_view name;
  std::string_view format;  // Arrow's: "l" int64, "g" float64, "u" text, ...; of the indices if there is a dictionary
  std::size_t length = 0;
  std::size_t nulls = 0;
  const std::uint8_t* validity = nullptr;   // bit i, the lowest first: value i is there; nullptr: all are
  const void* values = nullptr;             // of fixed width; bits of "b"; bytes of "u" and "z"
  const std::int32_t* offsets = nullptr;    // "u", "z": value i is the bytes from offsets[i] to offsets[i + 1]
  const BatchColumn* dictionary = nullptr;  // value i is dictionary value data<std::int32_t>()[i]

  // T is what `format` says.
  template <class T>
  const T* data() const {
    return static_cast<const T*>(values);
  }
  // Whether value i is missing.
  bool is_null(std::size_t i) const { return validity != nullptr && (validity[i / 8] >> i % 8 & 1) == 0; }
  // Of "b".
  bool truth(std::size_t i) const { return (data<std::uint8_t>()[i / 8] >> i % 8 & 1) != 0; }
  // Of texts, in a dictionary or not; empty if null.
  std::string_view text(std::size_t i) const {
    if (is_null(i)) return {};
    if (dictionary != nullptr) return dictionary->text(static_cast<std::size_t>(data<std::int32_t>()[i]));
    return {data<char>() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

// A view, valid until the callback returns; what was exported from it is its receiver's.
class Batch {
 public:
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // How many records it has: at least 1, at most max_rows.
  std::size_t rows() const;
  // As BatchOptions::columns orders them.
  const std::vector<BatchColumn>& columns() const;
  // nullptr: none of that name.
  const BatchColumn* find(std::string_view name) const;

  // The time of its first record and of its last one, in nanoseconds since the Unix epoch.
  std::int64_t min_time_ns() const;
  std::int64_t max_time_ns() const;
  // Index in LogReader::sessions().
  std::size_t session() const;
  // Of kStatement. kLog: nothing.
  SiteFacts site() const;
  // Index in BatchOptions::choices; 0 without any.
  std::size_t choice() const;
  // The same for batches that have the same columns of the same types: from 0, in the order in which a LogReader's call
  // meets them.
  std::size_t schema() const;

  // Fills both, or one where the other is nullptr: a struct with a field for each column, as Arrow has record batches.
  // No value is copied. What is filled belongs to the caller, who must call its release(); children may be moved out,
  // as Arrow allows. It outlives the batch and the LogReader, and may be released in any thread.
  void export_arrow(ArrowSchema* schema, ArrowArray* array) const;

 private:
  friend class LogReader;
  friend class BatchCursor;
  explicit Batch(std::shared_ptr<detail::BatchData> data);

  std::shared_ptr<detail::BatchData> data_;
  std::vector<BatchColumn> columns_;
  std::vector<BatchColumn> dictionaries_;
};

// Batches that are pulled, of one schema or of several. Between two blocks the caller has a say even if nothing is
// found in them: to look whether it is to stop, or to report how far it is. Used by one thread at a time; may outlive
// the LogReader.
class BatchCursor {
 public:
  // What `other` was; that is only to be destroyed then.
  BatchCursor(BatchCursor&& other) noexcept;
  // The same.
  BatchCursor& operator=(BatchCursor&& other) noexcept;
  ~BatchCursor();

  // What a step came to.
  enum class Step {
    kBatch,    // batch()
    kNothing,  // one more block has been looked at, without a record that is wanted, or it cannot be read
    kEnd,
  };
  // Cost: at most that of one block. Throws std::bad_alloc.
  Step next();
  // After kBatch; valid until the next step.
  Batch batch() const;

  // Fills in the schema of a choice's batches, which the caller must release(). Some of them may lack fields of
  // context. False: the log has no such statement.
  bool export_schema(std::size_t choice, ArrowSchema* out) const;

 private:
  friend class LogReader;
  struct State;
  explicit BatchCursor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace steno
