// Python.h as of the stable ABI of 3.12, for an older one: what nanobind calls of 3.12 is declared here.
#pragma once
#include <Python.h>

extern "C" {
PyObject* PyObject_Vectorcall(PyObject* callable, PyObject* const* arguments, size_t count, PyObject* names);
PyObject* PyObject_VectorcallMethod(PyObject* name, PyObject* const* arguments, size_t count, PyObject* names);
}
