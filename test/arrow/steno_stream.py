"""Logs as Arrow streams by <steno/c_reader.h>, and as JSON by `steno cat`: for the tests of engines."""
import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path


def require(*modules):
    """Imports what is asked for, in the interpreter of build/python if this one lacks it; else exits with 77."""
    try:
        for module in modules:
            __import__(module)
    except ImportError as error:
        bootstrapped = Path(__file__).resolve().parents[2] / "build/python/bin/python3"
        if bootstrapped.exists() and Path(sys.prefix).resolve() != bootstrapped.parents[1].resolve():
            os.execv(bootstrapped, [bootstrapped, *sys.argv])
        print(f"skipped: {error}, nor in build/python (scripts/bootstrap installs it where PyPI can be reached)")
        sys.exit(77)


class Error(ctypes.Structure):
    """steno_error"""
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 508)]


class StreamOptions(ctypes.Structure):
    """steno_stream_options"""
    _fields_ = [("size", ctypes.c_size_t), ("statement", ctypes.c_char_p), ("columns", ctypes.c_void_p),
                ("column_count", ctypes.c_size_t), ("where", ctypes.c_char_p), ("stable_id", ctypes.c_uint64),
                ("min_level", ctypes.c_int), ("since_ns", ctypes.c_int64), ("until_ns", ctypes.c_int64),
                ("dictionary_strings", ctypes.c_bool), ("binary_strings", ctypes.c_bool), ("max_rows", ctypes.c_uint32),
                ("part", ctypes.c_uint32), ("parts", ctypes.c_uint32)]


class Stream(ctypes.Structure):
    """ArrowArrayStream"""
    _fields_ = [(name, ctypes.c_void_p)
                for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


class Logs:
    """The reader's library and the command."""

    def __init__(self, library, steno):
        self.library = ctypes.CDLL(library)
        self.library.steno_reader_open.restype = ctypes.c_void_p
        self.steno = steno

    def stream(self, path, statement="", where="", dictionaries=False, columns=(), max_rows=1000):
        """A pyarrow.RecordBatchReader."""
        import pyarrow
        error, options, stream = Error(), StreamOptions(), Stream()
        log = ctypes.c_void_p(self.library.steno_reader_open((ctypes.c_char_p * 1)(path.encode()), ctypes.c_size_t(1),
                                                             ctypes.byref(error)))
        assert log, error.text
        self.library.steno_stream_options_init(ctypes.byref(options), ctypes.c_size_t(ctypes.sizeof(options)))
        options.statement = statement.encode() or None
        options.where = where.encode() or None
        options.dictionary_strings = dictionaries
        options.max_rows = max_rows
        names = (ctypes.c_char_p * max(len(columns), 1))(*(name.encode() for name in columns))
        options.columns = ctypes.cast(names, ctypes.c_void_p)
        options.column_count = len(columns)
        assert self.library.steno_reader_stream(log, ctypes.byref(options), ctypes.byref(stream),
                                                ctypes.byref(error)) == 0, error.text
        self.library.steno_reader_close(log)
        return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))

    def cat(self, path, *options):
        """Records as `steno cat --format json` prints them, in the order of the file."""
        run = subprocess.run([self.steno, "cat", "--no-sort", "--format", "json", "--big-integers", "number", *options, path], check=True,
                             stdout=subprocess.PIPE)
        return [json.loads(line) for line in run.stdout.splitlines()]
