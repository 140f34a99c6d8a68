"""Tables in pyarrow, Polars, pandas and DuckDB: by value."""
import math
from collections import Counter

import duckdb
import pandas
import polars
import pyarrow
import pytest
import steno
from pyarrow import parquet

FILLED = "filled {qty} @ {price} for {client}"


@pytest.fixture(scope="module")
def filled(sample):
    return [record["args"] for record in sample.records if record["format"] == FILLED]


def test_every_engine_takes_a_table_as_it_is(sample):
    messages = steno.open(sample.path).table()
    wanted = [record["message"] for record in sample.records]
    assert pyarrow.table(messages)["message"].to_pylist() == wanted
    assert polars.DataFrame(messages)["message"].to_list() == wanted
    assert pandas.DataFrame.from_arrow(messages)["message"].tolist() == wanted
    assert [row[0] for row in duckdb.sql("select message from messages").fetchall()] == wanted
    assert duckdb.from_arrow(messages).count("*").fetchall() == [(len(wanted),)]


def test_to_each_engine(sample, filled):
    table = steno.open(sample.path).table(FILLED)
    quantities = sorted(args["qty"] for args in filled)
    clients = Counter(args["client"] for args in filled)
    sums = math.fsum(args["price"] for args in filled)
    arrow, frame, series, relation = table.to_arrow(), table.to_polars(), table.to_pandas(), table.to_duckdb()
    assert isinstance(arrow, pyarrow.Table) and isinstance(frame, polars.DataFrame)
    assert isinstance(series, pandas.DataFrame)
    assert sorted(arrow["qty"].to_pylist()) == sorted(frame["qty"]) == sorted(series["qty"]) == quantities
    assert [row[0] for row in relation.project("qty").order("qty").fetchall()] == quantities
    assert dict(frame.group_by("client").len().rows()) == clients
    assert dict(relation.aggregate("client, count(*)", "client").fetchall()) == clients
    assert dict(relation.aggregate("client, count(*)", "client").fetchall()) == clients  # read anew
    for found in (arrow["price"].to_pandas().sum(), frame["price"].sum(), series["price"].sum(),
                  relation.sum("price").fetchall()[0][0]):
        assert math.isclose(found, sums)


def test_times_keep_nanoseconds(sample):
    table = steno.open(sample.path).table().select("time")
    fractions = [int(record["time"].rstrip("Z").split(".")[1].ljust(9, "0")) for record in sample.records]
    assert [ns % 10**9 for ns in table.to_arrow()["time"].cast(pyarrow.int64()).to_pylist()] == fractions
    assert [ns % 10**9 for ns in table.to_polars()["time"].dt.timestamp("ns")] == fractions
    assert [ns % 10**9 for ns in table.to_pandas()["time"].astype("int64")] == fractions


def test_a_connection_of_ones_own(sample):
    connection = duckdb.connect()
    relation = steno.open(sample.path).table().to_duckdb(connection)
    connection.register("log", relation)
    assert connection.sql("select count(*) from log").fetchall() == [(len(sample.records),)]


def test_parquet(sample, tmp_path):
    path = tmp_path / "log.parquet"
    table = steno.open(sample.path).table()
    assert table.to_parquet(path) == len(sample.records)
    again = parquet.read_table(path)
    assert again["message"].to_pylist() == [record["message"] for record in sample.records]
    assert again.schema.field("time").type == pyarrow.timestamp("ns", "UTC")
    names = [record["level"] for record in sample.records]
    assert polars.read_parquet(path)["level"].cast(polars.String).to_list() == names
    found = duckdb.sql(f"select level, count(*) from '{path}' group by level").fetchall()
    assert dict(found) == Counter(names)


def test_without_rows(sample):
    table = steno.open(sample.path).table(FILLED).where("qty > 100 and qty < 100")
    assert table.to_arrow().num_rows == table.to_polars().height == len(table.to_pandas()) == 0
    assert table.to_duckdb().fetchall() == [] and table.count() == 0 and list(table) == []


def test_an_engine_that_is_not_there_is_named(sample, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(steno.Error, match=r"pip install 'steno-log\[polars\]'"):
        steno.open(sample.path).table().to_polars()


def test_only_what_a_query_needs_is_read(sample):
    """Answers are those of all rows, whatever DuckDB hands down."""
    log = steno.open(sample.path)
    for what, conditions in ((None, ["severity >= 4", "severity < 3", "severity = 5 or severity = 2", "line > 20",
                                     "level = 'WARN'", "level in ('INFO', 'ERROR')", "logger = 'net'", "logger <> ''",
                                     "thread = 'worker-0'", "severity >= 4 and line < 30", "message like '%time%'"]),
                             (FILLED, ["qty > 100", "qty = 5 or qty is null", "qty in (1, 2, 3)", "client is null",
                                       "client is not null and qty < 50", "price > 10", "not (qty > 100)",
                                       "qty between 3 and 70", "client = 'acme'"])):
        table = log.table(what)
        relation, plain = table.to_duckdb(), duckdb.from_arrow(table.to_arrow())
        for condition in conditions:
            for columns in ("count(*)", "min(time), max(time)"):
                assert relation.filter(condition).aggregate(columns).fetchall() == \
                    plain.filter(condition).aggregate(columns).fetchall(), condition
