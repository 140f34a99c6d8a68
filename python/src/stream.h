// Arrow streams in capsules, as Arrow's PyCapsule interface has them.
#pragma once

#include <nanobind/nanobind.h>

#include "steno/arrow.h"

namespace steno_python {

namespace nb = nanobind;

// Takes the stream over. What reads from the capsule's stream in the main thread is interrupted by signals whose
// handler raises (Ctrl-C): it gets EINTR, and take_interrupt() has the exception.
nb::object stream_capsule(ArrowArrayStream stream);
// The stream's schema; releases the stream.
nb::object schema_capsule(ArrowArrayStream stream);

// True if a signal's handler has raised; the exception is kept. Checks nothing outside of the main thread, which could
// wait for the interpreter's lock for ever.
bool is_interrupted() noexcept;

// The batches of a stream, one after the other, read without the interpreter's lock. Takes the stream over.
class Batches {
 public:
  explicit Batches(ArrowArrayStream stream) : stream_(stream) {}
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  ~Batches();

  ArrowArrayStream& stream() { return stream_; }
  // False: there is no more. Raises what a signal's handler raises, OSError and MemoryError.
  bool next();
  // The last one; valid until the next call.
  const ArrowArray& array() const { return array_; }

 private:
  ArrowArrayStream stream_;
  ArrowArray array_{};
};

void bind_stream(nb::module_& module);

}  // namespace steno_python
