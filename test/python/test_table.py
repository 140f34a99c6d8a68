"""Tables, without any engine."""
import ctypes
import subprocess
import sys
from datetime import datetime, timedelta, timezone

import steno

FILLED = "filled {qty} @ {price} for {client}"


def test_rows_are_the_records(sample):
    names = ["level", "thread", "logger", "file", "line", "function", "format", "message"]
    wanted = [{name: record[name] for name in names} for record in sample.records]
    table = steno.open(sample.path).table()
    assert table.columns[:3] == ["time", "severity", "level"]
    rows = list(table)
    assert [{name: row[name] for name in names} for row in rows] == wanted
    assert [steno.LEVELS[row["severity"]] for row in rows] == [record["level"] for record in sample.records]
    for row, record in zip(rows, sample.records):
        assert row["time"] == datetime.fromisoformat(record["time"][:26] + "+00:00")


def test_arguments_are_columns(sample):
    table = steno.open(sample.path).table(FILLED)
    key = lambda row: [(value is not None, value) for value in row]
    wanted = [[record["args"][name] for name in ("qty", "price", "client")]
              for record in sample.records if record["format"] == FILLED]
    rows = [list(row.values()) for row in table.select("qty", "price", "client")]
    assert sorted(rows, key=key) == sorted(wanted, key=key) and wanted
    some = table.where("qty > 100").where('client != "alice"')
    assert some.count() == sum(qty > 100 and client not in (None, "alice") for qty, _, client in wanted)
    assert table.where("qty > 100 or qty < 5").where("qty > 100").count() == sum(qty > 100 for qty, _, _ in wanted)


def test_types(rich_types):
    log = steno.open(rich_types.path)
    [row] = log.table("{side} took").head()
    assert row["side"] == "kSell" and row["time_2" if "time_2" in row else "{time}"] == timedelta(microseconds=1250)
    [row] = log.table("expires {at}").select("at")
    assert row["at"] == datetime(1971, 1, 1, tzinfo=timezone.utc)


def test_head_reads_what_it_shows(sample):
    table = steno.open(sample.path).table()
    rows = list(table)
    for count in (0, 1, 7, 5000, len(rows) + 1):
        assert table.head(count) == rows[:count]


def test_capsules(sample):
    table = steno.open(sample.path).table()
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    first, second = table.__arrow_c_stream__(), table.__arrow_c_stream__(None)
    assert first is not second
    assert name(first) == name(second) == b"arrow_array_stream"
    assert name(table.__arrow_c_schema__()) == b"arrow_schema"


def test_shows_itself(sample, tmp_path):
    table = steno.open(sample.path).table()
    lines = repr(table).splitlines()
    assert lines[0] == "<steno.Table log>" and lines[1].split()[:3] == ["time", "severity", "level"]
    assert len(lines) == 14 and lines[-1] == "…"
    html = table.select("message")._repr_html_()
    assert html.count("<tr>") == 13 and "<th>message</th>" in html
    assert len(repr(table.where("line < 0")).splitlines()) == 3


SIGNALS = """
import signal, sys
import pyarrow, polars, steno

table = steno.open(sys.argv[1]).table()
calls = []

def again(*_):
    calls.append(1)
    signal.setitimer(signal.ITIMER_REAL, 0.0001)

def stop(*_):
    raise KeyboardInterrupt("stopped")

for read in table.to_arrow, table.to_polars:
    calls.clear()
    signal.signal(signal.SIGALRM, again)
    again()
    read()
    handled = len(calls)  # while it was read: if not, one at most is, after it
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert handled >= 4, (read, handled)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    try:
        read()
    except KeyboardInterrupt as error:
        assert str(error) == "stopped"
        print("interrupted")
"""


def test_signals_are_handled_while_it_reads(sample):
    run = subprocess.run([sys.executable, "-c", SIGNALS, sample.path], stdout=subprocess.PIPE, check=True)
    assert run.stdout == b"interrupted\n" * 2
