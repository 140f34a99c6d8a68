#!/bin/bash
# Batches of one stream may each have a dictionary of their own, but pyarrow counts them by one function and not by
# another, and even dictionaries that only grow end a group_by.
#
# Arrow lets each batch of a stream have its own dictionary. One would guess that what takes one such table takes all:
# in fact value_counts() and unique() unify the dictionaries, while group_by() and join() end with
# ArrowNotImplementedError "Unifying differing dictionaries", also if the second only adds to the first. A file of the
# IPC format takes no second dictionary (ArrowInvalid), and one that grows only with emit_dictionary_deltas.
# Table.unify_dictionaries() helps in all cases. DuckDB, Polars and pandas need no help.
#
# pyarrow 26.0.1, duckdb 2.0.1, polars 2.1.0, pandas 3.1.1, Python 3.11; seen 2026-11-28.
# Why it matters here: threads, loggers and files are dictionaries; they are the same in all batches of a log now.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0 pandas==3.1.1
"$folder/venv/bin/python" - <<'PYTHON'
import io

import duckdb
import polars
import pyarrow
from pyarrow import ipc

seen = []


def array(indices, values):
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(indices, pyarrow.int32()), pyarrow.array(values))


def outcome(name, run, expected):
    try:
        found = run()
    except Exception as error:
        found = type(error).__name__
    print(f"{name:44} {found}")
    seen.append(found == expected)


def in_groups(table):
    counts = table.group_by("k").aggregate([([], "count_all")]).to_pydict()
    return dict(zip(counts["k"], counts["count_all"]))


def by_value_counts(table):
    return {one["values"]: one["counts"] for one in table["k"].value_counts().to_pylist()}


def through_file(table, **options):
    out = io.BytesIO()
    with ipc.new_file(out, table.schema, options=ipc.IpcWriteOptions(**options)) as file:
        for batch in table.to_batches():
            file.write_batch(batch)
    return by_value_counts(ipc.open_file(out.getvalue()).read_all())


first = array([0, 1, 0], ["a", "b"])
tables = {"other": (array([0, 1, 1], ["b", "c"]), {"a": 2, "b": 2, "c": 2}, "ArrowInvalid"),
          "grown": (array([0, 1, 2], ["a", "b", "c"]), {"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 2, "c": 1})}
for name, (second, counts, deltas) in tables.items():
    table = pyarrow.table({"k": pyarrow.chunked_array([first, second])})
    outcome(f"{name}: value_counts", lambda: by_value_counts(table), counts)
    outcome(f"{name}: group_by", lambda: in_groups(table), "ArrowNotImplementedError")
    outcome(f"{name}: join", lambda: table.join(pyarrow.table({"k": ["a"], "n": [1]}), "k").num_rows,
            "ArrowNotImplementedError")
    outcome(f"{name}: IPC file", lambda: through_file(table), "ArrowInvalid")
    outcome(f"{name}: IPC file, emit_dictionary_deltas", lambda: through_file(table, emit_dictionary_deltas=True), deltas)
    outcome(f"{name}: group_by when unified", lambda: in_groups(table.unify_dictionaries()), counts)
    outcome(f"{name}: DuckDB", lambda: dict(duckdb.from_arrow(table).aggregate("k, count(*)", "k").fetchall()), counts)
    outcome(f"{name}: Polars", lambda: dict(polars.from_arrow(table).group_by("k").len().rows()), counts)
    outcome(f"{name}: pandas", lambda: table.to_pandas().groupby("k", observed=True).size().to_dict(), counts)
raise SystemExit(0 if all(seen) else "this has changed")
PYTHON
