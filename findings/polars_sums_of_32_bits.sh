#!/bin/bash
# Polars adds up 32-bit integers in 32 bits, and wraps without a word.
#
# sum() of 8- and 16-bit columns gives 64 bits. One would guess that 32-bit columns, which overflow in real data, do so
# too, as in pandas, NumPy, pyarrow and DuckDB. In fact they stay at 32 bits, and 2^32 is gone from the result as often as
# it fits in: in Series.sum(), in expressions, by group, and in SQL. mean() of the same column is right.
#
# polars 2.1.0, pyarrow 26.0.1, Python 3.11; seen 2026-11-29.
# Why it matters here: a uint32_t of a log statement (bytes sent, microseconds) is a UInt32 column, and some hundred
# thousand records wrap its sum. docs/engines.md says what to write.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0 pyarrow==26.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

values = [3_000_000_000, 3_000_000_000]
true = sum(values)
frame = pl.DataFrame({"bytes": pl.Series(values, dtype=pl.UInt32), "host": ["a", "a"]})
wrapped = true - 2**32
seen = []


def outcome(what, found, expected):
    print(f"{what:44} {found}")
    seen.append(found == expected)


print(f"{'the sum':44} {true}")
outcome("UInt16 of the same kind (2 x 60,000)", pl.Series([60_000, 60_000], dtype=pl.UInt16).sum(), 120_000)
outcome("Series.sum()", frame["bytes"].sum(), wrapped)
outcome("select(sum)", frame.select(pl.col("bytes").sum()).item(), wrapped)
outcome("group_by(...).agg(sum)", frame.group_by("host").agg(pl.col("bytes").sum())["bytes"][0], wrapped)
outcome("SQL", frame.sql("select sum(bytes) as s from self").item(), wrapped)
outcome("mean() x 2", frame["bytes"].mean() * 2, float(true))
outcome("cast to 64 bits first", frame["bytes"].cast(pl.UInt64).sum(), true)
outcome("pyarrow", pc.sum(pa.array(values, pa.uint32())).as_py(), true)
if not all(seen):
    raise SystemExit("Polars does otherwise now")
PYTHON
