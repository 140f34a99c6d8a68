// An open log for Python: a thin layer over <steno/c_reader.h>.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "steno/c_reader.h"
#include "stream.h"

namespace steno_python {

namespace nb = nanobind;

// A C structure of stream options, and the texts that it points to.
class StreamOptions {
 public:
  // Reads options from a dict whose keys are the names of the structure's members. Raises ValueError for a text with a
  // NUL.
  explicit StreamOptions(const nb::dict& given);
  StreamOptions(StreamOptions&&) = delete;
  StreamOptions& operator=(StreamOptions&&) = delete;

  steno_stream_options* get() { return &options_; }

 private:
  steno_stream_options options_{};
  std::string statement_;
  std::string where_;
  std::vector<std::string> columns_;
  std::vector<const char*> column_pointers_;
};

// All functions may be called in any thread; one at a time has the C reader.
class Reader {
 public:
  // Paths as bytes.
  Reader(const nb::list& paths, bool show_secrets);
  // Objects with name, size and read() (steno/_remote.py).
  static Reader* of_sources(const nb::list& sources, bool show_secrets, bool are_local);

  nb::list sessions();
  nb::list sites();
  nb::list threads();
  nb::list losses();
  // Decodes everything, so that losses() knows what cannot be decoded.
  void check();
  // The number of rows of a stream.
  std::uint64_t count(StreamOptions& options);
  nb::tuple estimate(StreamOptions& options);
  // A new stream, which the caller must release.
  WatchedStream stream(StreamOptions& options);
  // Counts of all streams so far: blocks that they looked at, and those that they did not skip.
  nb::tuple blocks() const;

 private:
  explicit Reader(steno_reader* opened) : reader_(opened) {}

  struct Close {
    void operator()(steno_reader* reader) const { steno_reader_close(reader); }
  };
  std::mutex mutex_;
  const std::shared_ptr<BlockCounts> counts_ = std::make_shared<BlockCounts>();
  bool is_of_sources_ = false;
  std::unique_ptr<steno_reader, Close> reader_;
};

void bind_reader(nb::module_& module);

}  // namespace steno_python
