// Reading logs from C, and from languages that call C. <steno/reader.h> and <steno/batch.h> explain records, fields,
// columns and losses.
//
//   const char* path = "app.steno";
//   steno_reader* reader = steno_reader_open(&path, 1, &error);
//   if (reader == NULL) return fail(error.text);
//   steno_record record;
//   while (steno_reader_next(reader, &record, sizeof record, &error) == 1) puts(record.message);
//   steno_reader_close(reader);
//
// or as columns, for everything that reads Arrow:
//
//   struct ArrowArrayStream stream;
//   if (steno_reader_stream(reader, NULL, &stream, &error) != STENO_OK) return fail(error.text);
//
// Link libsteno_reader.so (steno::reader_shared, steno-reader-shared.pc), which has everything; or the archives
// steno::reader, and steno::batch for streams.
//
// Thread safety: a reader can be used by one thread at a time. Streams are independent and may outlive it. Nothing
// throws, and nothing in a file is trusted. Structures that functions fill in are passed with their size, so that later
// versions can extend them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "steno/arrow.h"
#include "steno/c_error.h"
#include "steno/detail/config.h"

#ifdef __cplusplus
extern "C" {
#endif

// Open files, read as one log. For one thread at a time.
typedef struct steno_reader steno_reader;

// Valid until the next call with the reader. Texts end with a NUL; those that may contain one also have a size.
typedef struct steno_record {
  int64_t time_ns;  // since the Unix epoch
  steno_level level;
  uint32_t line;
  const char* message;  // as the statement's syntax prints it
  size_t message_size;
  const char* logger;  // "": the default one
  const char* thread;  // its name, else its thread id
  const char* file;
  const char* function;
  const char* format;
  uint64_t thread_id;
  uint64_t stable_id;  // of the statement, across builds of the program
  size_t session;      // 0 to steno_reader_sessions() - 1
  size_t fields;       // arguments and fields of the context, without flags of absent values (spec/types.md)
} steno_record;

// One argument of a record. Its type, a letter (spec/types.md), determines which member holds it.
typedef struct steno_field {
  char type;
  bool is_null;  // a string that was a null pointer, or an absent value (spec/types.md)
  const char* name;
  int64_t as_int64;  // integers up to 64 bits, bool, characters, pointers, errno; signed ones sign-extended
  uint64_t as_uint64;
  double as_double;    // any number
  const char* string;  // S, U, W: its bytes, in units of the type; no NUL at the end
  size_t string_size;
  const unsigned char* bytes16;  // types of 16 bytes, little-endian; else NULL
} steno_field;

// One run of a program (SessionFacts).
typedef struct steno_session_facts {
  const char* path;
  const char* program;
  const char* host;
  uint64_t session_id;
  uint32_t pid;
  int32_t utc_offset;
  int64_t start_ns;
  uint64_t records;
  bool ended;
  bool died;
} steno_session_facts;

// A statement, whichever sessions logged it.
typedef struct steno_site_facts {
  const char* format;
  const char* file;
  const char* function;
  const char* types;  // one letter per argument (spec/types.md), including flags of absent values
  uint64_t stable_id;
  uint32_t line;
  steno_level level;
} steno_site_facts;

// A thread of a session (ThreadFacts).
typedef struct steno_thread_facts {
  const char* name;  // else its tid
  uint64_t tid;      // of the kernel
  size_t session;    // 0 to steno_reader_sessions() - 1
} steno_thread_facts;

// Something that is missing (LossFacts).
typedef struct steno_loss {
  const char* text;  // a sentence
  const char* path;
  uint64_t offset;
  uint64_t size;
  uint64_t records;
} steno_loss;

// Opens all files, or none: then returns NULL and sets `error`. "-" is standard input.
STENO_EXPORT steno_reader* steno_reader_open(const char* const* paths, size_t count, steno_error* error);

// ReadOptions of <steno/reader.h>, and its ReadLimits. STENO_READER_OPTIONS(&options) sets the defaults.
typedef struct steno_reader_options {
  size_t size;
  uint64_t decoded_bytes;  // of one block
  uint64_t memory;         // of all blocks that are held at the same time; 0: 1 GiB plus 64 bytes per byte of the files
  uint64_t copied_bytes;   // of a file without an index
  uint32_t statements;     // of a session
  uint32_t fields;         // of a statement
  bool show_secrets;
  bool map_files;  // false: read by copy, so that truncating a file cannot kill the program
} steno_reader_options;
// Sets `options->size` to `size` and all fields within to their defaults.
STENO_EXPORT void steno_reader_options_init(steno_reader_options* options, size_t size);
#define STENO_READER_OPTIONS(options) steno_reader_options_init((options), sizeof(steno_reader_options))

// `options` NULL: the defaults.
STENO_EXPORT steno_reader* steno_reader_open_with(const char* const* paths, size_t count,
                                                  const steno_reader_options* options, steno_error* error);

// A part of a source, and where its bytes go (ByteSource::Range).
typedef struct steno_range {
  uint64_t offset;
  uint64_t size;
  void* to;
} steno_range;

// ByteSource of <steno/byte_source.h>: a log that the program fetches from elsewhere.
typedef struct steno_source {
  size_t size;       // sizeof(steno_source)
  const char* name;  // for messages; copied
  uint64_t bytes;    // how long the log is
  void* context;
  // Fills all ranges and returns STENO_OK; else sets `error->text` to the reason. Called by several threads at once.
  steno_code (*read)(void* context, const steno_range* ranges, size_t count, steno_error* error);
  // Called once, when nothing uses the source any more, also where opening fails. NULL: nothing to do.
  void (*release)(void* context);
} steno_source;

// LogReader::open_sources(), with `options` as above. Takes all of them over.
STENO_EXPORT steno_reader* steno_reader_open_sources(const steno_source* sources, size_t count,
                                                     const steno_reader_options* options, steno_error* error);
STENO_EXPORT void steno_reader_close(steno_reader* reader);  // NULL is ignored

// The number of sessions.
STENO_EXPORT size_t steno_reader_sessions(const steno_reader* reader);
// `size`: of *facts. False: there is no such session.
STENO_EXPORT bool steno_reader_session(const steno_reader* reader, size_t session, steno_session_facts* facts,
                                       size_t size);

// Each statement (each stable id) once, from 0. The texts are valid as long as the reader. False: no more.
STENO_EXPORT bool steno_reader_site(steno_reader* reader, size_t site, steno_site_facts* facts, size_t size);

// Each thread of each session, from 0. The name is valid as long as the reader. False: no more.
STENO_EXPORT bool steno_reader_thread(steno_reader* reader, size_t thread, steno_thread_facts* facts, size_t size);

// Starts again at the first record of this level or above. `sort`: by time, across all threads and files (the default);
// false: in the order of the files, which is faster.
STENO_EXPORT void steno_reader_rewind(steno_reader* reader, steno_level min_level, bool sort);
// Returns 1 and the next record in *record (of `size` bytes); 0 at the end; -1 on failure, which `error` explains.
STENO_EXPORT int steno_reader_next(steno_reader* reader, steno_record* record, size_t size, steno_error* error);
// A field of the last record. False: it has no such field.
STENO_EXPORT bool steno_reader_field(steno_reader* reader, size_t field, steno_field* out, size_t size);

// Each loss, from 0: what is missing or damaged. Damage that only decoding finds is included after everything has been
// read. False: no more.
STENO_EXPORT bool steno_reader_loss(steno_reader* reader, size_t loss, steno_loss* out, size_t size);
// LogReader::known_losses(), likewise.
STENO_EXPORT bool steno_reader_known_loss(steno_reader* reader, size_t loss, steno_loss* out, size_t size);

// How far a stream is (BatchProgress).
typedef struct steno_stream_progress {
  size_t blocks;
  size_t done;
  size_t read;
} steno_stream_progress;

// BatchOptions::Profile.
typedef enum steno_profile {
  STENO_PROFILE_ARROW = 0,
  STENO_PROFILE_SPARK = 1,
  STENO_PROFILE_PARQUET = 2
} steno_profile;

// BatchOptions of <steno/batch.h>. STENO_STREAM_OPTIONS(&options) sets the defaults.
typedef struct steno_stream_options {
  size_t size;
  const char* statement;       // format, or a unique part of it, for a table of its arguments; NULL: the whole log
  const char* const* columns;  // names; NULL: the default ones
  size_t column_count;
  const char* where;  // a condition, as `steno cat --where` takes it; NULL: none
  uint64_t stable_id;
  steno_level min_level;
  int64_t since_ns;
  int64_t until_ns;
  bool dictionary_strings;
  bool binary_strings;
  uint32_t max_rows;
  uint32_t part;
  uint32_t parts;
  bool skip_missing;
  uint32_t min_rows;
  steno_profile profile;
  // NULL: none. Called with `progress_context` in the thread that reads the stream, which must not throw.
  bool (*progress)(void* progress_context, const steno_stream_progress* progress);
  void* progress_context;
  bool view_strings;
} steno_stream_options;
// Sets `options->size` to `size` and all fields within to their defaults.
STENO_EXPORT void steno_stream_options_init(steno_stream_options* options, size_t size);
#define STENO_STREAM_OPTIONS(options) steno_stream_options_init((options), sizeof(steno_stream_options))

// An Arrow stream of batches, which the caller owns and must release. `options` NULL: the defaults.
STENO_EXPORT steno_code steno_reader_stream(steno_reader* reader, const steno_stream_options* options,
                                            struct ArrowArrayStream* out, steno_error* error);

// BatchEstimate.
typedef struct steno_estimate {
  uint64_t blocks;
  uint64_t bytes;
  uint64_t rows;
  uint64_t opened_bytes;
} steno_estimate;
// How much such a stream reads at most, of all parts. `options` NULL: the defaults. `size`: sizeof *out.
STENO_EXPORT steno_code steno_reader_estimate(steno_reader* reader, const steno_stream_options* options,
                                              steno_estimate* out, size_t size, steno_error* error);

// The text that a schema has under a key: "steno.format" that of a stream of a statement, "steno.type" and "steno.name"
// those of arguments (<steno/batch.h>). Returns its size and sets *text, which ends with no NUL and is valid as long as
// the schema. -1: there is none.
STENO_EXPORT int64_t steno_schema_text(const struct ArrowSchema* schema, const char* key, const char** text);

// BatchCursor of <steno/batch.h>: reads batches of several statements in one pass; each batch belongs to one statement.
typedef struct steno_batches steno_batches;

// A statement, with a condition in addition to that of the options.
typedef struct steno_batch_choice {
  uint64_t stable_id;
  const char* where;  // NULL: none
} steno_batch_choice;

// Valid until the next call.
typedef struct steno_batch {
  const struct ArrowSchema* schema;  // valid as long as the batches
  const struct ArrowArray* array;
  size_t schema_number;  // equal for equal schemas; dense, from 0
  size_t choice;
  size_t session;
} steno_batch;

// `options` must not name a statement or a stable id; NULL: the defaults. Returns NULL on failure and sets `error`. The
// result must be closed, and may outlive the reader.
STENO_EXPORT steno_batches* steno_reader_batches(steno_reader* reader, const steno_stream_options* options,
                                                 const steno_batch_choice* choices, size_t count, steno_error* error);
// The schema of a choice; its batches may lack fields of the context. Valid as long as the batches. NULL: the log has
// no such statement, or there is no memory.
STENO_EXPORT const struct ArrowSchema* steno_batches_schema(steno_batches* batches, size_t choice);
enum { STENO_BATCH_NOTHING = 2 };
// Returns 1 and the next batch in *batch (of `size` bytes); STENO_BATCH_NOTHING after a block without a match, so that
// callers can do other work between blocks; 0 at the end; -1 on failure, which `error` explains.
STENO_EXPORT int steno_batches_next(steno_batches* batches, steno_batch* batch, size_t size, steno_error* error);
STENO_EXPORT void steno_batches_close(steno_batches* batches);  // NULL is ignored

#ifdef __cplusplus
}
#endif
