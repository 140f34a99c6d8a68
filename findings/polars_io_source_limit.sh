#!/bin/bash
# A source of rows for Polars (register_io_source) that is asked for n_rows and a predicate must limit first and filter then.
#
# A source gets the columns, the predicate and the limit of a query in one call. One would guess that n_rows is how many
# rows of the answer are wanted, as a LIMIT is applied after WHERE: a source that filters as it reads, and stops after
# n_rows, looks right. In fact Polars hands both down only for head(n).filter(p), where the limit comes first; for
# filter(p).head(n) it hands down the predicate alone. It does not check what it gets: a source that filters first gives
# rows that the query excludes, without a word, in both engines.
#
# polars 2.1.0, Python 3.11; seen 2026-11-29.
# Why it matters here: the reader filters while it decodes. steno/_polars.py leaves the predicate to Polars when there is
# a limit.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0
"$folder/venv/bin/python" - <<'PYTHON'
import polars as pl
from polars.io.plugins import register_io_source

frame = pl.DataFrame({"n": [1, 2, 3, 4, 5, 6]})
asked = []
seen = []


def source(filter_first):
    def read(columns, predicate, n_rows, batch_size):
        asked.append((n_rows, predicate is not None))
        found = frame
        if filter_first and predicate is not None:
            found = found.filter(predicate)
        if n_rows is not None:
            found = found.head(n_rows)
        if not filter_first and predicate is not None:
            found = found.filter(predicate)
        yield found if columns is None else found.select(columns)
    return register_io_source(read, schema=frame.schema)


def outcome(what, found, expected):
    print(f"{what:60} {found}")
    seen.append(found == expected)


above = pl.col("n") > 3
for engine in "in-memory", "streaming":
    for name, query, right, wrong in (
            ("head(3).filter(n > 3)", lambda of: of.head(3).filter(above), [], [4, 5, 6]),
            ("filter(n > 3).head(2)", lambda of: of.filter(above).head(2), [4, 5], [4, 5])):
        asked.clear()
        outcome(f"{engine}, {name}: a frame", query(frame.lazy()).collect(engine=engine)["n"].to_list(), right)
        outcome("  a source that filters, then limits", query(source(True)).collect(engine=engine)["n"].to_list(), wrong)
        outcome("  a source that limits, then filters", query(source(False)).collect(engine=engine)["n"].to_list(), right)
        outcome("  n_rows, and whether there is a predicate", set(asked), {(3, True)} if "head(3)" in name else {(None, True)})
if not all(seen):
    raise SystemExit("Polars does otherwise now")
PYTHON
