"""Logs from object stores: what is asked for, how often, and what happens when a store fails."""
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import fsspec
import polars
import pyarrow
import pytest
import steno
from fsspec.implementations.cached import SimpleCacheFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from steno import _remote

from conftest import count_by_reading

FORMAT = "response {id} to {tenant}: {status}, {bytes} bytes in {us} us"


class Store(MemoryFileSystem):
    """An object store that counts, and fails as it is told: a fault takes the path, begin and end, and returns bytes or
    raises; None: as usual."""
    store: dict = {}
    pseudo_dirs = [""]
    cachable = False

    def __init__(self):
        super().__init__()
        self.store = {}
        self.ranges = []
        self.fault = None

    def cat_file(self, path, start=None, end=None, **kwargs):
        self.ranges.append((start, end))
        answer = self.fault(path, start, end) if self.fault else None
        return super().cat_file(path, start=start, end=end, **kwargs) if answer is None else answer

    @property
    def bytes(self):
        return sum(end - begin for begin, end in self.ranges)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(_remote, "_PAUSES", (0, 0, 0))


@pytest.fixture(scope="module")
def large(many_blocks):
    return Path(many_blocks.path).read_bytes()


@pytest.fixture
def store(large):
    store = Store()
    store.pipe_file("/bucket/a.steno", large)
    return store


@pytest.fixture
def trips(monkeypatch):
    """How many calls, each of which asks for ranges at the same time."""
    calls = []
    read = _remote.Source.read
    monkeypatch.setattr(_remote.Source, "read", lambda self, ranges: (calls.append(len(ranges)), read(self, ranges))[1])
    return calls


def rows(table):
    return pyarrow.RecordBatchReader.from_stream(table.profile("parquet")).read_all()


def test_the_rows_are_those_of_the_file(many_blocks, store, sample):
    local, far = steno.open(many_blocks.path), steno.open("bucket/a.steno", filesystem=store)
    assert rows(far.table()) == rows(local.table())
    assert far.losses == [] and str(far.verify()) == str(local.verify()) and far.sites == local.sites
    small = Store()
    small.pipe_file("/s.steno", Path(sample.path).read_bytes())
    assert rows(steno.open("/s.steno", filesystem=small).table()) == rows(steno.open(sample.path).table())


def test_opening_reads_the_index_alone(store, large, trips):
    log = steno.open("bucket/a.steno", filesystem=store)
    assert log.records == 400_400 and len(log.statements) == 2
    assert store.bytes < len(large) / 8 and len(trips) <= 4


def test_a_question_reads_the_blocks_that_it_needs(many_blocks, store, large, trips):
    local, log = steno.open(many_blocks.path), steno.open("bucket/a.steno", filesystem=store)
    times = sorted(rows(local.table().select("time_ns"))["time_ns"].to_pylist())
    begin, end = times[len(times) // 2], times[len(times) // 2 + len(times) // 100]
    for ask in (lambda of: of.table("response").where(f"time >= {begin} and time < {end}"),
                lambda of: of.table("response").where(f"not (time < {begin} or time >= {end})")):
        trips.clear(), store.ranges.clear()
        found = rows(ask(log))
        assert found == rows(ask(local)) and 0 < found.num_rows <= len(times) // 100
        assert len(trips) == 1 and store.bytes < len(large) / 2
    trips.clear(), store.ranges.clear()
    assert log.table().where("level >= CRITICAL").count() == 0
    assert log.table("response").count() == 400_000 and log.table().count() == 400_400
    assert not trips and not store.ranges
    relation = log.table("response").select("time_ns", "us").to_duckdb()
    assert relation.filter(f"time_ns >= {begin} and time_ns < {end}").count("*").fetchall() == [(found.num_rows,)]
    assert store.bytes < len(large) / 2


def test_all_of_it_in_few_large_ranges(store, large, trips):
    log = steno.open("bucket/a.steno", filesystem=store)
    trips.clear(), store.ranges.clear()
    assert count_by_reading(log.table("response")) == 400_000
    assert len(trips) <= 4 and store.bytes <= len(large) * 1.03
    assert max(end - begin for begin, end in store.ranges) <= 8 << 20


def test_every_engine(store, trips):
    log = steno.open("bucket/a.steno", filesystem=store)
    table = log.table("response").select("us")
    total = table.to_polars()["us"].cast(polars.Int64).sum()
    assert table.to_pandas()["us"].sum() == table.to_duckdb().sum("us").fetchall()[0][0] == total
    assert sum(row["us"] for row in table) == total == polars.DataFrame(table)["us"].cast(polars.Int64).sum()


@pytest.mark.parametrize("fault", [
    lambda path, begin, end: (_ for _ in ()).throw(ConnectionResetError("reset by peer")),
    lambda path, begin, end: (_ for _ in ()).throw(OSError("503 Slow Down")),
    lambda path, begin, end: b"short",
])
def test_failures_that_pass_are_not_seen(many_blocks, store, fault):
    failing = set()

    def once(path, begin, end):
        if (begin, end) in failing:
            return None
        failing.add((begin, end))
        return fault(path, begin, end)

    store.fault = once
    log = steno.open("bucket/a.steno", filesystem=store)
    assert rows(log.table()) == rows(steno.open(many_blocks.path).table())
    assert len(failing) >= 4 and not log.losses


@pytest.mark.parametrize("fault, message", [
    (lambda path, begin, end: (_ for _ in ()).throw(ConnectionResetError("reset by peer")), "reset by peer"),
    (lambda path, begin, end: (_ for _ in ()).throw(PermissionError("expired")), "expired"),
    (lambda path, begin, end: b"short", "5 bytes came of the"),
])
def test_failures_that_stay_are_told(store, fault, message):
    log = steno.open("bucket/a.steno", filesystem=store)
    table = log.table("response").select("us")
    store.fault = fault
    for read in (lambda: count_by_reading(table), lambda: list(table), log.verify, table.to_arrow, table.to_polars, table.to_pandas,
                 lambda: table.to_duckdb().count("us").fetchall()):
        with pytest.raises(Exception, match=message):
            read()
    with pytest.raises(steno.ReadError, match=f"a.steno: .*{message}"):
        count_by_reading(table)
    with pytest.raises(steno.ReadError, match=message):
        steno.open("bucket/a.steno", filesystem=store)
    store.fault = None
    assert table.count() == 400_000 and not log.losses  # nothing of it stays


def test_an_object_that_is_changed_is_told(store, large):
    log = steno.open("bucket/a.steno", filesystem=store)
    store.pipe_file("/bucket/a.steno", large[:len(large) // 2] + bytes(len(large) - len(large) // 2))
    with pytest.raises(steno.ReadError, match="changed since it was opened"):
        count_by_reading(log.table())
    with pytest.raises(steno.ReadError, match="changed since it was opened"):
        log.verify()
    store.rm("/bucket/a.steno")
    with pytest.raises(steno.ReadError, match="removed since it was opened"):
        count_by_reading(log.table())


def test_a_block_that_is_damaged_on_the_way_is_read_again(store, many_blocks):
    seen = set()

    def flip(path, begin, end):
        if begin in seen:
            return None
        seen.add(begin)
        data = bytearray(store.store["/bucket/a.steno"].getvalue()[begin:end])
        data[len(data) // 2] ^= 1
        return bytes(data)

    log = steno.open("bucket/a.steno", filesystem=store)
    store.fault = flip
    assert rows(log.table()) == rows(steno.open(many_blocks.path).table())
    assert seen and not log.losses


def test_damage_that_is_there_is_a_loss(store, large):
    damaged = bytearray(large)
    damaged[len(large) // 2] ^= 1
    store.pipe_file("/bucket/b.steno", bytes(damaged))
    log = steno.open("bucket/b.steno", filesystem=store)
    assert 0 < count_by_reading(log.table()) < 400_400
    assert "checksum" in str(log.verify())


def test_urls_and_patterns(large):
    memory = fsspec.filesystem("memory")
    for name in ("a", "b"):
        memory.pipe_file(f"/day/{name}.steno", large)
    log = steno.open("memory://day/*.steno")
    assert log.paths == ["memory://day/a.steno", "memory://day/b.steno"]
    assert [session.path for session in log.sessions][:1] == ["memory://day/a.steno"]
    again = pickle.loads(pickle.dumps(log.table("response")))
    assert again.count() == log.table("response").count() > 0
    with pytest.raises(steno.NotFoundError, match="no such log"):
        steno.open("memory://night/*.steno")
    with pytest.raises(steno.NotFoundError, match="c.steno"):
        steno.open("memory://day/c.steno")
    with pytest.raises(steno.InvalidError, match="file://"):
        steno.open(["memory://day/a.steno", "a.steno"])
    with pytest.raises(steno.Error, match="nosuch"):
        steno.open("nosuch://day/a.steno")


class Hosts(MemoryFileSystem):
    """A filesystem of another machine, whose paths have no host: sftp, ftp, smb."""
    protocol = "hosts"
    store: dict = {}
    pseudo_dirs = [""]
    cachable = False
    asked: list = []

    def __init__(self, host=None, **options):
        super().__init__()
        self.asked.append(host)

    @classmethod
    def _strip_protocol(cls, path):
        within = "/" + path.split("://", 1)[1].partition("/")[2] if "://" in path else path
        return within.rstrip("/")

    @staticmethod
    def _get_kwargs_from_urls(path):
        return {"host": path.split("://", 1)[1].partition("/")[0]}


class Accounts(Hosts):
    """One whose paths begin with a part of what stands before the first "/"."""
    protocol = "abfs"

    @classmethod
    def _strip_protocol(cls, path):
        if "://" not in path:
            return path.rstrip("/")
        place, _, within = path.split("://", 1)[1].partition("/")
        return f"/{place.partition('@')[0]}/{within}"


def public(name):
    return name.replace("ann:s3cret@", "")


@pytest.mark.parametrize("url, names", [
    ("hosts://ann:s3cret@far:22/day/*.steno", ["hosts://ann:s3cret@far:22/day/a.steno", "hosts://ann:s3cret@far:22/day/b.steno"]),
    ("hosts://far/day/a.steno", ["hosts://far/day/a.steno"]),
    ("simplecache::hosts://far/day/a.steno", ["simplecache::hosts://far/day/a.steno"]),
    ("hosts://far/day/a.steno/", ["hosts://far/day/a.steno"]),
    ("abfs://day@far/*.steno", ["abfs://day@far/a.steno", "abfs://day@far/b.steno"]),
])
def test_urls_keep_their_host(large, monkeypatch, url, names):
    for one in (Hosts, Accounts):
        fsspec.register_implementation(one.protocol, one, clobber=True)
    Hosts().pipe({"/day/a.steno": large, "/day/b.steno": large})
    monkeypatch.setattr(Hosts, "asked", [])
    log = steno.open(url)
    assert log.paths == names
    assert "s3cret" not in repr(log)
    assert [session.path for session in log.sessions] == [public(name) for name in names]
    wanted = set(Hosts.asked)
    Hosts.asked.clear()
    assert pickle.loads(pickle.dumps(log)).records == log.records
    assert set(Hosts.asked) <= wanted  # filesystems of a cache are kept


@pytest.mark.parametrize("url, named", [
    ("sftp://ann:s3cret@far/a.steno", "sftp://far/a.steno"),
    ("simplecache::s3://key:s3cret@bucket/a.steno", "simplecache::s3://bucket/a.steno"),
    ("notgithub://ann@far/a.steno", "notgithub://far/a.steno"),
    ("abfss://c1@account.dfs.core.windows.net/a.steno", None),
    ("wasbs://c1@account.blob.core.windows.net/a.steno", None),
    ("oci://bucket@namespace/a.steno", None),
    ("simplecache::github://org:repo@main/a.steno", None),
])
def test_names_lack_users_alone(url, named):
    assert _remote._public(url) == (named or url)
    assert _remote._describe(url, OSError(f"cannot open {url}")) == f"{named or url}: cannot open {named or url}"


def test_without_an_index_all_is_read(store, large, many_blocks):
    store.pipe_file("/bucket/cut.steno", large[:-len(large) // 3])
    cut = steno.open("bucket/cut.steno", filesystem=store)
    assert 0 < cut.table().count() < 400_400 and cut.losses


def test_ctrl_c_ends_what_waits_for_a_store(store):
    log = steno.open("bucket/a.steno", filesystem=store)
    store.fault = lambda path, begin, end: signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        count_by_reading(log.table())
    store.fault = None
    assert log.table().count() == 400_400


def test_files_are_read_at_the_same_time(large, tmp_path, monkeypatch):
    """Looking for files, opening them and reading them takes the round trips of one: the first request of each file waits here
    for those of the others."""
    other = tmp_path / "other.steno"
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "400000", other], check=True)
    store = Store()
    names = ["/bucket/a.steno", "/bucket/b.steno"]
    for name, data in zip(names, (large, other.read_bytes())):
        store.pipe_file(name, data)

    def together(call):
        barrier = threading.Barrier(len(names), timeout=60)
        seen = set()

        def waiting(source, *arguments):
            if source.name not in seen:
                seen.add(source.name)
                barrier.wait()
            return call(source, *arguments)
        return waiting, seen

    info, read = _remote.Source._info, _remote.Source.read
    looked, infos = together(info)
    opened, opens = together(read)
    monkeypatch.setattr(_remote.Source, "_info", looked)
    monkeypatch.setattr(_remote.Source, "read", opened)
    log = steno.open("bucket/*.steno", filesystem=store)
    assert log.paths == names and infos == opens == set(names)
    asked, reads = together(read)
    monkeypatch.setattr(_remote.Source, "read", asked)
    assert count_by_reading(log.table("no backend")) == 800 and reads == set(names)


HOLDING = """
import ctypes, sys
import fsspec, steno

class Stream(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private")]

store = fsspec.filesystem("memory")
for i, path in enumerate(sys.argv[1:]):
    store.pipe_file(f"/{i}.steno", open(path, "rb").read())
capsule = steno.open("/*.steno", filesystem=store).table("response").__arrow_c_stream__()
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
address = pointer(capsule, b"arrow_array_stream")
get_next = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(Stream.from_address(address).get_next)
batch = (ctypes.c_int64 * 10)()
assert get_next(address, batch) == 0 and batch[0] > 0
release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(batch[8])
release(batch)
"""


def test_a_caller_that_holds_the_interpreters_lock(many_blocks, tmp_path):
    """Other threads, which read other files meanwhile, need it."""
    other = tmp_path / "other.steno"
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "400000", other], check=True)
    subprocess.run([sys.executable, "-c", HOLDING, many_blocks.path, other], check=True, timeout=120)


class Refused(MemoryFileSystem):
    """Refuses connections, as ftp does while it is made; wants its port as a number."""
    protocol = "refused"
    cachable = False

    def __init__(self, host=None, port=21, **options):
        super().__init__()
        port + 0
        raise ConnectionRefusedError(f"refused by {host}:{port} with {options.get('password')}")

    @staticmethod
    def _get_kwargs_from_urls(url):
        from urllib.parse import urlsplit
        parts = urlsplit(url)
        return {"host": parts.hostname, "password": parts.password}


def test_a_filesystem_that_cannot_be_made(capsys):
    from steno import sql
    fsspec.register_implementation("refused", Refused, clobber=True)
    url = "refused://ann:s3cret@host/a.steno"
    with pytest.raises(steno.ReadError, match="refused://host/a.steno: refused by host:2121") as caught:
        steno.open(url, storage_options={"port": "2121"})
    assert "s3cret" not in str(caught.value)
    assert sql.main(["select 1", url, "--storage-option", "port=2121"]) == 3
    said = capsys.readouterr().err
    assert said.startswith("steno sql: refused://host/a.steno: refused by host:2121") and "s3cret" not in said
    with pytest.raises(steno.FailedError, match="refused://host/a.steno: ") as caught:
        steno.open(url, storage_options={"port": "ftp"})
    assert "s3cret" not in str(caught.value)
    with pytest.raises(steno.Error) as caught:
        steno.open("nosuch://ann:s3cret@host/a.steno")
    assert "s3cret" not in str(caught.value) and "ann" not in str(caught.value)


class SlowStore(MemoryFileSystem):
    """Takes a while to copy a file, and counts how often it does."""
    cachable = False

    def __init__(self):
        super().__init__()
        self.copies = 0

    def get_file(self, path, target, **_):
        self.copies += 1
        time.sleep(0.5)
        Path(target).write_bytes(self.cat_file(path))


def test_a_file_is_copied_once(large, tmp_path):
    """simplecache writes a copy in place, where a second reader at that time sees a part of it, or writes it again."""
    store = SlowStore()
    store.pipe_file("/slow/a.steno", large)
    cache = SimpleCacheFileSystem(fs=store, cache_storage=str(tmp_path))
    assert steno.open("/slow/a.steno", filesystem=cache).records == 400_400
    assert store.copies == 1
