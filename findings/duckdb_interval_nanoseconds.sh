#!/bin/bash
# DuckDB reads Arrow's durations of nanoseconds as an INTERVAL, and what is below a microsecond is gone without a word.
#
# Since DuckDB keeps timestamps of nanoseconds (TIMESTAMPTZ_NS), one would guess that it keeps durations of nanoseconds,
# or refuses them: the difference of two of its TIMESTAMPTZ_NS is such a duration. In fact a duration[ns] of Arrow becomes
# an INTERVAL of microseconds, cut off: 999 ns are 0, and so is -1 ns.
# Going out again, an INTERVAL is a month_day_nano_interval, so a round trip changes the type and the value.
#
# duckdb 2.0.1, pyarrow 26.0.1, Python 3.11; seen 2026-11-29.
# Why it matters here: latencies are logged in nanoseconds. The profile "parquet" gives them as integers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import duckdb
import pyarrow

took = pyarrow.table({"took": pyarrow.array([999, 1500, -1], pyarrow.duration("ns")),
                      "at": pyarrow.array([1790000000123456789] * 3, pyarrow.timestamp("ns", "UTC"))})
seen = []


def outcome(name, found, expected):
    print(f"{name:42} {found}")
    seen.append(found == expected)


outcome("type of timestamp[ns]", str(duckdb.sql("select \"at\" from took").types[0]), "TIMESTAMPTZ_NS")
outcome("its nanoseconds", duckdb.sql('select epoch_ns("at") % 1000 from took limit 1').fetchall(), [(789,)])
outcome("type of duration[ns]", str(duckdb.sql("select took from took").types[0]), "INTERVAL")
micros = duckdb.sql("select cast(epoch(took) * 1000000 as bigint) from took").fetchall()
outcome("999 ns, 1500 ns and -1 ns, in microseconds", [row[0] for row in micros], [0, 1, 0])
back = duckdb.sql("select took from took").to_arrow_table()
outcome("type on the way out", str(back.schema.field("took").type), "month_day_nano_interval")
outcome("nanoseconds on the way out", [value.nanoseconds for value in back["took"].to_pylist()], [0, 1000, 0])
if not all(seen):
    raise SystemExit("DuckDB does otherwise now")
PYTHON
