"""Logs in Spark, by the data source of the package: the rows are those of the reader, whatever Spark asks for."""
import doctest
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pyarrow
import pyarrow.compute as compute
import pytest
import steno

pytest.importorskip("pyspark", reason="no pyspark here (scripts/bootstrap --spark installs it)")
if shutil.which("java") is None:
    pytest.skip("no java here", allow_module_level=True)

import steno.spark as connector  # noqa: E402
from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import SparkSession, datasource, functions  # noqa: E402
from steno._conditions import Shown, Untranslatable, comparison, null_test  # noqa: E402

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    folder = tmp_path_factory.mktemp("spark")
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1",
                "spark.local.dir": str(folder), "spark.sql.warehouse.dir": str(folder / "warehouse"), PUSHDOWN: "true",
                "spark.sql.session.timeZone": "UTC", "spark.driver.memory": "1g"}
    builder = SparkSession.builder.master("local[2]").appName("steno")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    connector.register(session)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sample, many_blocks):
    """Two logs, one of them twice."""
    folder = tmp_path_factory.mktemp("day")
    shutil.copy(many_blocks.path, folder / "many.steno")
    shutil.copy(many_blocks.path, folder / "same.steno")
    shutil.copy(sample.path, folder / "sample.steno")
    return folder


def load(spark, path, **options):
    return spark.read.format("steno").options(**options).load(str(path))


def arrow(table):
    return pyarrow.RecordBatchReader.from_stream(table.profile("spark")).read_all()


def test_counts_and_groups_of_many_files(spark, folder, many_blocks):
    """Files are read in several shares, and each record once, however many files have it."""
    found = load(spark, folder, statement="response", partitionBytes="500000")
    wanted = arrow(steno.open(many_blocks.path).table("response"))
    assert 4 <= found.rdd.getNumPartitions() <= 12
    groups = found.groupBy("tenant", "status").agg(functions.count("*"), functions.sum("us"), functions.max("bytes")).collect()
    by = wanted.group_by(["tenant", "status"]).aggregate([("us", "count"), ("us", "sum"), ("bytes", "max")]).to_pylist()
    assert {tuple(row) for row in groups} == {
        (one["tenant"], one["status"], one["us_count"], one["us_sum"], one["bytes_max"]) for one in by}
    assert len(groups) == len(by)


def test_the_whole_log_by_sql(spark, sample):
    spark.sql(f"create or replace temporary view log using steno options (path '{sample.path}')")
    found = spark.sql("select level, count(*), min(time), max(message) from log group by level").collect()
    assert {row[0]: row[1] for row in found} == Counter(record["level"] for record in sample.records)
    assert {row[0]: row[3] for row in found} == {
        level: max((one["message"] for one in sample.records if one["level"] == level), key=str.encode)
        for level in {record["level"] for record in sample.records}}


def test_conditions_reach_the_reader(spark, many_blocks):
    """The plan filters nothing that the data source took, and the answer is that of the reader."""
    table = steno.open(many_blocks.path).table("response")
    found = load(spark, many_blocks.path, statement="response")
    for condition, where in (("us > 60000 and tenant = 'acme'", "us > 60000 and tenant == 'acme'"),
                             ("status in (503, 504) and id < 1000", "status == 503 and id < 1000")):
        query = found.filter(condition)
        assert query.count() == table.where(where).count() > 0
        assert "Filter (" not in query._jdf.queryExecution().executedPlan().toString(), condition
    odd = found.filter("us % 2 = 1 and us > 65000")  # one is Spark's to answer
    assert odd.count() == sum(us % 2 for us in arrow(table.where("us > 65000"))["us"].to_pylist())


def test_without_the_setting(spark, many_blocks):
    """Spark refuses sources that take conditions while they are off, so another is registered then."""
    spark.conf.set(PUSHDOWN, "false")
    try:
        connector.register(spark)
        found = load(spark, many_blocks.path, statement="response").filter("status = 503")
        assert found.count() == steno.open(many_blocks.path).table("response").where("status == 503").count()
    finally:
        spark.conf.set(PUSHDOWN, "true")
        connector.register(spark)


def test_each_type_by_value(spark, all_types):
    log = steno.open(all_types.path)
    for statement in log.statements:
        wanted = arrow(log.table(statement))
        found = load(spark, all_types.path, statement=statement.format).toArrow()
        assert found.schema.names == wanted.schema.names
        for name in found.schema.names:
            assert repr(found[name].to_pylist()) == repr(wanted[name].to_pylist()), name  # NaN is equal to itself so


def test_columns_and_schemas(spark, many_blocks):
    wanted = sum(arrow(steno.open(many_blocks.path).table("response").select("us"))["us"].to_pylist())
    for found in (load(spark, many_blocks.path, statement="response", columns="tenant, us"),
                  spark.read.format("steno").option("statement", "response").schema("us bigint").load([many_blocks.path])):
        assert found.agg(functions.sum("us")).collect()[0][0] == wanted
    assert load(spark, many_blocks.path, columns="time_ns,severity", where="level >= WARN").toArrow().num_rows == 400
    for schema, text in (("us int", "'us' is int64, not int32"), ("uss bigint", "did you mean 'us'")):
        with pytest.raises(PySparkException, match=text):
            spark.read.format("steno").option("statement", "response").schema(schema).load(many_blocks.path).collect()


def test_mistakes_are_told(spark, many_blocks, tmp_path):
    for options, path, text in (
            ({"statement": "nothing"}, many_blocks.path, "no statement has the text 'nothing'"),
            ({"statment": "response"}, many_blocks.path, "no option 'statment'"),
            ({"since": "10m ago"}, many_blocks.path, "since is a time of UTC"),
            ({"where": "us >"}, many_blocks.path, "InvalidError"),
            ({}, tmp_path / "none.steno", "none.steno: no such file"),
            ({}, tmp_path / "*.steno", "no such log"),
            ({}, __file__, "CorruptError")):
        with pytest.raises(PySparkException, match=text):
            load(spark, path, **options)


def test_damage(spark, many_blocks, tmp_path):
    """What can be read is read, or the query fails, as it is asked for."""
    data = bytearray(Path(many_blocks.path).read_bytes())
    middle = len(data) // 2
    data[middle:middle + 64] = bytes(64)
    path = tmp_path / "damaged.steno"
    path.write_bytes(data)
    log = steno.open(path)
    left = log.table("response").count()
    assert 0 < left < 400_000 and not log.verify()
    assert load(spark, path, statement="response").count() == left
    with pytest.raises(PySparkException, match="losses=allow reads what is there"):
        load(spark, path, statement="response", losses="fail").count()
    assert load(spark, many_blocks.path, statement="no backend", losses="fail").count() == 400


def test_page(spark, tmp_path, monkeypatch):
    """docs/spark.md, as a reader would type it."""
    subprocess.run([os.environ["STENO_PROGRAMS"] + "/requests"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).resolve().parents[2] / "docs/spark.md").read_text()
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(examples, {}, "spark.md", "spark.md", 0)
    assert len(test.examples) == 8
    for example in test.examples:  # paths are those of the JVM, which is elsewhere
        example.source = example.source.replace('load("', f'load("{tmp_path}/').replace("path '", f"path '{tmp_path}/")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.failures == 0


def test_each_condition_has_the_rows_of_spark(all_types, tmp_path):
    """Those that the data source takes, against pyarrow on the columns that Spark sees. No session is needed."""
    random.seed(5)
    responses = str(tmp_path / "responses.steno")
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "1000", responses], check=True)
    taken = Counter()
    for path, statements in ((all_types.path, ("integers", "others", "times")), (responses, ("response", "no backend"))):
        for statement in statements:
            source = connector.PushingSource({"path": path, "statement": statement})
            reader = source.reader(source.schema())
            rows = arrow(steno.open(path).table(statement))
            for name in rows.schema.names:
                values = [value for value in rows[name][:3].to_pylist() if value is not None]
                for of in conditions(name, values):
                    reader._conditions = []
                    if list(reader.pushFilters([of])):
                        continue
                    taken[type(of).__name__] += 1
                    [condition] = reader._conditions
                    assert reader._table.where(condition).count() == sum(holds(of, rows)), (of, condition)
    assert set(taken) == {"EqualTo", "GreaterThan", "GreaterThanOrEqual", "LessThan", "LessThanOrEqual", "In", "IsNull",
                          "IsNotNull", "Not"} and taken.total() > 150, taken


def conditions(name, values):
    """Filters of a column, with values that it has and values beside them."""
    path = (name,)
    yield from (datasource.IsNull(path), datasource.IsNotNull(path), datasource.Not(datasource.IsNull(path)))
    for value in values:
        beside = [value]
        if isinstance(value, bool):
            beside.append(not value)
        elif isinstance(value, int):
            beside += [value - 1, value + 1, random.randrange(-2**62, 2**62)]
        elif isinstance(value, datetime):
            value = value.astimezone(timezone.utc)
            beside = [value, value - timedelta(microseconds=1), value + timedelta(microseconds=1)]
        for one in beside:
            for kind in connector._COMPARISONS:
                yield kind(path, one)
            yield datasource.Not(datasource.EqualTo(path, one))
            yield datasource.EqualNullSafe(path, one)
        yield datasource.In(path, (*beside, None))
        yield datasource.Not(datasource.In(path, tuple(beside)))


def holds(of, rows):
    """Whether a filter holds, for each row, by SQL's rules."""
    if isinstance(of, datasource.Not):
        # A null satisfies neither a comparison nor its negation; a test for null always has an answer.
        inner = holds(of.child, rows)
        known = [True] * rows.num_rows if isinstance(of.child, (datasource.IsNull, datasource.IsNotNull)) else \
            compute.is_valid(rows[of.child.attribute[0]]).to_pylist()
        return [valid and not one for valid, one in zip(known, inner)]
    column = rows[of.attribute[0]]
    if isinstance(of, datasource.IsNull):
        return compute.is_null(column).to_pylist()
    if isinstance(of, datasource.IsNotNull):
        return compute.is_valid(column).to_pylist()
    number = compute.cast(column, pyarrow.int64()) if pyarrow.types.is_timestamp(column.type) else column
    compare = {"EqualTo": lambda a, b: a == b, "GreaterThan": lambda a, b: a > b, "GreaterThanOrEqual": lambda a, b: a >= b,
               "LessThan": lambda a, b: a < b, "LessThanOrEqual": lambda a, b: a <= b,
               "In": lambda a, b: a in b}[type(of).__name__]

    def plain(value):
        return (value - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1) if isinstance(value, datetime) else value
    wanted = tuple(map(plain, of.value)) if isinstance(of, datasource.In) else plain(of.value)
    return [value is not None and compare(value, wanted) for value in number.to_pylist()]


def rows(path, conditions=(), **options):
    """The rows of a query, as Spark asks for them. No session is needed."""
    source = connector.PushingSource({"path": str(path), **options})
    reader = source.reader(source.schema())
    assert not list(reader.pushFilters(list(conditions)))
    return read(reader)


def read(reader, parts=None):
    return [row for part in parts or reader.partitions() for batch in reader.read(pickle.loads(pickle.dumps(part))) for row in batch.to_pylist()]


def test_names_of_columns(odd):
    """Arguments have their names; columns of records that come after them get a number."""
    equal = datasource.EqualTo
    [row] = rows(odd.path, [equal(("level",), 41), equal(("time_2_2",), "a second time")], statement="names")
    assert [row[name] for name in ("host", "level", "line", "time_2", "pid")] == ["a host", 41, 1, 2.5, "a pid"]
    found = rows(odd.path, [equal(("level_2",), "WARN")], statement="names", columns="host_2, level, level_2, {time}, {line}")
    assert [list(row) for row in found] == [["host_2", "level", "level_2", "time_2", "line"]] * 3
    assert {row["host_2"] for row in found} == {steno.open(odd.path).sessions[0].host} and found[1]["time_2"] == 2.5
    assert [row["line"] for row in rows(odd.path, [datasource.Not(equal(("line",), 1))], statement="names")] == [0, 2]


def test_statements_of_all_files(odd, many_blocks, tmp_path):
    """A part of a text, and the text of the source, mean the same in each file; ambiguous ones are errors."""
    shutil.copy(odd.path, tmp_path / "odd.steno")
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "1000", tmp_path / "other.steno"], check=True)
    with pytest.raises(steno.InvalidError, match="in several statements"):
        rows(tmp_path, statement="respons", partitionBytes="10000")
    assert len(rows(tmp_path, statement="bytes in", partitionBytes="10000")) == 5000
    assert [row["peer.port"] for row in rows(tmp_path, statement="connected to {peer}", partitionBytes="10000")] == [80] * 3
    found = rows(tmp_path, columns="session, file", partitionBytes="10000")
    assert Counter(row["session"] for row in found) == {0: 4000 + 4 + 9, 1: 1000 + 1}


def test_names_in_conditions_mean_the_same_in_all_files(odd, tmp_path):
    """A name without braces is an argument in each file if a statement of any file has one of that name."""
    shutil.copy(odd.path, tmp_path / "odd.steno")
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "1000", tmp_path / "other.steno"], check=True)
    [host] = {session.host for session in steno.open(odd.path).sessions}
    for where, count in ((f'host == "{host}"', 0), ('host == "a host"', 3), (f'session.host == "{host}"', 4013 + 1001)):
        assert len(rows(tmp_path, where=where, columns="severity", partitionBytes="10000")) == count, where


def test_names_that_conditions_cannot_have():
    for name in ("a}b", "{", "a\nb", "a\0b", "\ufffd", ""):
        shown = Shown({"column": "i"}, {"column": name}, lambda: False)
        with pytest.raises(Untranslatable):
            comparison("column", "==", 1, shown)
        with pytest.raises(Untranslatable):
            null_test("column", True, shown)


def test_statements_that_are_no_utf_8_are_told():
    for text, why in (("bad \ufffd {id}", "has bytes that are no UTF-8; name it by its place"), ("", "has no text")):
        with pytest.raises(steno.InvalidError, match=why):
            connector._whole_statement(SimpleNamespace(_statement=text))


def test_sessions_keep_their_numbers_where_a_file_is_renamed(many_blocks, tmp_path, monkeypatch):
    """Also where that happens between the finding of the files and the opening."""
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "1000", tmp_path / "a.steno"], check=True)
    shutil.copy(many_blocks.path, tmp_path / "b.steno")
    finished = connector._files.finished

    def rename(files):
        found = finished(files)
        there, other = sorted([tmp_path / "b.steno", tmp_path / "b.1.steno"], key=Path.exists, reverse=True)
        there.rename(other)
        return found

    monkeypatch.setattr(connector._files, "finished", rename)
    assert Counter(row["session"] for row in rows(tmp_path, columns="session", partitionBytes="10000")) == {0: 1001, 1: 400_400}


def test_times_before_1973(odd):
    for ns in (10**8, 1_900_000_000, 1_900_000_000_000, 1_900_000_000_000_000):
        assert len(rows(odd.path, [datasource.GreaterThan(("time_ns",), ns)], columns="time_ns")) == 4013
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=ns // 1000)
        assert len(rows(odd.path, [datasource.GreaterThan(("time",), at)], columns="time")) == 4013
        assert not rows(odd.path, [datasource.EqualTo(("time",), at)], columns="time")


def test_files_that_grow_and_are_rotated(many_blocks, tmp_path):
    """A query has the rows that there were when it was planned, wherever they are by then."""
    whole = Path(many_blocks.path).read_bytes()
    path = tmp_path / "app.steno"
    path.write_bytes(whole[:len(whole) // 2])
    source = connector.Source({"path": str(path), "statement": "response", "partitionBytes": "500000"})
    reader = source.reader(source.schema())
    parts = reader.partitions()
    assert len(parts) > 2
    before = read(reader, parts)
    path.write_bytes(whole)
    assert read(reader, parts) == before
    path.rename(tmp_path / "app.1.steno")
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "500000", path], check=True)
    assert read(reader, parts) == before
    (tmp_path / "app.1.steno").unlink()
    with pytest.raises(steno.ReadError, match="another file"):
        read(reader, parts)


@pytest.mark.parametrize("there", ["a small log", "too little to know it by", "what is left of it"])
def test_files_that_become_shorter(many_blocks, tmp_path, there):
    """A small file in the place of another is not taken for what is left of that."""
    whole = Path(many_blocks.path).read_bytes()
    path = tmp_path / "app.steno"
    path.write_bytes(whole)
    source = connector.Source({"path": str(path), "statement": "response"})
    reader = source.reader(source.schema())
    parts = reader.partitions()
    path.write_bytes(whole[:60 if there == "too little to know it by" else len(whole) // 2])
    if there == "a small log":
        subprocess.run([os.environ["STENO_MANY_RESPONSES"], "10", tmp_path / "small.steno"], check=True)
        assert (tmp_path / "small.steno").stat().st_size < 4096
        (tmp_path / "small.steno").rename(path)
    if there == "what is left of it":
        assert 0 < len(read(reader, parts)) < 400_000
        return
    with pytest.raises(steno.ReadError, match="another file"):
        read(reader, parts)


def test_blocks_are_skipped(many_blocks):
    """A condition on time that the data source takes keeps blocks from being decoded."""
    log = steno.open(many_blocks.path)
    times = sorted(arrow(log.table().select("time"))["time"].to_pylist())
    source = connector.PushingSource({"path": many_blocks.path, "statement": "response"})
    reader = source.reader(source.schema())
    assert not list(reader.pushFilters([datasource.GreaterThanOrEqual(("time",), times[-1000])]))
    opened = []
    open_log = reader._request.open
    reader._request.open = lambda paths: opened.append(open_log(paths)) or opened[-1]
    rows = [batch for part in reader.partitions() for batch in reader.read(part)]
    assert sum(batch.num_rows for batch in rows) >= 900
    done, read = opened[-1]._reader.blocks()
    assert 0 < read < done
