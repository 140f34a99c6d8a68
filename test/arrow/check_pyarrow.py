#!/usr/bin/env python3
"""Reads a log as Arrow batches with pyarrow, and with DuckDB if it is here, and compares with `steno cat --format json`.

    check_pyarrow.py libsteno_reader.so BATCH_SAMPLE STENO        exits 77 (skipped) without pyarrow

Where the interpreter has none, that of build/python takes over, which scripts/bootstrap fills.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pyarrow
except ImportError:
    bootstrapped = Path(__file__).resolve().parents[2] / "build/python/bin/python3"
    if bootstrapped.exists() and Path(sys.prefix).resolve() != bootstrapped.parents[1].resolve():
        os.execv(bootstrapped, [bootstrapped, *sys.argv])
    print("skipped: no pyarrow here, and none in build/python (scripts/bootstrap installs it where PyPI can be reached)")
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
    _fields_ = [(name, ctypes.c_void_p)
                for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


def main():
    library, sample, steno = sys.argv[1:]
    library = ctypes.CDLL(library)
    library.steno_reader_open.restype = ctypes.c_void_p

    def reader(path, statement="", where="", dictionaries=False):
        error, options, stream = Error(), StreamOptions(), Stream()
        log = ctypes.c_void_p(library.steno_reader_open((ctypes.c_char_p * 1)(path.encode()), ctypes.c_size_t(1),
                                                        ctypes.byref(error)))
        assert log, error.text
        library.steno_stream_options_init(ctypes.byref(options), ctypes.c_size_t(ctypes.sizeof(options)))
        options.statement = statement.encode() or None
        options.where = where.encode() or None
        options.dictionary_strings = dictionaries
        options.max_rows = 1000
        assert library.steno_reader_stream(log, ctypes.byref(options), ctypes.byref(stream), ctypes.byref(error)) == 0, error.text
        library.steno_reader_close(log)
        return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))

    def cat(path, *options):
        run = subprocess.run([steno, "cat", "--no-sort", "--format", "json", *options, path], check=True,
                             stdout=subprocess.PIPE)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def nanoseconds(time):
        whole, fraction = time.rstrip("Z").split(".")
        seconds = pyarrow.scalar(whole).cast(pyarrow.timestamp("s")).value
        return seconds * 10**9 + int(fraction.ljust(9, "0"))

    with tempfile.NamedTemporaryFile(suffix=".steno") as file:
        path = file.name
        subprocess.run([sample, path], check=True)

        for where in ("", "qty > 100 or message contains 'time'"):
            table = reader(path, where=where).read_all()
            table.validate(full=True)
            expected = cat(path, *(["--where", where] if where else []))
            assert len(expected) > 100
            columns = ["level", "thread", "logger", "file", "line", "function", "format", "message"]
            rows = table.select(columns).to_pylist()
            assert rows == [{name: record[name] for name in columns} for record in expected]
            assert table["time"].cast(pyarrow.int64()).to_pylist() == [nanoseconds(r["time"]) for r in expected]
            assert str(table.schema.field("time").type) == "timestamp[ns, tz=UTC]"

        names = ["qty", "price", "client"]
        expected = [[record["args"][name] for name in names] for record in cat(path) if "qty" in record["args"]]
        key = lambda row: [(value is not None, value) for value in row]
        for dictionaries in (False, True):
            table = reader(path, "filled {qty} @ {price} for {client}", dictionaries=dictionaries).read_all()
            table.validate(full=True)
            rows = [[row[name] for name in names] for row in table.select(names).to_pylist()]
            assert sorted(rows, key=key) == sorted(expected, key=key)
        print(f"pyarrow {pyarrow.__version__}: {len(expected)} records agree")

        try:
            import duckdb
        except ImportError:
            print("duckdb: not here, and not asked")
            return
        connection = duckdb.connect()
        for dictionaries in (False, True):
            log = reader(path, "filled {qty} @ {price} for {client}", dictionaries=dictionaries)
            found = connection.execute("select client, count(*), sum(qty) from log group by client").fetchall()
            sums = {}
            for qty, _, client in expected:
                count, total = sums.get(client, (0, 0))
                sums[client] = (count + 1, total + qty)
            assert {client: (count, total) for client, count, total in found} == sums
        log = reader(path)
        found = connection.execute("select level, thread, logger, message from log where level = 'WARN'").fetchall()
        expected = [(r["level"], r["thread"], r["logger"], r["message"]) for r in cat(path) if r["level"] == "WARN"]
        assert sorted(found) == sorted(expected) and expected
        print(f"duckdb {duckdb.__version__}: agrees")


if __name__ == "__main__":
    main()
