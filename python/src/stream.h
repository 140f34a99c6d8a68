// Arrow streams in capsules, as Arrow's PyCapsule interface has them.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include "steno/c_reader.h"

namespace steno_python {

namespace nb = nanobind;

// Raises the exception of the code: the classes are in steno/_errors.py.
[[noreturn]] void raise(const steno_error& error);

// The blocks that all streams of a log have met so far. Written by the threads that read them.
struct BlockCounts {
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> read{0};  // not skipped
};

// The part of one stream; as long as the stream.
struct StreamWatch {
  std::shared_ptr<BlockCounts> counts;
  steno_stream_progress last{};
  bool was_interrupted = false;
  bool is_of_sources = false;  // whose bytes Python reads
};
// Has the stream call back: it counts, and it ends when a signal's handler has raised.
void watch(StreamWatch* by, steno_stream_options* options);

// A stream of the reader and what watches it.
struct WatchedStream {
  std::unique_ptr<StreamWatch> watch;
  ArrowArrayStream stream;
};

// Takes the stream over. What reads from the capsule's stream in the main thread is interrupted by signals whose
// handler raises (Ctrl-C): it gets EINTR, and take_interrupt() has the exception.
nb::object stream_capsule(WatchedStream stream);
// The stream's schema; releases the stream.
nb::object schema_capsule(WatchedStream stream);

// True if a signal's handler has raised; the exception is kept. Checks nothing outside of the main thread, which could
// wait for the interpreter's lock for ever.
bool is_interrupted() noexcept;

// The batches of a stream, one after the other, read without the interpreter's lock. Takes the stream over.
class Batches {
 public:
  explicit Batches(WatchedStream stream) : watch_(std::move(stream.watch)), stream_(stream.stream) {}
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  ~Batches();

  ArrowArrayStream& stream() { return stream_; }
  // Returns false if there is no more. Raises what a signal's handler raises, OSError and MemoryError.
  bool next();
  // Returns the last array; valid until the next call.
  const ArrowArray& array() const { return array_; }
  // The last one, which the caller must release.
  ArrowArray take() { return std::exchange(array_, ArrowArray{}); }

 private:
  std::unique_ptr<StreamWatch> watch_;
  ArrowArrayStream stream_;
  ArrowArray array_{};
};

// The batches of a stream in capsules. For one thread at a time.
class Capsules {
 public:
  explicit Capsules(WatchedStream stream) : batches_(std::move(stream)) {}

  // The next batch: its schema's capsule and its own; None at the end.
  nb::object next();

 private:
  Batches batches_;
};

// Keeps an exception for raise_interrupt() and take_interrupt(). Requires the interpreter's lock.
void keep_interrupt(nb::handle exception);
// Raises the exception that is_interrupted() has kept.
[[noreturn]] void raise_interrupt();

void bind_stream(nb::module_& module);

}  // namespace steno_python
