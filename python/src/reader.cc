#include "reader.h"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "rows.h"
#include "source.h"
#include "stream.h"
#include "text.h"

namespace steno_python {
namespace {

std::string text_of(nb::handle text, const char* what) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  std::string out(bytes, static_cast<std::size_t>(size));
  if (out.find('\0') != std::string::npos) throw nb::value_error((std::string(what) + " has a NUL in it").c_str());
  return out;
}

// Waits for the reader without the interpreter's lock, which another thread may need to end its work.
std::unique_lock<std::mutex> lock(std::mutex& mutex) {
  const nb::gil_scoped_release released;
  return std::unique_lock(mutex);
}

}  // namespace

void raise(const steno_error& error) {
  nb::object exception = nb::module_::import_("steno._errors")
                             .attr("make")(static_cast<int>(error.code), text(error.text, std::strlen(error.text)));
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

StreamOptions::StreamOptions(const nb::dict& given) {
  STENO_STREAM_OPTIONS(&options_);
  for (const auto& [key, value] : given) {
    const std::string name = text_of(key, "an option");
    if (name == "statement") {
      statement_ = text_of(value, "a statement");
      options_.statement = statement_.c_str();
    } else if (name == "where") {
      where_ = text_of(value, "a condition");
      options_.where = where_.c_str();
    } else if (name == "columns") {
      for (nb::handle column : value) columns_.push_back(text_of(column, "a column's name"));
    } else if (name == "stable_id") {
      options_.stable_id = nb::cast<std::uint64_t>(value);
    } else if (name == "min_level") {
      options_.min_level = static_cast<steno_level>(nb::cast<int>(value));
    } else if (name == "since_ns") {
      options_.since_ns = nb::cast<std::int64_t>(value);
    } else if (name == "until_ns") {
      options_.until_ns = nb::cast<std::int64_t>(value);
    } else if (name == "dictionary_strings") {
      options_.dictionary_strings = nb::cast<bool>(value);
    } else if (name == "binary_strings") {
      options_.binary_strings = nb::cast<bool>(value);
    } else if (name == "view_strings") {
      options_.view_strings = nb::cast<bool>(value);
    } else if (name == "max_rows") {
      options_.max_rows = nb::cast<std::uint32_t>(value);
    } else if (name == "min_rows") {
      options_.min_rows = nb::cast<std::uint32_t>(value);
    } else if (name == "profile") {
      options_.profile = static_cast<steno_profile>(nb::cast<int>(value));
    } else if (name == "part") {
      options_.part = nb::cast<std::uint32_t>(value);
    } else if (name == "parts") {
      options_.parts = nb::cast<std::uint32_t>(value);
    } else {
      throw nb::value_error(("no option '" + name + "'").c_str());
    }
  }
  for (const std::string& column : columns_) column_pointers_.push_back(column.c_str());
  options_.columns = column_pointers_.data();
  options_.column_count = column_pointers_.size();
}

Reader::Reader(const nb::list& paths, bool show_secrets) {
  std::vector<std::string> texts;
  for (nb::handle path : paths) {
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(path.ptr(), &bytes, &size) != 0) throw nb::python_error();
    texts.emplace_back(bytes, static_cast<std::size_t>(size));
    if (texts.back().find('\0') != std::string::npos) throw nb::value_error("a path has a NUL in it");
  }
  std::vector<const char*> pointers;
  for (const std::string& one : texts) pointers.push_back(one.c_str());
  steno_reader_options options;
  STENO_READER_OPTIONS(&options);
  options.show_secrets = show_secrets;
  steno_error error{};
  {
    const nb::gil_scoped_release released;
    reader_.reset(steno_reader_open_with(pointers.data(), pointers.size(), &options, &error));
  }
  if (reader_ == nullptr) raise(error);
}

Reader* Reader::of_sources(const nb::list& sources, bool show_secrets, bool are_local) {
  std::vector<steno_source> all;
  std::vector<std::string> names;
  for (nb::handle source : sources) names.push_back(text_of(source.attr("name"), "a name"));
  std::size_t i = 0;
  try {
    for (nb::handle source : sources) all.push_back(source_of(nb::borrow(source), names[i++].c_str()));
  } catch (...) {
    for (const steno_source& one : all) one.release(one.context);
    throw;
  }
  steno_reader_options options;
  STENO_READER_OPTIONS(&options);
  options.show_secrets = show_secrets;
  if (are_local) options.copied_bytes = UINT64_MAX;  // of a file that is written there is no index
  steno_error error{};
  steno_reader* opened = nullptr;
  {
    const nb::gil_scoped_release released;
    opened = steno_reader_open_sources(all.data(), all.size(), &options, &error);
  }
  if (opened == nullptr) raise(error);
  auto* const made = new Reader(opened);
  made->is_of_sources_ = true;
  return made;
}

nb::list Reader::sessions() {
  const auto held = lock(mutex_);
  nb::list all;
  steno_session_facts of;
  for (std::size_t i = 0; steno_reader_session(reader_.get(), i, &of, sizeof of); ++i) {
    all.append(nb::make_tuple(path_text(of.path), text(of.program), text(of.host), of.session_id, of.pid, of.utc_offset,
                              of.start_ns, of.records, of.ended, of.died));
  }
  return all;
}

nb::list Reader::sites() {
  const auto held = lock(mutex_);
  nb::list all;
  steno_site_facts of;
  for (std::size_t i = 0; steno_reader_site(reader_.get(), i, &of, sizeof of); ++i) {
    all.append(nb::make_tuple(text(of.format), text(of.file), of.line, text(of.function), static_cast<int>(of.level),
                              text(of.types), of.stable_id));
  }
  return all;
}

nb::list Reader::threads() {
  const auto held = lock(mutex_);
  nb::list all;
  steno_thread_facts of;
  for (std::size_t i = 0; steno_reader_thread(reader_.get(), i, &of, sizeof of); ++i) {
    all.append(nb::make_tuple(of.session, of.tid, text(of.name)));
  }
  return all;
}

void Reader::check() {
  steno_error error{};
  std::unique_ptr<steno_batches, decltype(&steno_batches_close)> batches(nullptr, &steno_batches_close);
  const nb::gil_scoped_release released;
  {
    const std::lock_guard held(mutex_);
    std::vector<steno_batch_choice> all;
    steno_site_facts site;
    for (std::size_t i = 0; steno_reader_site(reader_.get(), i, &site, sizeof site); ++i)
      all.push_back({site.stable_id, nullptr});
    if (all.empty()) return;
    batches.reset(steno_reader_batches(reader_.get(), nullptr, all.data(), all.size(), &error));
  }
  int step = batches == nullptr ? -1 : 1;
  steno_batch batch;
  bool stopped = false;
  while (step > 0 && !stopped) {
    step = steno_batches_next(batches.get(), &batch, sizeof batch, &error);
    stopped = is_interrupted();
  }
  const nb::gil_scoped_acquire acquired;
  if (stopped) raise_interrupt();
  if (step < 0) raise(error);
}

nb::list Reader::losses() {
  const auto held = lock(mutex_);
  nb::list all;
  steno_loss of;
  for (std::size_t i = 0;; ++i) {
    bool there = false;
    {
      const nb::gil_scoped_release released;  // the first looks through the file
      there = steno_reader_loss(reader_.get(), i, &of, sizeof of);
    }
    if (!there) return all;
    all.append(nb::make_tuple(text(of.text), path_text(of.path), of.offset, of.size, of.records));
  }
}

std::uint64_t Reader::count(StreamOptions& options) {
  Batches batches(stream(options));
  std::uint64_t rows = 0;
  while (batches.next()) rows += static_cast<std::uint64_t>(batches.array().length);
  return rows;
}

nb::tuple Reader::estimate(StreamOptions& options) {
  steno_estimate estimate{};
  steno_error error{};
  steno_code code = STENO_OK;
  {
    const nb::gil_scoped_release released;
    const std::lock_guard held(mutex_);
    code = steno_reader_estimate(reader_.get(), options.get(), &estimate, sizeof estimate, &error);
  }
  if (code != STENO_OK) raise(error);
  return nb::make_tuple(estimate.blocks, estimate.bytes, estimate.rows);
}

WatchedStream Reader::stream(StreamOptions& options) {
  WatchedStream made{std::make_unique<StreamWatch>(), {}};
  made.watch->counts = counts_;
  made.watch->is_of_sources = is_of_sources_;
  watch(made.watch.get(), options.get());
  steno_error error{};
  steno_code code = STENO_OK;
  {
    const nb::gil_scoped_release released;
    const std::lock_guard held(mutex_);
    code = steno_reader_stream(reader_.get(), options.get(), &made.stream, &error);
  }
  if (code != STENO_OK) raise(error);
  return made;
}

nb::tuple Reader::blocks() const {
  return nb::make_tuple(counts_->done.load(), counts_->read.load());
}

namespace {

// The answer of a function of the reader to these options.
template <class Answer>
auto with_options(Answer (Reader::*ask)(StreamOptions&)) {
  return [ask](Reader& reader, const nb::dict& given) {
    StreamOptions options(given);
    return (reader.*ask)(options);
  };
}

// make(stream) of a stream of these options.
template <class Make>
auto with_stream(Make make) {
  return [make](Reader& reader, const nb::dict& given) {
    StreamOptions options(given);
    return make(reader.stream(options));
  };
}

}  // namespace

void bind_reader(nb::module_& module) {
  nb::class_<Reader>(module, "Reader", "Open log files. Functions may be called in any thread.")
      .def(nb::init<const nb::list&, bool>(), nb::arg("paths"), nb::arg("show_secrets"))
      .def_static("of_sources", &Reader::of_sources, nb::arg("sources"), nb::arg("show_secrets"), nb::arg("are_local"),
                  "Of local sources each size is read; others without an index have a limit.")
      .def("sessions", &Reader::sessions)
      .def("sites", &Reader::sites)
      .def("threads", &Reader::threads)
      .def("losses", &Reader::losses)
      .def("check", &Reader::check, "Decodes everything, so that losses() has what cannot be decoded.")
      .def("blocks", &Reader::blocks, "Blocks that streams have looked at so far, and those that they did not skip.")
      .def("count", with_options(&Reader::count), nb::arg("options"), "The number of rows of a stream.")
      .def("estimate", with_options(&Reader::estimate), nb::arg("options"),
           "Blocks, bytes and rows of a stream, at most.")
      .def("stream", with_stream(&stream_capsule), nb::arg("options"), "A new Arrow stream, as a capsule.")
      .def("schema", with_stream(&schema_capsule), nb::arg("options"), "The schema of a stream, as a capsule.")
      .def("capsules", with_stream([](WatchedStream stream) { return new Capsules(std::move(stream)); }),
           nb::arg("options"), "The batches of a stream, one after the other.")
      .def("rows", with_stream([](WatchedStream stream) { return new Rows(std::move(stream)); }), nb::arg("options"),
           "The rows of a stream, batch by batch.");
}

}  // namespace steno_python
