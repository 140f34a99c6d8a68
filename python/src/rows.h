// Rows of Arrow batches as tuples of Python objects, for iteration without any other package.
#pragma once

#include <vector>

#include <nanobind/nanobind.h>

#include "steno/arrow.h"
#include "stream.h"

namespace steno_python {

namespace nb = nanobind;

// Takes the stream over. For one thread at a time.
class Rows {
 public:
  explicit Rows(WatchedStream stream);
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();

  nb::list names() const;
  // Arrow's formats of the columns, of a dictionary's values.
  nb::list formats() const;
  // Returns for each column the name that it has as an argument; None: it is none.
  nb::list arguments() const;
  // The format of the statement; empty: it is a stream of the whole log.
  nb::object statement() const;
  // The next batch, a list of tuples; None at the end.
  nb::object next();

 private:
  Batches batches_;
  ArrowSchema schema_{};
};

void bind_rows(nb::module_& module);

}  // namespace steno_python
