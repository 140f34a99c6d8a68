"""Tables in pyarrow, Polars, pandas and DuckDB: by value."""
import math
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pytest
import steno
from pyarrow import parquet
from steno import _conditions, _polars

FILLED = "filled {qty} @ {price} for {client}"

VECTORS = Path(__file__).parents[2] / "spec/vectors"


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
                                       "qty between 3 and 70", "client = 'acme'", "client = 'a\u0000b'",
                                       "client in ('alice', 'bo\"b', '\ufffd')"])):
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


POLARS = {
    None: [polars.col("severity") >= 4, polars.col("severity") < 3, polars.col("line") > 20, 20 < polars.col("line"),
           polars.col("level") == "WARN", polars.col("level").is_in(["INFO", "ERROR"]), polars.col("logger") == "net",
           polars.col("logger") != "", polars.col("thread") == "worker-0",
           (polars.col("severity") >= 4) & (polars.col("line") < 30),
           (polars.col("severity") == 5) | (polars.col("severity") == 2), polars.col("time_ns") > 1800000000000004000,
           polars.col("time") > polars.lit(1800000000000004000).cast(polars.Datetime("ns", "UTC")),
           polars.col("time") < datetime(2027, 1, 15, 8, 0, 0, 4, timezone.utc),
           polars.col("message").str.contains("time") & (polars.col("severity") > 1), polars.col("line").is_in([])],
    FILLED: [polars.col("qty") > 100, (polars.col("qty") == 5) | polars.col("qty").is_null(),
             polars.col("qty").is_in([1, 2, 3, None]), polars.col("qty").is_in([1, 2, None], nulls_equal=True),
             polars.col("client").is_null(), polars.col("client").is_not_null() & (polars.col("qty") < 50),
             polars.col("price") > 10, ~(polars.col("qty") > 100), polars.col("qty").is_between(3, 70),
             polars.col("qty").is_between(3, 70, closed="left"), polars.col("qty").is_between(3, 70, closed="none"),
             polars.col("client") == "acme", polars.col("qty") + 1 > 100, polars.col("qty") > 1.5],
}


def test_each_text_of_a_column_finds_its_rows(sample, all_types):
    """Whatever is handed down: bytes that are no UTF-8, quotes, names of enumerations, characters, lists."""
    for log, what in ((steno.open(sample.path), None), (steno.open(all_types.path), None)):
        for statement in log.statements:
            table = log.table(statement)
            texts = [name for name, format in table.schema.items() if format == "u" and name not in _conditions.COMMON]
            for name in texts:
                column = table.to_polars()[name].cast(polars.String)
                relation, lazy = table.to_duckdb(), table.scan_polars()
                for value in column.drop_nulls().unique()[:12].to_list() + ["", "longer than all", "a\0b"]:
                    wanted = (column == value).sum()
                    assert lazy.filter(polars.col(name) == value).select(polars.len()).collect().item() == wanted, value
                    found = relation.filter(duckdb.ColumnExpression(name) == duckdb.ConstantExpression(value))
                    assert found.count("*").fetchall() == [(wanted,)], (statement.format, name, value)


def test_arguments_that_have_the_names_of_columns(odd):
    """Engines get the columns that the table shows, and their conditions are on these."""
    table = steno.open(odd.path).table("names")
    whole, lazy = table.to_polars(), table.scan_polars()
    assert whole["level"].to_list() == [40, 41, 42] and whole["time_2"].to_list() == [1.5, 2.5, 3.5]
    for name in table.columns:
        assert lazy.select(name).collect()[name].equals(whole[name]), name
        values = [value for (value,) in table.to_duckdb().select(duckdb.ColumnExpression(name)).fetchall()]
        assert len(values) == 3 and (name == "time" or values == whole[name].to_list()), name
    assert lazy.filter(polars.col("level") == 41).select("host", "line").collect().rows() == [("a host", 1)]
    assert lazy.filter((polars.col("line") > 0) & (polars.col("time_2_2") == "a second time")).collect().height == 2
    assert table.to_duckdb().filter("level = 41 and thread_2 = 7").select("level, time_2").fetchall() == [(41, 2.5)]
    assert steno.open(odd.path).to_duckdb().sql("select sum(level) from names").fetchall() == [(123,)]


def test_numbers_of_nanoseconds_are_exact(odd):
    """Also those that a condition takes for seconds, milliseconds or microseconds: times before 1973."""
    table = steno.open(odd.path).table("bytes in").select("time", "time_ns", "id")
    for ns in (10**8, 1_900_000_000, 1_900_000_000_000, 1_900_000_000_000_000, 10**17 - 1, -5):
        assert table.scan_polars().filter(polars.col("time_ns") > ns).select(polars.len()).collect().item() == 4000
        assert table.to_duckdb().filter(f"time_ns > {ns}").count("*").fetchall() == [(4000,)]
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=ns // 1000)
        assert table.scan_polars().filter(polars.col("time") > at).select(polars.len()).collect().item() == 4000


@pytest.mark.parametrize("what", POLARS)
def test_lazy_frames_have_the_rows_of_all_rows(sample, what):
    """Whatever Polars hands down."""
    table = steno.open(sample.path).table(what)
    table = table.select("time_ns", *table.columns)
    lazy, whole = table.scan_polars(), table.to_polars()
    assert lazy.collect_schema() == whole.schema
    assert lazy.collect().equals(whole)
    for predicate in POLARS[what]:
        wanted = whole.filter(predicate)
        assert lazy.filter(predicate).collect().equals(wanted), predicate
        assert lazy.filter(predicate).select(polars.len()).collect().item() == wanted.height, predicate
        assert lazy.filter(predicate).select("time").collect().equals(wanted.select("time")), predicate
        assert lazy.filter(predicate).head(7).collect().equals(wanted.head(7)), predicate
        assert lazy.head(1000).filter(predicate).collect().equals(whole.head(1000).filter(predicate)), predicate
    assert lazy.filter(predicate).collect(engine="streaming").height == wanted.height
    assert lazy.select(polars.len()).collect().item() == whole.height


def test_lazy_frames_are_read_batch_by_batch(sample):
    log = steno.open(sample.path)
    table = log.table().batches(1000)
    looked, _ = blocks(log, lambda: table.scan_polars().collect())
    assert 0 < blocks(log, lambda: table.scan_polars().head(10).collect())[0] < looked / 2


def test_lazy_frames_read_no_blocks_without_such_rows(sample):
    log = steno.open(sample.path)
    table, filled = log.table(), log.table(FILLED)
    everything = blocks(log, lambda: table.scan_polars().collect())[1]
    assert everything > 10
    for predicate in (polars.col("line") > 1000000, (polars.col("line") > 1000000) & polars.col("message").str.contains("a"),
                      polars.col("line").is_in([1000000, 1000001]), polars.col("line").is_between(1000000, 2000000),
                      polars.col("time") < datetime(2000, 1, 1, tzinfo=timezone.utc)):
        assert blocks(log, lambda: table.scan_polars().filter(predicate).collect())[1] == 0, predicate
    large = polars.col("qty") > 2000000000
    pushed = blocks(log, lambda: filled.scan_polars().filter(large).collect())
    assert pushed[1] == blocks(log, filled.where("qty > 2000000000").to_arrow)[1] < blocks(log, filled.to_arrow)[1]
    assert blocks(log, lambda: filled.scan_polars().filter(polars.col("qty").is_null()).collect())[1] == \
        blocks(log, filled.where("qty is null").to_arrow)[1]


def test_a_predicate_of_another_form_reads_everything(sample, monkeypatch):
    """Polars may write expressions in another way."""
    table = steno.open(sample.path).table()
    monkeypatch.setattr(_polars._Translation, "of", lambda self, tree: tree["nothing"])
    assert table.scan_polars().filter(polars.col("line") > 20).collect().equals(
        table.to_polars().filter(polars.col("line") > 20))


def test_levels_have_their_order_in_views_of_duckdb(sample):
    log = steno.open(sample.path)
    connection = log.to_duckdb()
    wanted = sum(record["level"] in steno.LEVELS[4:] for record in sample.records)
    assert connection.sql("select count(*) from log where level >= 'WARN'::level").fetchall() == [(wanted,)]
    found = [name for name, in connection.sql("select distinct level from log order by level").fetchall()]
    assert found == sorted({record["level"] for record in sample.records}, key=steno.LEVELS.index)
    for statement in log.statements:
        assert connection.sql(f'select count(*) from "{statement.name}"').fetchall() == [(log.table(statement).count(),)]
    assert blocks(log, lambda: connection.sql("select message from log where time_ns < 0").fetchall())[1] == 0
    mine = duckdb.connect()
    assert log.to_duckdb(mine) is mine and log.to_duckdb(mine) is mine  # again in its place
    assert mine.sql("select count(*) from log").fetchall() == [(len(sample.records),)]
    assert mine.sql("select count(*) from information_schema.tables where table_type = 'BASE TABLE'").fetchall() == [(0,)]


def test_a_statement_in_contexts_is_one_table():
    """As pyarrow has the rows, so DuckDB finds them, whichever columns and conditions it hands down."""
    log = steno.open(VECTORS / "context.steno")
    for statement in log.statements:
        table = log.table(statement)
        rows = table.to_arrow()
        nulls = rows["user"].null_count
        assert rows.num_rows == table.count() and (statement.name == "slow" or 0 < nulls < rows.num_rows)
        assert log.table(f"{statement.sites[0].stable_id:016x}").to_arrow() == rows
        assert duckdb.sql("select count(*) from rows").fetchall() == log.to_duckdb().sql(f"select count(*) from {statement.name}").fetchall()
        read = table.to_duckdb()
        some = next(user for user in rows["user"].to_pylist() if user is not None)
        for condition in ("user is null", "user is not null", f"user = '{some}'", f"user != '{some}'", f"not (user = '{some}')"):
            for columns in ("user", "time, user", "*"):
                query = f"select {columns} from {{}} where {condition} order by all"
                found = duckdb.sql(query.format("read")).fetchall()
                assert found == duckdb.sql(query.format("rows")).fetchall()
                assert found or (statement.name == "slow" and condition == "user is null")
        frame = table.scan_polars()
        assert frame.filter(polars.col("user").is_null()).collect().height == nulls
