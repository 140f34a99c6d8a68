#!/bin/bash
# deltalake writes the batches of a stream in another order, also into one file.
#
# One would guess that write_deltalake(path, reader) writes the rows of a RecordBatchReader in its order, as pyarrow's and
# Polars' writers of Parquet do: it is given one stream and makes one file. In fact the batches come in another order,
# which differs from run to run. So a stream that is sorted by time makes a file that is not: the row groups' statistics of
# the time overlap, and filters by time skip nothing. A table of one batch keeps its order.
#
# deltalake 1.6.6, pyarrow 26.0.1, Python 3.11; seen 2026-11-29.
# Why it matters here: exports are sorted by time in bounded memory, batch by batch. Each batch is an append of its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from pathlib import Path

import pyarrow
from deltalake import write_deltalake
from pyarrow import parquet

BATCHES, ROWS = 40, 1000
batches = [pyarrow.record_batch({"n": pyarrow.array(range(i * ROWS, (i + 1) * ROWS))}) for i in range(BATCHES)]


def is_sorted(name, rows):
    path = Path(sys.argv[1], name)
    write_deltalake(str(path), rows)
    [file] = path.glob("*.parquet")
    found = parquet.read_table(file)["n"].to_pylist()
    assert sorted(found) == list(range(BATCHES * ROWS))
    return found == sorted(found)


reader = lambda: pyarrow.RecordBatchReader.from_batches(batches[0].schema, batches)
streams = [is_sorted(f"stream{i}", reader()) for i in range(10)]
whole = [is_sorted(f"table{i}", pyarrow.Table.from_batches(batches).combine_chunks()) for i in range(3)]
print(f"streams of {BATCHES} batches that keep their order: {sum(streams)} of {len(streams)}")
print(f"tables of one batch that keep it:        {sum(whole)} of {len(whole)}")
if all(streams) or not all(whole):
    raise SystemExit("deltalake does otherwise now")
PYTHON
