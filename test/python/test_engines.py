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
    assert parquet.ParquetFile(path).num_row_groups == 1
    assert table.batches(5000).to_parquet(path) == len(sample.records)
    groups = parquet.ParquetFile(path)
    assert 1 < groups.num_row_groups <= len(sample.records) // 5000
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
                                     "thread = 'worker-0'", "severity >= 4 and line < 30", "time_ns > 1800000000000004000",
                                     "message like '%time%'"]),
                             (FILLED, ["qty > 100", "qty = 5 or qty is null", "qty in (1, 2, 3)", "client is null",
                                       "client is not null and qty < 50", "price > 10", "not (qty > 100)",
                                       "qty between 3 and 70", "client = 'acme'"])):
        table = log.table(what)
        table = table.select("time_ns", *table.columns)
        relation, plain = table.to_duckdb(), duckdb.from_arrow(table.to_arrow())
        for condition in conditions:
            for columns in ("count(*)", "min(time), max(time)"):
                assert relation.filter(condition).aggregate(columns).fetchall() == \
                    plain.filter(condition).aggregate(columns).fetchall(), condition


def test_batches_are_joined(sample):
    table = steno.open(sample.path).table()
    for rows in (1, 5000, 2**32 - 1):
        batches = list(pyarrow.RecordBatchReader.from_stream(table.batches(rows)))
        assert all(batch.num_rows >= rows for batch in batches[:-1])
        assert sum(batch.num_rows for batch in batches) == len(sample.records)
    assert len(batches) == 1
    with pytest.raises(steno.InvalidError):
        table.batches(0)


def blocks(log, read):
    """How many blocks it looks at, and how many of these it does not skip."""
    before = log._reader.blocks()
    read()
    return tuple(now - then for now, then in zip(log._reader.blocks(), before))


def test_blocks_without_such_records_are_not_read(sample):
    log = steno.open(sample.path)
    table, filled = log.table(), log.table(FILLED)
    looked, read = blocks(log, table.to_arrow)
    assert looked == read > 10
    for none in (lambda: table.where("line > 1000000").to_arrow(), lambda: table.where("line > 1000000").count(),
                 lambda: list(table.where("line > 1000000")),
                 lambda: table.to_duckdb().filter("line > 1000000").fetchall(),
                 lambda: table.select("time_ns").to_duckdb().filter("time_ns < 0").fetchall()):
        assert blocks(log, none)[1] == 0
    pushed = blocks(log, lambda: filled.to_duckdb().filter("qty > 2000000000").fetchall())
    assert pushed == blocks(log, filled.where("qty > 2000000000").to_arrow)
    assert pushed[1] < blocks(log, filled.to_arrow)[1]


def test_levels_are_handed_down_where_all_statements_are_known(quickstart):
    log = steno.open(quickstart.path)
    assert not log.losses
    assert blocks(log, lambda: log.table().to_duckdb().filter("severity >= 5").fetchall())[1] == 0
    assert log.table().to_duckdb().filter("severity >= 3").count("*").fetchall() == [(1,)]
