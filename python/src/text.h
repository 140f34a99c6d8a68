// Texts of logs as Python's: bytes that are no UTF-8 become U+FFFD.
#pragma once

#include <cstddef>
#include <cstring>

#include <nanobind/nanobind.h>

namespace steno_python {

inline nanobind::object stolen(PyObject* made) {
  if (made == nullptr) throw nanobind::python_error();
  return nanobind::steal(made);
}

inline nanobind::object text(const char* bytes, std::size_t size) {
  return stolen(PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(size), "replace"));
}

inline nanobind::object text(const char* bytes) {
  return text(bytes, std::strlen(bytes));
}

// Decodes a path like os.fsdecode.
inline nanobind::object path_text(const char* bytes) {
  return stolen(PyUnicode_DecodeFSDefault(bytes));
}

}  // namespace steno_python
