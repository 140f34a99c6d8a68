#!/bin/bash
# Delta Lake's and Iceberg's Python writers take an unsigned column for a signed one of the same size.
#
# Neither format has unsigned integers. One would guess that writers refuse a column of uint32, or store it as the next wider
# signed type, as Spark does when it reads such a column from Parquet (uint32 becomes bigint). In fact both make the signed
# type of the same size: a table is created and written without a word as long as all values are small, and an append fails
# as soon as one value is in the upper half, in deltalake with an error of casts, in pyiceberg with struct.error. The
# table then has a column that can never hold the values of its source. pyiceberg makes int of uint8 and uint16, which is
# right, so that only uint32 (int) and uint64 (long) are concerned; in deltalake already a uint8 of 200 fails.
#
# deltalake 1.6.6, pyiceberg 0.12.0, pyarrow 26.0.1, Python 3.11; seen 2026-11-29.
# Why it matters here: arguments of log statements are often uint32_t and uint64_t. Exports to lakes widen them first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deltalake==1.6.6 'pyiceberg[sql-sqlite,pyarrow]==0.12.0' pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import pyarrow
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog import load_catalog

folder = sys.argv[1]
catalog = load_catalog("c", type="sql", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
catalog.create_namespace("n")
seen = []


def rows(value, kind):
    return pyarrow.table({"x": pyarrow.array([value], kind)})


def attempt(write):
    try:
        write()
    except Exception as error:
        return type(error).__name__
    return "written"


def outcome(what, found, expected):
    print(f"{what:44} {found}")
    seen.append(found == expected)


for kind, delta_type, iceberg_type, delta, iceberg in (
        (pyarrow.uint8(), "byte", "int", "DeltaError", "written"), (pyarrow.uint16(), "short", "int", "DeltaError", "written"),
        (pyarrow.uint32(), "integer", "int", "DeltaError", "error"), (pyarrow.uint64(), "long", "long", "DeltaError", "error")):
    large = 2 ** kind.bit_width - 1
    path = f"{folder}/{kind}"
    outcome(f"deltalake, {kind}: 1", attempt(lambda: write_deltalake(path, rows(1, kind))), "written")
    outcome("  the column's type", DeltaTable(path).schema().fields[0].type.type, delta_type)
    outcome(f"  appended: {large}", attempt(lambda: write_deltalake(path, rows(large, kind), mode="append")), delta)
    table = catalog.create_table(f"n.{kind}", schema=rows(1, kind).schema)
    outcome(f"pyiceberg, {kind}: 1", attempt(lambda: table.append(rows(1, kind))), "written")
    outcome("  the column's type", str(table.schema().fields[0].field_type), iceberg_type)
    outcome(f"  appended: {large}", attempt(lambda: table.append(rows(large, kind))), iceberg)
if not all(seen):
    raise SystemExit("they do otherwise now")
PYTHON
