"""The files of a query of Spark, which others rename, replace and write to between the plan and the reading. No Spark is needed."""
import gc
import os
import subprocess
import weakref
from pathlib import Path

import fsspec
import pytest
import steno
from fsspec.implementations.memory import MemoryFileSystem
from steno import _spark_files as files


@pytest.fixture(scope="module")
def whole(many_blocks):
    return Path(many_blocks.path).read_bytes()


def count(found, **options):
    return files.open(found, None, **options).table("response").count()


def test_a_file_that_is_renamed_while_it_is_opened(whole, tmp_path, monkeypatch):
    """It is looked for again; what stays wrong is an error."""
    path = tmp_path / "app.steno"
    path.write_bytes(whole)
    found = files.finished(files.find([str(path)], None))
    assert found[0].is_finished

    def rename_first(paths, **more):
        if path.exists():
            path.rename(tmp_path / "app.1.steno")
        return steno.Log(paths, **more)

    monkeypatch.setattr(files, "Log", rename_first)
    log = files.open(found, None)
    assert log.table("response").count() == 400_000 and log.paths == [str(tmp_path / "app.1.steno")]
    assert [files.found_as(log, session.path) for session in log.sessions] == [str(path)]
    (tmp_path / "app.1.steno").unlink()
    with pytest.raises(steno.NotFoundError, match="it was there when the query was planned"):
        files.open(found, None)


def test_few_files_are_open_at_once_while_they_are_looked_at(whole, tmp_path, monkeypatch):
    alive = weakref.WeakSet()
    most = []

    class Counted(files.Beginning):
        def __init__(self, path, size):
            super().__init__(path, size)
            alive.add(self)
            gc.collect()
            most.append(len(alive))

    monkeypatch.setattr(files, "Beginning", Counted)
    for i in range(8):
        (tmp_path / f"{i}.steno").write_bytes(whole[:200_000])
    found = files.finished(files.find([str(one) for one in sorted(tmp_path.iterdir())], None))
    assert [file.is_finished for file in found] == [False] * 8
    assert len(most) == 8 and max(most) <= 2, most


def test_a_file_of_a_url_may_grow(whole, tmp_path):
    """It is read up to the size that it had; one that is shorter, or another of its size, is refused."""
    path = tmp_path / "app.steno"
    path.write_bytes(whole[:len(whole) // 2])
    found = files.find([f"local://{path}"], None)
    before = count(found)
    assert 0 < before < 400_000
    path.write_bytes(whole)
    assert count(found) == before
    for size in (len(whole) // 2, len(whole) // 3):
        path.write_bytes(whole[:size])
        os.utime(path, (1, 1))
        with pytest.raises(steno.ReadError, match="has changed since the query was planned"):
            files.open(found, None)


def test_another_version_of_an_object_is_refused(whole, monkeypatch):
    """Also where it is longer than that was."""
    info = MemoryFileSystem.info
    monkeypatch.setattr(MemoryFileSystem, "info", lambda self, path, **more: {**info(self, path), "ETag": str(info(self, path)["size"])})
    store = MemoryFileSystem()
    store.pipe("/versions/app.steno", whole[:len(whole) // 2])
    found = files.find(["memory://versions/app.steno"], None)
    assert 0 < count(found) < 400_000
    store.pipe("/versions/app.steno", whole)
    with pytest.raises(steno.ReadError, match="has changed since the query was planned"):
        files.open(found, None)
    store.rm("/versions", recursive=True)


class Users(MemoryFileSystem):
    """A machine on which each user has files of their own."""
    protocol = "users"
    store: dict = {}
    pseudo_dirs = [""]

    @classmethod
    def _strip_protocol(cls, path):
        return "/" + path.split("://", 1)[1].replace("@far", "") if "://" in path else path


def test_files_whose_names_differ_by_their_users(whole, tmp_path):
    """Messages and sessions do not have the users."""
    fsspec.register_implementation("users", Users, clobber=True)
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "1000", tmp_path / "other.steno"], check=True)
    Users().pipe({"/ann/a.steno": whole, "/bob/a.steno": (tmp_path / "other.steno").read_bytes()})
    urls = ["users://ann@far/a.steno", "users://bob@far/a.steno"]
    for given in (urls, urls[::-1]):
        log = files.open(files.find(given, None), None)
        assert [files.found_as(log, session.path) for session in log.sessions] == given
        assert [session.path for session in log.sessions] == ["users://far/a.steno", "users://far/a.steno (2)"]


def test_statements_that_are_no_utf_8():
    """Their texts do not name them, as these have another character in its place."""
    site = steno.Site("bad \ufffd {id}", "a.cc", 1, "f", "INFO", "i", 77, "")
    [statement] = steno._facts.statements_of([site])
    assert statement.spec == {"stable_id": 77}
