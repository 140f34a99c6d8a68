#!/usr/bin/env python3
"""Counts the records of a log in pyarrow, DuckDB, Polars and pandas, and compares with counts of `steno cat`'s JSON.

    check_engines.py libsteno_reader.so BATCH_SAMPLE STENO        exits 77 (skipped) without these engines

The records come in many batches, of several sessions.
"""
import io
import math
import subprocess
import sys
import tempfile
from collections import Counter

from steno_stream import Logs, require

require("pyarrow", "duckdb", "polars", "pandas")

import duckdb
import pandas
import polars
import pyarrow
from pyarrow import compute, feather, ipc

LEVELS = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"]
KEYS = ["level", "thread", "logger", "file", "function", "format"]
FILLED = "filled {qty} @ {price} for {client}"
TOOK = "took %d ms, id %lu%s"


def grouped(table, key):
    counts = table.group_by(key).aggregate([([], "count_all")]).to_pydict()
    return dict(zip(counts[key], counts["count_all"]))


def check_groups(logs, path, records):
    """Every column of text groups alike in each engine, without help."""
    table = logs.stream(path).read_all()
    assert len(table.to_batches()) > 10
    frame, series = polars.from_arrow(table), table.to_pandas()
    for key in KEYS:
        wanted = Counter(record[key] for record in records)
        assert grouped(table, key) == wanted, ("pyarrow", key)
        assert dict(duckdb.from_arrow(table).aggregate(f"{key}, count(*)", key).fetchall()) == wanted, ("duckdb", key)
        assert dict(frame.group_by(key).len().rows()) == wanted, ("polars", key)
        assert series.groupby(key, observed=True).size().to_dict() == wanted, ("pandas", key)
    names = pyarrow.table({"thread": ["worker-0", "worker-1"], "n": [0, 1]})
    expected = sum(record["thread"] in ("worker-0", "worker-1") for record in records)
    assert table.join(names, "thread", join_type="inner").num_rows == expected
    return table


def check_files(table):
    """Arrow's files take a single dictionary of each column."""
    out = io.BytesIO()
    with ipc.new_file(out, table.schema) as file:
        for batch in table.to_batches():
            file.write_batch(batch)
    again = ipc.open_file(out.getvalue()).read_all()
    assert again.equals(table)
    with tempfile.NamedTemporaryFile(suffix=".arrow") as file:
        feather.write_feather(table, file.name)
        assert polars.read_ipc(file.name).height == table.num_rows
        assert feather.read_table(file.name).equals(table)


def check_one_dictionary(logs, path):
    for columns in ((), ("thread", "program", "host", "format")):
        batches = list(logs.stream(path, columns=columns))
        for i, field in enumerate(batches[0].schema):
            if not pyarrow.types.is_dictionary(field.type):
                continue
            assert field.type.index_type == pyarrow.int32()
            first = batches[0].column(i).dictionary
            assert all(batch.column(i).dictionary.equals(first) for batch in batches), field.name


def check_levels(logs, path, records):
    """`severity` selects by level in every engine, and is there without being asked for."""
    table = logs.stream(path).read_all()
    assert table.schema.names[:3] == ["time", "severity", "level"]
    for number, name in enumerate(LEVELS):
        wanted = sum(LEVELS.index(record["level"]) >= number for record in records)
        assert table.filter(compute.field("severity") >= number).num_rows == wanted
        assert duckdb.from_arrow(table).filter(f"severity >= {number}").count("*").fetchall() == [(wanted,)]
        assert polars.from_arrow(table).filter(polars.col("severity") >= number).height == wanted
        assert int((table.to_pandas()["severity"] >= number).sum()) == wanted
        assert logs.stream(path, where=f"level >= {name}").read_all().num_rows == wanted
    # Engines compare `level` by the alphabet, except for pandas: should this change, the page may say so.
    text = sum(record["level"] >= "INFO" for record in records)
    assert duckdb.from_arrow(table).filter("level >= 'INFO'").count("*").fetchall() == [(text,)]
    assert polars.from_arrow(table).filter(polars.col("level") >= "INFO").height == text
    assert int((table.to_pandas()["level"] >= "INFO").sum()) == sum(LEVELS.index(r["level"]) >= 2 for r in records)


def check_arguments(logs, path, records):
    filled = [record["args"] for record in records if record["format"] == FILLED]
    for dictionaries in (False, True):
        table = logs.stream(path, FILLED, dictionaries=dictionaries).read_all()
        wanted = Counter(args["client"] for args in filled)
        assert grouped(table.unify_dictionaries(), "client") == wanted
        if not dictionaries:
            assert grouped(table, "client") == wanted
        assert dict(duckdb.from_arrow(table).aggregate("client, count(*)", "client").fetchall()) == wanted
        assert dict(polars.from_arrow(table).group_by("client").len().rows()) == wanted
        sums = math.fsum(args["price"] for args in filled)
        assert math.isclose(duckdb.from_arrow(table).sum("price").fetchall()[0][0], sums)
        assert math.isclose(polars.from_arrow(table)["price"].sum(), sums)
        assert math.isclose(compute.sum(table["price"]).as_py(), sums)


def check_large_numbers(logs, path, records):
    """Numbers from 2^63 on, as ids of spans of older logs are: with the type that the page says."""
    took = [record["args"]["1"] for record in records if record["format"] == TOOK]
    table = logs.stream(path, TOOK).read_all()
    assert table.schema.field("1").type == pyarrow.uint64()
    for number in (7, 2**64 - 1):
        wanted = took.count(number)
        assert wanted > 0
        assert table.filter(compute.field("1") == pyarrow.scalar(number, pyarrow.uint64())).num_rows == wanted
        assert duckdb.from_arrow(table).filter(f'"1" = {number}').count("*").fetchall() == [(wanted,)]
        assert polars.from_arrow(table).filter(polars.col("1") == number).height == wanted
        assert int((table.to_pandas()["1"] == number).sum()) == wanted


def main():
    library, sample, steno = sys.argv[1:]
    logs = Logs(library, steno)
    with tempfile.NamedTemporaryFile(suffix=".steno") as file:
        subprocess.run([sample, file.name], check=True)
        records = logs.cat(file.name)
        check_files(check_groups(logs, file.name, records))
        check_one_dictionary(logs, file.name)
        check_levels(logs, file.name, records)
        check_arguments(logs, file.name, records)
        check_large_numbers(logs, file.name, records)
    print(f"pyarrow {pyarrow.__version__}, duckdb {duckdb.__version__}, polars {polars.__version__}, "
          f"pandas {pandas.__version__}: {len(records)} records agree")


if __name__ == "__main__":
    main()
