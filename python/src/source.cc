#include "source.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "stream.h"

namespace steno_python {
namespace {

steno_code fail(const char* why, steno_error* error) {
  std::snprintf(error->text, sizeof error->text, "%s", why);
  return STENO_IO_ERROR;
}

// Keeps what Ctrl-C raises, so that the reader's caller gets that.
steno_code fail(nb::python_error& raised, steno_error* error) {
  if (!raised.matches(PyExc_Exception)) keep_interrupt(raised.value());
  const nb::object shown = nb::steal(PyObject_Str(raised.value().ptr()));
  PyErr_Clear();
  const char* const why = shown.is_valid() ? PyUnicode_AsUTF8AndSize(shown.ptr(), nullptr) : nullptr;
  PyErr_Clear();
  return fail(why != nullptr && *why != 0 ? why : "cannot be read", error);
}

steno_code read(void* context, const steno_range* ranges, std::size_t count, steno_error* error) {
  if (Py_IsInitialized() == 0) return fail("Python has ended", error);
  const nb::gil_scoped_acquire acquired;
  try {
    nb::list wanted;
    for (std::size_t i = 0; i < count; ++i) wanted.append(nb::make_tuple(ranges[i].offset, ranges[i].size));
    const nb::object found = nb::handle(static_cast<PyObject*>(context)).attr("read")(wanted);
    for (std::size_t i = 0; i < count; ++i) {
      char* bytes = nullptr;
      Py_ssize_t size = 0;
      const nb::object one = found[i];
      if (PyBytes_AsStringAndSize(one.ptr(), &bytes, &size) != 0) throw nb::python_error();
      if (static_cast<std::uint64_t>(size) != ranges[i].size) return fail("fewer bytes came than there are", error);
      std::memcpy(ranges[i].to, bytes, static_cast<std::size_t>(size));
    }
    return STENO_OK;
  } catch (nb::python_error& raised) {
    return fail(raised, error);
  } catch (const std::exception& problem) {
    return fail(problem.what(), error);
  }
}

void release(void* context) {
  if (Py_IsInitialized() == 0) return;
  const nb::gil_scoped_acquire acquired;
  Py_DECREF(static_cast<PyObject*>(context));
}

}  // namespace

steno_source source_of(nb::object source, const char* name) {
  steno_source made{};
  made.size = sizeof made;
  made.name = name;
  made.bytes = nb::cast<std::uint64_t>(source.attr("size"));
  made.read = &read;
  made.release = &release;
  made.context = source.release().ptr();
  return made;
}

}  // namespace steno_python
