#include "stream.h"

#include <cerrno>
#include <cstdio>
#include <memory>

namespace steno_python {
namespace {

unsigned long main_thread = 0;
PyObject* interrupt = nullptr;  // guarded by the interpreter's lock

bool on_progress(void* context, const steno_stream_progress* now) noexcept {
  auto& watch = *static_cast<StreamWatch*>(context);
  watch.counts->done += now->done - watch.last.done;
  watch.counts->read += now->read - watch.last.read;
  watch.last = *now;
  if (is_interrupted()) watch.was_interrupted = true;
  return !watch.was_interrupted;
}

// Returns the object behind the stream of a capsule.
WatchedStream& watched(ArrowArrayStream* stream) {
  return *static_cast<WatchedStream*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  ArrowArrayStream& inner = watched(stream).stream;
  return inner.get_schema(&inner, out);
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  WatchedStream& of = watched(stream);
  int code = 0;
  if (of.watch->is_of_sources && Py_IsInitialized() != 0) {
    // Threads that read a source need the interpreter's lock, which the caller may hold.
    const nb::gil_scoped_acquire acquired;
    const nb::gil_scoped_release released;
    code = of.stream.get_next(&of.stream, out);
  } else {
    code = of.stream.get_next(&of.stream, out);
  }
  return code != 0 && of.watch->was_interrupted ? EINTR : code;
}

const char* get_last_error(ArrowArrayStream* stream) {
  WatchedStream& of = watched(stream);
  return of.watch->was_interrupted ? "interrupted" : of.stream.get_last_error(&of.stream);
}

void release_stream(ArrowArrayStream* stream) {
  WatchedStream* const of = &watched(stream);
  of->stream.release(&of->stream);
  delete of;
  stream->release = nullptr;
}

// Releases what nobody has taken out.
template <class T>
void drop(void* pointer) noexcept {
  auto* of = static_cast<T*>(pointer);
  if (of->release != nullptr) of->release(of);
  delete of;
}

template <class T>
nb::object in_capsule(T what, const char* name) {
  auto held = std::make_unique<T>(what);
  nb::capsule made(held.get(), name, &drop<T>);
  held.release();
  return made;
}

}  // namespace

void watch(StreamWatch* by, steno_stream_options* options) {
  options->progress = &on_progress;
  options->progress_context = by;
}

nb::object stream_capsule(WatchedStream stream) {
  auto held = std::make_unique<WatchedStream>(std::move(stream));
  const ArrowArrayStream outer = {&get_schema, &get_next, &get_last_error, &release_stream, held.get()};
  nb::object made = in_capsule(outer, "arrow_array_stream");
  held.release();
  return made;
}

nb::object schema_capsule(WatchedStream stream) {
  ArrowSchema schema{};
  const int code = stream.stream.get_schema(&stream.stream, &schema);
  stream.stream.release(&stream.stream);
  if (code != 0) throw std::bad_alloc();  // nothing else can go wrong
  return in_capsule(schema, "arrow_schema");
}

bool is_interrupted() noexcept {
  if (PyThread_get_thread_ident() != main_thread || Py_IsInitialized() == 0) return false;
  const PyGILState_STATE state = PyGILState_Ensure();
  bool found = false;
  if (PyErr_Occurred() == nullptr && PyErr_CheckSignals() != 0) {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    PyObject* const before = interrupt;
    interrupt = value;
    Py_XDECREF(before);
    found = true;
  }
  PyGILState_Release(state);
  return found;
}

void keep_interrupt(nb::handle exception) {
  PyObject* const before = interrupt;
  interrupt = exception.inc_ref().ptr();
  Py_XDECREF(before);
}

void raise_interrupt() {
  PyObject* const taken = interrupt;
  interrupt = nullptr;
  if (taken == nullptr) {  // another thread has raised it
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } else {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(taken)), taken);
    Py_DECREF(taken);
  }
  throw nb::python_error();
}

Batches::~Batches() {
  if (array_.release != nullptr) array_.release(&array_);
  stream_.release(&stream_);
}

bool Batches::next() {
  if (array_.release != nullptr) array_.release(&array_);
  int code = 0;
  {
    const nb::gil_scoped_release released;
    code = stream_.get_next(&stream_, &array_);
  }
  if (watch_->was_interrupted) raise_interrupt();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (code == 0) return array_.release != nullptr;
  if (interrupt != nullptr) raise_interrupt();
  const char* const why = stream_.get_last_error(&stream_);
  steno_error error{};
  error.code = code == ENOMEM ? STENO_EXHAUSTED : STENO_IO_ERROR;
  std::snprintf(error.text, sizeof error.text, "%s", why != nullptr ? why : "cannot be read");
  raise(error);
}

nb::object Capsules::next() {
  if (!batches_.next()) return nb::none();
  ArrowSchema schema{};
  if (batches_.stream().get_schema(&batches_.stream(), &schema) != 0)
    throw std::bad_alloc();  // nothing else can go wrong
  const nb::object first = in_capsule(schema, "arrow_schema");
  return nb::make_tuple(first, in_capsule(batches_.take(), "arrow_array"));
}

void bind_stream(nb::module_& module) {
  nb::class_<Capsules>(module, "Capsules", "The batches of a stream, as pairs of capsules.")
      .def("next", &Capsules::next);
  module.def(
      "set_main_thread", [](unsigned long ident) { main_thread = ident; }, nb::arg("ident"),
      "The thread in which Python handles signals.");
  module.def(
      "take_interrupt",
      [] {
        PyObject* const taken = interrupt;
        interrupt = nullptr;
        return taken != nullptr ? nb::steal(taken) : nb::none();
      },
      "The exception of the signal that interrupted a stream since the last call; None: no signal did.");
}

}  // namespace steno_python
