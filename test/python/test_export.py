"""Exports, read back by other engines."""
import csv
import json
import os
import random
import re
import subprocess
import sys
import threading
import tracemalloc
from collections import Counter
from datetime import datetime

import duckdb
import polars
import pyarrow
import pytest
import steno
from pyarrow import ipc, parquet
from steno import _export, export
from steno._conditions import Shown


def test_groups_have_all_rows_in_the_order_of_time(sample, many_blocks):
    for path, what, step in ((sample.path, None, 0), (sample.path, None, 3600 * 10**9), (many_blocks.path, "response", 10**8)):
        table = steno.open(path).table(what)
        table = table.select("time_ns", *table.columns, "session", "ring", "sequence")
        found = list(_export.groups(table, rows=5000 if what is None else 40000, step=step))
        assert len(found) > 3
        rows = polars.concat([polars.DataFrame(group) for _, group in found])
        assert rows.equals(table.to_polars().sort("time_ns", maintain_order=True))
        if what is not None:
            assert max(group.num_rows for _, group in found) < 80000
        if step:
            for begin, group in found:
                times = polars.DataFrame(group)["time_ns"]
                assert begin % step == 0 and begin <= times.min() and times.max() < begin + step


class Times:
    """A table of these times: those of real logs begin in 1970."""

    columns = ["time_ns"]
    _shown = Shown({"time_ns": "l"}, {}, lambda: False)
    _readers = {}

    def __init__(self, times):
        self._times = times

    def _select(self, _):
        return self

    def _with_form(self, **_):
        return self

    def where(self, condition):
        times = self._times
        for comparison, text in re.findall(r'time (>=|<) (-?[0-9]+|"[^"]+")', condition):
            bound = self._ns(text)
            assert -(2**63) <= bound < 2**63  # the times that there are
            times = [time for time in times if (time >= bound) == (comparison == ">=")]
        return Times(times)

    @staticmethod
    def _ns(text):
        """Numbers that a condition would take for those of larger units are written as texts."""
        if not text.startswith('"'):
            assert not 10**8 <= int(text) < 10**17
            return int(text)
        second, fraction = text.strip('"Z').split(".")
        return int(datetime.fromisoformat(second + "+00:00").timestamp()) * 10**9 + int(fraction)

    def __arrow_c_stream__(self, requested_schema=None):
        return pyarrow.table({"time_ns": pyarrow.array(self._times, pyarrow.int64())}).__arrow_c_stream__()


@pytest.mark.parametrize("step", [86400 * 10**9, 3600 * 10**9])
def test_steps_of_all_times(step):
    edges = [-(2**63), -(2**63) + 1, -step - 1, -step, -step + 1, -1, 0, 1, step - 1, step, 2**63 - 2, 2**63 - 1]
    random.seed(7)
    times = edges + [random.randrange(-(2**63), 2**63) for _ in range(200)] + [random.randrange(-3 * step, 3 * step)
                                                                               for _ in range(200)]
    for rows in (1 << 20, 1):
        found = [(begin, group["time_ns"].to_pylist()) for begin, group in _export.groups(Times(times), rows, step)]
        assert [time for _, group in found for time in group] == sorted(times)
        assert all(time // step == begin // step for begin, group in found for time in group)


def test_a_directory_by_statement_and_hour(sample, tmp_path):
    log = steno.open(sample.path)
    rows = log.to_parquet(tmp_path / "lake")
    assert rows == sum(log.table(statement).count() for statement in log.statements)
    files = sorted((tmp_path / "lake").rglob("*"))
    assert not any(file.name.endswith(".part") for file in files)
    for statement in log.statements:
        table = log.table(statement).profile("parquet")
        pattern = tmp_path / f"lake/statement={statement.name}"
        if table.count() == 0:
            assert not pattern.exists()
            continue
        count = table.count()
        assert duckdb.sql(f"select count(*) from '{pattern}/**/*.parquet'").fetchall() == [(count,)]
        frame = polars.read_parquet(f"{pattern}/**/*.parquet", hive_partitioning=True)
        assert frame.height == count
        assert (frame["time"].dt.strftime("%Y-%m-%dT%H") == frame["hour"].cast(polars.String)).all()
        again = parquet.read_table(pattern)
        for name, format in table.schema.items():
            if format in set("cCsSiIlL"):  # sums are equal
                wanted = sum(row[name] or 0 for row in table.select(name))
                assert sum(value or 0 for value in again[name].to_pylist()) == wanted
                assert duckdb.sql(f"select sum(\"{name}\")::hugeint from '{pattern}/**/*.parquet'").fetchall()[0][0] in \
                    (wanted, None)
        assert Counter(map(str, again["message"].to_pylist() if "message" in again.column_names else [])) == Counter(
            str(row["message"]) for row in table if "message" in row)
    for file in files:
        if file.is_file():
            times = parquet.read_table(file, partitioning=None)["time"].cast(pyarrow.int64()).to_pylist()
            assert times == sorted(times)
            assert parquet.ParquetFile(file).metadata.row_group(0).sorting_columns
    with pytest.raises(steno.InvalidError, match="no empty directory"):
        log.to_parquet(tmp_path / "lake")
    with pytest.raises(steno.InvalidError, match="partitioned by"):
        log.to_parquet(tmp_path / "other", by=["minute"])
    whole = log.to_parquet(tmp_path / "days", by=["day"])
    found = parquet.read_table(tmp_path / "days")
    assert whole == found.num_rows == len(sample.records)
    assert Counter(found["message"].to_pylist()) == Counter(record["message"] for record in sample.records)


def test_groups_are_bounded_in_bytes(many_blocks, monkeypatch, tmp_path):
    monkeypatch.setattr(_export, "_GROUP_BYTES", 1 << 20)
    table = steno.open(many_blocks.path).table("response")
    found = [group for _, group in _export.groups(table)]
    assert sum(group.num_rows for group in found) == 400_000
    assert len(found) > 10 and max(group.nbytes for group in found) < 2 << 20
    assert table.to_parquet(tmp_path / "table.parquet") == 400_000
    file = parquet.read_metadata(tmp_path / "table.parquet")
    assert max(file.row_group(i).num_rows for i in range(file.num_row_groups)) < 100_000  # whole blocks
    monkeypatch.setattr(_export, "_GROUP_BYTES", 1)  # rows that are larger than groups may be
    few = table.where("id < 20")
    groups = [group["time"].to_pylist() for _, group in _export.groups(few.select("time"))]
    assert sum(map(len, groups)) == 20 and all(len(set(times)) == 1 for times in groups)


def test_json_lines_take_little_memory(tmp_path):
    rows = pyarrow.table({"time": pyarrow.array(range(50_000), pyarrow.timestamp("ns", "UTC")),
                          "text": [f"a text, the {i}th" for i in range(50_000)]})
    with open(tmp_path / "out.json", "wb") as file:
        tracemalloc.start()
        _export._Json(file, rows.schema).write(rows)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 5 << 20
    lines = (tmp_path / "out.json").read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == rows["text"].to_pylist()


def test_row_groups(many_blocks, tmp_path, monkeypatch):
    monkeypatch.setattr(_export.groups, "__defaults__", (100_000, 0))
    log = steno.open(many_blocks.path)
    assert export.main(["--to", "parquet", "--out", str(tmp_path / "a.parquet"), "--table", "response", many_blocks.path]) == 0
    file = parquet.ParquetFile(tmp_path / "a.parquet")
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert sum(sizes) == 400_000 and 4 <= len(sizes) <= 5 and max(sizes) < 120_000
    ends = [(file.metadata.row_group(i).column(0).statistics.min, file.metadata.row_group(i).column(0).statistics.max)
            for i in range(file.num_row_groups)]
    assert ends == sorted(ends) and all(a[1] <= b[0] for a, b in zip(ends, ends[1:]))
    assert duckdb.sql(f"select sum(us) from '{tmp_path}/a.parquet'").fetchall() == \
        log.table("response").to_duckdb().sum("us").fetchall()


@pytest.mark.parametrize("what", [None, "integers", "others", "times"])
@pytest.mark.parametrize("form", _export.FORMS)
def test_forms(all_types, tmp_path, form, what):
    path = tmp_path / f"out.{form}"
    assert export.main(["--to", form, "--out", str(path), *(["--table", what] if what else []), all_types.path]) == 0
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    log = steno.open(all_types.path)
    table = log.table(what)
    wanted = sorted(table.select("time_ns", *table.columns).to_arrow().to_pylist(), key=lambda row: row["time_ns"])
    ns = [row.pop("time_ns") for row in wanted]
    if form in ("parquet", "arrow"):
        found = parquet.read_table(path) if form == "parquet" else ipc.open_file(path).read_all()
        assert found["time"].cast(pyarrow.int64()).to_pylist() == ns
        assert (polars.read_parquet if form == "parquet" else polars.read_ipc)(path).height == len(ns)
        again = found.to_pylist()
        text = lambda row: [str(value) for name, value in row.items() if name not in ("ns", "us", "ms", "s")]
        assert [text(row) for row in again] == [text(row) for row in wanted]
        if what == "times":
            assert found["ns"].cast(pyarrow.int64()).to_pylist() == [1500, 1501, 1502]
        return
    if form == "csv":
        lines = list(csv.DictReader(path.open(newline="")))
        number = lambda text: text
    else:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        number = lambda value: str(value) if value is not None else ""
    assert len(lines) == len(wanted) and list(lines[0]) == table.columns
    # Nine digits in each: nothing is rounded.
    digits = [line["time"].rstrip("Z").split(".")[1].ljust(9, "0") for line in lines]
    assert [int(one) for one in digits] == [one % 10**9 for one in ns]
    if what == "integers":
        for name in ("i8", "i64", "u64"):
            assert [number(line[name]) for line in lines] == [str(row[name]) for row in wanted]
    if what == "others":
        assert [number(line["text"]) for line in lines] == [row["text"] or "" for row in wanted]
        assert [number(line["f64"]).lower() for line in lines] == ["-0.5", "nan", "inf"]
    if what == "times":
        assert [int(line["ns"]) for line in lines] == [1500, 1501, 1502]


@pytest.mark.parametrize("columns", [(), ("id", "{time_ns}"), ("{time_ns}", "time_ns", "time"), ("time_ns",)])
def test_an_argument_time_ns_is_not_the_time(odd, tmp_path, columns):
    """Rows have the order of their records, and the argument keeps its name."""
    table = steno.open(odd.path).table("late")
    table = table.select(*columns) if columns else table
    wanted = table.to_arrow().to_pylist()
    [(begin, found)] = _export.groups(table)
    assert begin == min(row["time_ns"] for row in table.select("time_ns"))
    assert found.schema.names == table.columns and found.to_pylist() == wanted
    assert found.schema.metadata == table.to_arrow().schema.metadata
    assert _export.write(table, "parquet", str(tmp_path / "late.parquet")) == 3
    assert parquet.read_table(tmp_path / "late.parquet").schema.names == table.columns


@pytest.mark.parametrize("columns, is_sorted", [
    ((), [0]), (("line", "time"), [1]), (("{time}",), []), (("{time}", "time"), [1]), (("time_2",), []), (("level",), [])])
def test_an_argument_time_is_not_sorted_by(odd, tmp_path, columns, is_sorted):
    """The file says which of its columns its rows are in the order of, by which engines skip row groups."""
    table = steno.open(odd.path).table("names")
    table = table.select(*columns) if columns else table
    assert _export.write(table, "parquet", str(tmp_path / "names.parquet")) == 3
    found = parquet.ParquetFile(tmp_path / "names.parquet").metadata.row_group(0).sorting_columns
    assert [one.column_index for one in found] == is_sorted


def test_pipes_and_links_stay_what_they_are(all_types, tmp_path):
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file.csv"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert export.main(["--to", "csv", "--out", str(pipe), all_types.path]) == 0
    reader.join(timeout=60)
    link.symlink_to(file)
    assert export.main(["--to", "csv", "--out", str(link), all_types.path]) == 0
    assert pipe.is_fifo() and link.is_symlink() and file.read_bytes() == found[0]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file.csv", "link", "pipe"]


def test_to_standard_output_and_mistakes(sample, tmp_path, capfd):
    run = [sys.executable, "-m", "steno.export"]
    done = subprocess.run([*run, "--to", "csv", "--columns", "level,message", sample.path], stdout=subprocess.PIPE, check=True)
    rows = list(csv.DictReader(done.stdout.decode().splitlines(keepends=True)))
    assert Counter((row["level"], row["message"]) for row in rows) == Counter(
        (record["level"], record["message"]) for record in sample.records)
    assert export.main(["--to", "json", "--table", "nothing of this", sample.path]) == 2
    assert export.main(["--to", "json", str(tmp_path / "nothing.steno")]) == 3
    assert export.main(["--to", "csv", "--by", "hour", sample.path]) == 2
    assert export.main(["--to", "parquet", "--out", str(tmp_path / "none.parquet"), "--where", "line > 100000", sample.path]) == 0
    assert parquet.read_table(tmp_path / "none.parquet").num_rows == 0
    assert "nothing.steno" in capfd.readouterr().err
