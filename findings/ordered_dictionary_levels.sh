#!/bin/bash
# A dictionary that says that it is ordered is ordered in pandas alone: `level >= 'INFO'` leaves ERROR out elsewhere.
#
# Arrow's dictionaries have a flag "ordered": their order is that of the values. One would guess that engines that read
# Arrow keep it, or refuse to compare. In fact DuckDB makes a VARCHAR of the column, Polars a Categorical that compares
# as text, and pyarrow itself decodes it: `>= 'INFO'` is by the alphabet, so that TRACE is in and ERROR, DEBUG and
# CRITICAL are out, without a warning. pyarrow cannot sort by it at all. pandas alone keeps the order.
#
# pyarrow 26.0.1, duckdb 2.0.1, polars 2.1.0, pandas 3.1.1, Python 3.11; seen 2026-11-28.
# Why it matters here: levels of a log are such a column. The number of the level, `severity`, is a column of its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0 pandas==3.1.1
"$folder/venv/bin/python" - <<'PYTHON'
import duckdb
import polars
import pyarrow
from pyarrow import compute

names = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"]
by_alphabet = ["TRACE", "INFO", "NOTICE", "WARN"]
levels = pyarrow.DictionaryArray.from_arrays(pyarrow.array(range(7), pyarrow.int32()), pyarrow.array(names), ordered=True)
log = pyarrow.table({"level": levels})
seen = []


def outcome(name, run, expected):
    try:
        found = run()
    except Exception as error:
        found = type(error).__name__
    print(f"{name:28} {found}")
    seen.append(found == expected)


in_pandas = log.to_pandas()
outcome("pandas: level >= 'INFO'", lambda: in_pandas[in_pandas.level >= "INFO"].level.tolist(), names[2:])
outcome("pyarrow: level >= 'INFO'", lambda: log.filter(compute.field("level") >= "INFO")["level"].to_pylist(), by_alphabet)
outcome("pyarrow: sort by level", lambda: log.sort_by("level")["level"].to_pylist(), "ArrowNotImplementedError")
outcome("DuckDB: level >= 'INFO'",
        lambda: [row[0] for row in duckdb.sql("select level from log where level >= 'INFO'").fetchall()], by_alphabet)
outcome("DuckDB: order by level",
        lambda: [row[0] for row in duckdb.sql("select level from log order by level").fetchall()], sorted(names))
outcome("Polars: level >= 'INFO'",
        lambda: polars.from_arrow(log).filter(polars.col("level") >= "INFO")["level"].to_list(), by_alphabet)
outcome("Polars: sort by level", lambda: polars.from_arrow(log).sort("level")["level"].to_list(), sorted(names))
raise SystemExit(0 if all(seen) else "this has changed")
PYTHON
