"""Logs on an S3-compatible server, through s3fs: the rows are those of the file, whatever the network does."""
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import polars
import pyarrow
import pyarrow.parquet
import pytest
import steno
from steno import _remote

from conftest import count_by_reading

pytest.importorskip("moto", reason="no moto here (scripts/bootstrap --python installs it)")
s3fs = pytest.importorskip("s3fs", reason="no s3fs here (scripts/bootstrap --python installs it)")
from s3_server import Server  # noqa: E402


def slow_down(environ):
    return "503 Slow Down", b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"


@pytest.fixture(scope="module")
def server():
    os.environ.update(AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", AWS_DEFAULT_REGION="us-east-1")
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def options(server, monkeypatch):
    monkeypatch.setattr(_remote, "_PAUSES", (0, 0, 0))
    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    server.fault, server.delay = None, 0.0
    server.forget()
    # s3fs and botocore do not try again: what is tried again, the package has tried again.
    return {"endpoint_url": server.url, "config_kwargs": {"retries": {"total_max_attempts": 1}}}


@pytest.fixture
def bucket(server, options, many_blocks):
    store = s3fs.S3FileSystem(**options)
    if not store.exists("logs"):
        store.mkdir("logs")
    data = Path(many_blocks.path).read_bytes()
    for name in ("a", "b"):
        path = f"logs/day/{name}.steno"
        if not store.exists(path) or store.cat_file(path) != data:  # a test has changed it
            store.pipe_file(path, data)
    server.forget()
    return store


def rows(table):
    return pyarrow.RecordBatchReader.from_stream(table.profile("parquet")).read_all()


def test_answers_are_those_of_the_file(server, bucket, options, many_blocks):
    local = steno.open(many_blocks.path)
    times = sorted(rows(local.table().select("time_ns"))["time_ns"].to_pylist())
    middle = times[len(times) // 2]
    server.forget()
    far = steno.open("s3://logs/day/a.steno", storage_options=options)
    opened = server.read_bytes()
    assert far.sites == local.sites and far.records == 400_400 and opened < os.path.getsize(many_blocks.path) / 8
    for what, condition in ((None, "level >= WARN"), (None, f"time >= {middle}"), ("no backend", f"time >= {middle}"),
                            ("response", 'tenant == "acme" and status == 503'), ("response", "tenant is null")):
        assert rows(far.table(what).where(condition)) == rows(local.table(what).where(condition)), condition
    assert rows(far.table("response")) == rows(local.table("response"))
    server.forget()
    assert far.table().where("level >= CRITICAL").count() == 0 and not server.requests
    lazy = far.table("response").scan_polars().filter(polars.col("us") > 60000)
    assert lazy.select(polars.len()).collect().item() == local.table("response").where("us > 60000").count()
    relation = far.table("response").to_duckdb().filter("us > 60000")
    assert relation.count("*").fetchall() == [(local.table("response").where("us > 60000").count(),)]
    assert str(far.verify()) == str(local.verify())


def test_patterns(bucket, options, many_blocks):
    log = steno.open("s3://logs/day/*.steno", storage_options=options)
    assert log.paths == ["s3://logs/day/a.steno", "s3://logs/day/b.steno"]
    assert log.table().count() == 400_400  # each record once
    with pytest.raises(steno.NotFoundError, match="no such log"):
        steno.open("s3://logs/night/*.steno", storage_options=options)


def test_few_round_trips(server, bucket, options, many_blocks):
    """What is asked for at once takes the time of one request."""
    log = steno.open("s3://logs/day/a.steno", storage_options=options)
    size = os.path.getsize(many_blocks.path)
    server.forget()
    assert log.table("response").where("us > 60000").count() > 0
    ranges = [one for _, one in server.requests if one]
    assert server.read_bytes() <= size * 1.03 and len(ranges) <= size / (1 << 20) + 4


def test_a_question_to_many_files(server, bucket, options, tmp_path, monkeypatch):
    """Bytes and round trips of a day of files: scripts/measure_s3 measures more of them, with a delay. Of calls for several files
    at the same time (test_remote.py) those of one file count."""
    size = 0
    for i in range(4):
        path = tmp_path / f"{i}.steno"
        subprocess.run([os.environ["STENO_MANY_RESPONSES"], "400000", path], check=True)
        bucket.pipe_file(f"logs/week/{i}.steno", path.read_bytes())
        size += path.stat().st_size
    trips = Counter()
    read = _remote.Source.read
    monkeypatch.setattr(_remote.Source, "read", lambda self, ranges: (trips.update([self.name]), read(self, ranges))[1])
    server.forget()
    log = steno.open("s3://logs/week/*.steno", storage_options=options)
    opened, _ = max(trips.values()), trips.clear()
    assert log.table("response").where("us > 60000").count() == steno.open(
        [tmp_path / f"{i}.steno" for i in range(4)]).table("response").where("us > 60000").count()
    assert opened <= 3 and opened + sum(trips.values()) <= 10  # and one to list the files, and one for their size
    assert server.read_bytes() <= size * 1.03


def test_objects_that_are_missing_or_forbidden(server, bucket, options):
    with pytest.raises(steno.NotFoundError, match="s3://logs/day/c.steno"):
        steno.open("s3://logs/day/c.steno", storage_options=options)
    with pytest.raises(steno.NotFoundError):
        steno.open("s3://nothing/day/c.steno", storage_options=options)
    server.fault = lambda environ: ("403 Forbidden", b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
    with pytest.raises(steno.PermissionDeniedError):
        steno.open("s3://logs/day/a.steno", storage_options=options)


def test_a_server_that_is_busy_for_a_while(server, bucket, options, many_blocks):
    seen, lock = {}, threading.Lock()

    def busy(environ):
        with lock:
            key = (environ["REQUEST_METHOD"], environ.get("HTTP_RANGE"))
            seen[key] = seen.get(key, 0) + 1
            return slow_down(environ) if seen[key] == 1 else None

    server.fault = busy
    log = steno.open("s3://logs/day/a.steno", storage_options=options)
    assert rows(log.table()) == rows(steno.open(many_blocks.path).table())
    assert len(seen) >= 4 and not log.losses


def test_a_server_that_stays_busy(server, bucket, options):
    log = steno.open("s3://logs/day/a.steno", storage_options=options)
    table = log.table("response").select("us")
    server.fault = lambda environ: slow_down(environ) if environ.get("HTTP_RANGE") else None
    for read in (log.verify, table.to_arrow, lambda: table.scan_polars().collect(),
                 lambda: table.to_duckdb().count("us").fetchall()):
        with pytest.raises(Exception, match="(?i)reduce your request rate|SlowDown"):
            read()
    with pytest.raises(steno.ReadError, match="a.steno"):
        count_by_reading(table)
    server.fault = None
    assert table.count() == 400_000 and not log.losses  # nothing of it stays


def test_objects_that_are_changed_or_removed(server, bucket, options, many_blocks):
    data = Path(many_blocks.path).read_bytes()
    log = steno.open("s3://logs/day/a.steno", storage_options=options)
    bucket.pipe_file("logs/day/a.steno", data[:len(data) // 2] + bytes(len(data) - len(data) // 2))
    for read in (lambda: count_by_reading(log.table()), log.verify, lambda: log.table().to_arrow()):
        with pytest.raises(Exception, match="changed since it was opened"):
            read()
    bucket.rm("logs/day/a.steno")
    with pytest.raises(steno.ReadError, match="removed since it was opened"):
        count_by_reading(log.table())


def test_an_object_that_is_changed_while_it_is_read(server, bucket, options, many_blocks):
    """Between one request and another: no row of the other object is ever seen."""
    data = bytearray(Path(many_blocks.path).read_bytes())
    log = steno.open("s3://logs/day/a.steno", storage_options=options)
    wanted = rows(log.table())
    done = []

    def change(environ):
        if environ.get("HTTP_RANGE") and not done:
            done.append(1)
            s3fs.S3FileSystem(**options, skip_instance_cache=True).pipe_file("logs/day/a.steno", bytes(data[::-1]))

    server.fault = change
    with pytest.raises(steno.ReadError, match="changed since it was opened"):
        count_by_reading(log.table())
    server.fault = None
    bucket.pipe_file("logs/day/a.steno", bytes(data))
    again = steno.open("s3://logs/day/a.steno", storage_options=options)
    assert done and rows(again.table()) == wanted


def test_commands(server, bucket, options, many_blocks, tmp_path):
    """steno sql and steno export take URLs, and options for their filesystem."""
    given = ["--storage-option", f"endpoint_url={server.url}", "--storage-option", 'config_kwargs={"retries": {"total_max_attempts": 2}}']

    def run(module, *arguments, status=0):
        done = subprocess.run([sys.executable, "-m", f"steno.{module}", *given, *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    urls = ["s3://logs/day/a.steno", "s3://logs/day/b.steno"]  # the first one is no question
    assert run("sql", "--format", "csv", "select count(*) as n from response", *urls) == "n\n400000\n"
    both = subprocess.run([sys.executable, "-m", "steno.sql", *given, "--format", "csv", *urls], input="select count(*) as n from log;\n",
                          text=True, stdout=subprocess.PIPE, check=True)
    assert "400400" in both.stdout
    path = tmp_path / "warnings.parquet"
    run("export", "--to", "parquet", "--out", path, "--where", "level >= WARN", urls[0])
    assert pyarrow.parquet.read_table(path).num_rows == 400
    assert "s3://logs/day/c.steno" in run("sql", "select 1", "s3://logs/day/c.steno", status=3)
    for wrong in ("endpoint_url", "=x", "config_kwargs={"):
        assert "--storage-option" in run("sql", "--storage-option", wrong, "select 1", *urls, status=2)
        assert "--storage-option" in run("export", "--storage-option", wrong, "--to", "csv", *urls, status=2)
