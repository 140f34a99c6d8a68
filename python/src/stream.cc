#include "stream.h"

#include <cerrno>
#include <memory>
#include <string>

namespace steno_python {
namespace {

unsigned long main_thread = 0;
PyObject* interrupt = nullptr;  // guarded by the interpreter's lock

// Between the stream of the reader and whoever reads it.
struct Watched {
  Watched() = default;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    if (inner.release != nullptr) inner.release(&inner);
  }

  ArrowArrayStream inner{};
  bool was_interrupted = false;
};

Watched& watched(ArrowArrayStream* stream) {
  return *static_cast<Watched*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return watched(stream).inner.get_schema(&watched(stream).inner, out);
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  Watched& of = watched(stream);
  if (of.was_interrupted || is_interrupted()) {
    of.was_interrupted = true;
    *out = {};
    return EINTR;
  }
  return of.inner.get_next(&of.inner, out);
}

const char* get_last_error(ArrowArrayStream* stream) {
  Watched& of = watched(stream);
  return of.was_interrupted ? "interrupted" : of.inner.get_last_error(&of.inner);
}

void release_stream(ArrowArrayStream* stream) {
  delete &watched(stream);
  stream->release = nullptr;
}

ArrowArrayStream watch(ArrowArrayStream stream) {
  auto* of = new Watched;
  of->inner = stream;
  return {&get_schema, &get_next, &get_last_error, &release_stream, of};
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

nb::object stream_capsule(ArrowArrayStream stream) {
  return in_capsule(watch(stream), "arrow_array_stream");
}

nb::object schema_capsule(ArrowArrayStream stream) {
  ArrowSchema schema{};
  const int code = stream.get_schema(&stream, &schema);
  stream.release(&stream);
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
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (code == 0) return array_.release != nullptr;
  const char* const why = stream_.get_last_error(&stream_);
  PyErr_SetString(code == ENOMEM ? PyExc_MemoryError : PyExc_OSError, why != nullptr ? why : "cannot be read");
  throw nb::python_error();
}

void bind_stream(nb::module_& module) {
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
