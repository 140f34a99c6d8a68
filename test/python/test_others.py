"""pyarrow's datasets, DataFusion and chdb (ClickHouse): by value. What is not installed is skipped (lakes_requirements.txt)."""
import sys

import duckdb
import polars
import pyarrow
import pyarrow.compute as compute
import pytest
import steno
from pyarrow import dataset
from steno import _duckdb

RESPONSES = "response {id} to {tenant}: {status}, {bytes} bytes in {us} us"
GROUPS = "select tenant, count(*) as n, sum(us) as total, max(bytes) as most from response where status = 200 group by tenant order by tenant"


@pytest.fixture(scope="module")
def wanted(many_blocks):
    """The answer to GROUPS, by Python."""
    found = {}
    for row in steno.open(many_blocks.path).table(RESPONSES).select("tenant", "status", "us", "bytes"):
        if row["status"] == 200:
            n, total, most = found.get(row["tenant"], (0, 0, 0))
            found[row["tenant"]] = n + 1, total + row["us"], max(most, row["bytes"])
    assert len(found) == 4
    return sorted((tenant, *values) for tenant, values in found.items())


def test_datasets_of_pyarrow(many_blocks, wanted, tmp_path):
    log = steno.open(many_blocks.path)
    table = log.table(RESPONSES)
    stream = dataset.Scanner.from_batches(pyarrow.RecordBatchReader.from_stream(table.where("status == 200")),
                                          columns=["tenant", "us", "bytes"])
    log.to_parquet(tmp_path / "lake")
    lake = dataset.dataset(tmp_path / "lake/statement=response", partitioning="hive")
    files = lake.scanner(columns=["tenant", "us", "bytes"], filter=compute.field("status") == 200)
    for scanner in (stream, files):
        groups = scanner.to_table().group_by("tenant").aggregate([([], "count_all"), ("us", "sum"), ("bytes", "max")])
        assert sorted(zip(*(groups[name].to_pylist() for name in ("tenant", "count_all", "us_sum", "bytes_max")))) == wanted
    first = log.table(RESPONSES).select("time_ns").head(1)[0]["time_ns"]
    assert lake.count_rows(filter=compute.field("time") < pyarrow.scalar(first, pyarrow.timestamp("ns", "UTC"))) == 0
    assert polars.scan_pyarrow_dataset(lake).filter(polars.col("status") == 200).select(polars.len()).collect().item() == \
        sum(n for _, n, _, _ in wanted)


def test_datafusion(many_blocks, wanted, tmp_path):
    datafusion = pytest.importorskip("datafusion", reason="no datafusion here")
    log = steno.open(many_blocks.path)
    table = log.table(RESPONSES)
    context = datafusion.SessionContext()
    context.from_arrow(table, "response")
    found = context.sql(GROUPS).to_pydict()
    assert list(zip(*found.values())) == wanted
    before = log._reader.blocks()
    assert context.sql("select count(*) as n from response").to_pydict() == {"n": [400_000]}
    assert log._reader.blocks() == before  # registered tables were read once, and are not read again
    # Only the columns that the reader is asked for are read; strings are text, and times have nanoseconds.
    context.from_arrow(table.where("us < 100").select("time", "time_ns", "tenant"), "quick")
    assert context.sql("select count(*) as n from quick where cast(time as bigint) = time_ns").to_pydict()["n"] == \
        [table.where("us < 100").count()]
    # Levels are text for it too, without their order.
    context.from_arrow(log.table(), "log")
    severe = context.sql("select count(*) as n from log where severity >= 4").to_pydict()["n"]
    assert severe == [log.table().where("level >= WARN").count()] == [400]
    # Its own pushing down, for files that were exported.
    log.to_parquet(tmp_path / "lake")
    context.register_parquet("files", str(tmp_path / "lake/statement=response"))
    found = context.sql(GROUPS.replace("from response", "from files")).to_pydict()
    assert list(zip(*found.values())) == wanted


def test_clickhouse_reads_exports(many_blocks, all_types, wanted, tmp_path):
    chdb = pytest.importorskip("chdb", reason="no chdb here, which has 530 MB")
    log = steno.open(many_blocks.path)
    log.to_parquet(tmp_path / "lake")
    files = f"file('{tmp_path}/lake/statement=response/*/*.parquet')"
    lines = str(chdb.query(GROUPS.replace("from response", f"from {files}"), "TSV")).splitlines()
    assert [(tenant, *map(int, numbers)) for tenant, *numbers in (line.split("\t") for line in lines)] == wanted
    times = str(chdb.query(f"select toUnixTimestamp64Nano(time) from {files} order by time limit 100", "TSV")).split()
    assert list(map(int, times)) == sorted(log.table(RESPONSES).select("time_ns").to_arrow()["time_ns"].to_pylist())[:100]
    types = steno.open(all_types.path)
    types.to_parquet(tmp_path / "types")
    table = types.table("integers")
    names = [name for name in table.columns if name not in ("time", "thread", "logger")]
    lines = str(chdb.query(f"select {', '.join(names)} from file('{tmp_path}/types/statement=integers/*/*.parquet') order by time",
                           "TSV")).splitlines()
    assert [line.split("\t") for line in lines] == [[str(row[name]).lower() for name in names] for row in table]


def test_duckdb_without_its_protocol(many_blocks, wanted, monkeypatch):
    """By the versions that have it, conditions are handed down; by others all is read, and the answer is the same."""
    log = steno.open(many_blocks.path)
    table = log.table(RESPONSES)
    middle = sorted(table.select("time_ns").to_arrow()["time_ns"].to_pylist())[200_000]
    asked = table.select("time_ns", "us").where("us >= 0")

    def answer():
        relation = asked.to_duckdb()
        before = log._reader.blocks()
        found = relation.filter(f"time_ns >= {middle}").aggregate("count(*), sum(us)").fetchall()
        after = log._reader.blocks()
        return found, after[1] - before[1]

    assert type(_duckdb.source(table)).__name__ == ("TableSource" if duckdb.__version__ >= "2.0" else "Table")
    pushed, few = answer()
    monkeypatch.setitem(sys.modules, "duckdb._sources", None)
    assert type(_duckdb.source(table)).__name__ == "Table"
    whole, all_blocks = answer()
    assert pushed == whole == [(200_000, pushed[0][1])]
    assert few < all_blocks if duckdb.__version__ >= "2.0" else few == all_blocks
