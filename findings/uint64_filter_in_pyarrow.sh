#!/bin/bash
# One large value of a uint64 column makes pyarrow's filters on the whole column fail.
#
# One would guess that `field("id") == 7` selects the rows whose id is 7, and that a number that is too large for the
# filter's constant is a matter of that number alone. In fact pyarrow gives a Python integer the type int64, and then
# casts the *column* to int64: as soon as one row has a value from 2^63 on, `==`, `>` and dataset filters with any
# Python integer end with ArrowInvalid "not in range", and with a constant from 2^63 on they end with OverflowError.
# `isin([7])` works, as it casts the constants to the column's type; so does a constant made with pyarrow.scalar(7,
# pyarrow.uint64()). DuckDB, Polars and pandas compare all of these as they are.
#
# pyarrow 26.0.1, duckdb 2.0.1, polars 2.1.0, pandas 3.1.1, Python 3.11; seen 2026-11-28.
# Why it matters here: ids of spans were random numbers of 64 bits, half of them from 2^63 on. They are below 2^63 now.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0 pandas==3.1.1
"$folder/venv/bin/python" - <<'PYTHON'
import duckdb
import polars
import pyarrow
from pyarrow import compute, dataset

small = pyarrow.table({"id": pyarrow.array([1, 7, 9], pyarrow.uint64())})
large = pyarrow.table({"id": pyarrow.array([1, 7, 2**63 + 5], pyarrow.uint64())})
field = compute.field("id")
seen = []


def outcome(name, run, expected):
    try:
        found = run()
    except Exception as error:
        found = type(error).__name__
    print(f"{name:58} {found}")
    seen.append(found == expected)


outcome("all below 2^63: field == 7", lambda: small.filter(field == 7).num_rows, 1)
outcome("one from 2^63 on: field == 7", lambda: large.filter(field == 7).num_rows, "ArrowInvalid")
outcome("one from 2^63 on: field > 0", lambda: large.filter(field > 0).num_rows, "ArrowInvalid")
outcome("one from 2^63 on: dataset, field == 7", lambda: dataset.dataset(large).to_table(filter=field == 7).num_rows,
        "ArrowInvalid")
outcome("one from 2^63 on: field == 2^63 + 5", lambda: large.filter(field == 2**63 + 5).num_rows, "OverflowError")
outcome("one from 2^63 on: field.isin([7])", lambda: large.filter(field.isin([7])).num_rows, 1)
outcome("one from 2^63 on: field == scalar(7, uint64)",
        lambda: large.filter(field == pyarrow.scalar(7, pyarrow.uint64())).num_rows, 1)
outcome("DuckDB: id = 7", lambda: duckdb.sql("select count(*) from large where id = 7").fetchall()[0][0], 1)
outcome("DuckDB: id = 2^63 + 5",
        lambda: duckdb.sql(f"select count(*) from large where id = {2**63 + 5}").fetchall()[0][0], 1)
outcome("Polars: id == 2^63 + 5",
        lambda: polars.from_arrow(large).filter(polars.col("id") == 2**63 + 5).height, 1)
outcome("pandas: id == 2^63 + 5", lambda: int((large.to_pandas()["id"] == 2**63 + 5).sum()), 1)
raise SystemExit(0 if all(seen) else "this has changed")
PYTHON
