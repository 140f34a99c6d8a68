#!/bin/bash
# Whether NaN is greater than 10 depends on which other values are in the same Parquet file, and on who wrote it.
#
# DuckDB, like PostgreSQL, takes NaN for greater than all numbers; Polars does so in conditions; pyarrow compares as
# IEEE 754 does. So one would guess that DuckDB finds NaN by `x > 5` and by `x > 10` alike, and that max(x) is NaN. In
# fact, in a Parquet file that pyarrow wrote, it finds it by `x > 5` (another row is 9) but not by `x > 10`, and max(x)
# is 9, while max(x + 0) is NaN: the statistics of a Parquet file leave NaN out, as its format has it, and DuckDB
# answers by them. The same rows as a table, or in a Parquet file that DuckDB wrote, give NaN each time. Polars is of two
# minds in another way: NaN passes `> 5` and is sorted last, but max is 9.
#
# pyarrow 26.0.1, duckdb 2.0.1, polars 2.1.0, Python 3.11; seen 2026-11-28.
# Why it matters here: blocks have minima and maxima too, and conditions are decided by them. Doubles have none, and what
# engines hand down is rewritten to keep their own meaning: `x > 5` of PostgreSQL is `not (x <= 5)` of steno.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import duckdb
import polars
import pyarrow
from pyarrow import compute, parquet

by_pyarrow, by_duckdb = sys.argv[1] + "/a.parquet", sys.argv[1] + "/b.parquet"
rows = pyarrow.table({"x": [1.0, float("nan"), 9.0]})
parquet.write_table(rows, by_pyarrow)
duckdb.sql(f"copy (select * from rows) to '{by_duckdb}'")
x = polars.col("x")
seen = []


def outcome(name, found, expected):
    print(f"{name:44} {found}")
    seen.append(str(found) == expected)


def in_duckdb(what, source):
    return [row[0] for row in duckdb.sql(f"select {what.replace('FROM', 'from ' + source)}").fetchall()]


for name, source, more, greatest in (("a table", "rows", "[nan]", "[nan]"),
                                     ("a file by DuckDB", f"'{by_duckdb}'", "[nan]", "[nan]"),
                                     ("a file by pyarrow", f"'{by_pyarrow}'", "[]", "[9.0]")):
    outcome(f"DuckDB, {name}: x > 5", in_duckdb("x FROM where x > 5", source), "[nan, 9.0]")
    outcome(f"DuckDB, {name}: x > 10", in_duckdb("x FROM where x > 10", source), more)
    outcome(f"DuckDB, {name}: max(x)", in_duckdb("max(x) FROM", source), greatest)
    outcome(f"DuckDB, {name}: max(x + 0)", in_duckdb("max(x + 0) FROM", source), "[nan]")
outcome("pyarrow: x > 5", parquet.read_table(by_pyarrow, filters=compute.field("x") > 5)["x"].to_pylist(), "[9.0]")
outcome("Polars: x > 5", polars.scan_parquet(by_pyarrow).filter(x > 5).collect()["x"].to_list(), "[nan, 9.0]")
outcome("Polars: max", polars.scan_parquet(by_pyarrow).select(x.max()).collect()["x"][0], "9.0")
outcome("Polars: sorted", polars.scan_parquet(by_pyarrow).sort("x").collect()["x"].to_list(), "[1.0, 9.0, nan]")
raise SystemExit(0 if all(seen) else "this has changed")
PYTHON
