#!/usr/bin/env python3
"""Reads a log as Arrow batches with pyarrow, and with DuckDB if it is here, and compares with `steno cat --format json`.

    check_pyarrow.py libsteno_reader.so BATCH_SAMPLE STENO        exits 77 (skipped) without pyarrow

Where the interpreter has none, that of build/python takes over, which scripts/bootstrap fills.
"""
import subprocess
import sys
import tempfile

from steno_stream import Logs, require

require("pyarrow")

import pyarrow


def main():
    library, sample, steno = sys.argv[1:]
    logs = Logs(library, steno)
    reader, cat = logs.stream, logs.cat

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
