#!/bin/bash
# polars.from_arrow makes a DataFrame of pyarrow's tables, and of the same table of anybody else a Series of structs.
#
# Arrow's PyCapsule interface lets a library hand a table to another that knows nothing of it: __arrow_c_stream__. One
# would guess that polars.from_arrow, which takes such objects, makes a DataFrame of what is a table: a stream of
# structs whose fields are its columns. In fact only pyarrow's own classes become DataFrames. A relation of DuckDB, a
# DataFrame of pandas and any other object with the method become one Series of structs, which has no columns and no
# group_by. polars.DataFrame(object) makes a DataFrame of each of them.
#
# polars 2.1.0, pyarrow 26.0.1, duckdb 2.0.1, pandas 3.1.1, Python 3.11; seen 2026-11-29.
# Why it matters here: tables of logs have this method. Our pages say polars.DataFrame(table), never from_arrow.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0 pandas==3.1.1
"$folder/venv/bin/python" - <<'PYTHON'
import duckdb
import pandas
import polars
import pyarrow

rows = pyarrow.table({"a": [1, 2, 3], "b": ["x", "y", "z"]})


class Other:
    """A table of a library that polars does not know."""

    def __arrow_c_stream__(self, requested_schema=None):
        return rows.__arrow_c_stream__(requested_schema)


cases = {"pyarrow.Table": (rows, polars.DataFrame), "pyarrow.RecordBatchReader": (rows.to_reader(), polars.DataFrame),
         "relation of DuckDB": (duckdb.sql("select * from rows"), polars.Series),
         "DataFrame of pandas": (pandas.DataFrame({"a": [1, 2, 3]}), polars.Series),
         "any other object": (Other(), polars.Series)}
seen = []
for name, (of, expected) in cases.items():
    found = polars.from_arrow(of)
    print(f"polars.from_arrow({name}): {type(found).__name__}")
    seen.append(type(found) is expected)
seen.append(polars.from_arrow(Other()).dtype == polars.Struct({"a": polars.Int64, "b": polars.String}))
seen.append(polars.DataFrame(Other()).shape == (3, 2))
print(f"polars.DataFrame(any other object): {polars.DataFrame(Other()).shape}")
if not all(seen):
    raise SystemExit("polars does otherwise now")
PYTHON
