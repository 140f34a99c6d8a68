"""Files that exports make: complete or not there, and for those who may read them."""
import gc
import os
import stat

import pyarrow
import pytest
import steno
from pyarrow import parquet
from steno import _export, export


def names(folder):
    return sorted(one.name for one in folder.rglob("*"))


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    """Sets the umask, for the test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def run(path, log, form="csv", *more):
    return export.main(["--to", form, "--out", str(path), *more, log.path])


@pytest.fixture
def failing_groups(monkeypatch):
    """Reading fails after the first group."""
    groups = _export.groups

    def some(*arguments, **options):
        yield next(iter(groups(*arguments, **options)))
        raise KeyboardInterrupt
    monkeypatch.setattr(_export, "groups", some)
    return lambda: monkeypatch.setattr(_export, "groups", groups)


def test_what_lies_beside_is_left_alone(all_types, tmp_path):
    victim, out = tmp_path / "victim", tmp_path / "out.csv"
    victim.write_text("precious")
    (tmp_path / "out.csv.part").symlink_to(victim)
    assert run(out, all_types) == 0
    assert victim.read_text() == "precious"
    (tmp_path / "out.csv.part").unlink()
    (tmp_path / "out.csv.part").write_text("mine")
    assert run(out, all_types) == 0
    assert (tmp_path / "out.csv.part").read_text() == "mine"
    assert names(tmp_path) == ["out.csv", "out.csv.part", "victim"]
    longest = tmp_path / ("n" * 255)
    assert run(longest, all_types) == 0 and longest.read_bytes() == out.read_bytes()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make files of another user")
def test_links_and_files_that_others_planted(all_types, tmp_path, capfd):
    tmp_path.chmod(0o1777)
    victim, link, out = tmp_path / "victim", tmp_path / "link", tmp_path / "out.csv"
    victim.write_text("precious")
    link.symlink_to(victim)
    os.chown(link, 12345, 12345, follow_symlinks=False)
    assert run(link, all_types) == 3
    assert "a link of another user" in capfd.readouterr().err
    assert victim.read_text() == "precious"
    out.touch(0o666)
    os.chown(out, 12345, 12345)
    assert run(out, all_types) == 0
    assert mode(out) == 0o600 and out.stat().st_uid == 0


def test_errors_name_the_file_that_was_asked_for(all_types, tmp_path, capfd):
    out = tmp_path / "nowhere" / "out.csv"
    assert run(out, all_types) == 3
    assert f"No such file or directory: '{out}'" in capfd.readouterr().err
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError, match=f"{tmp_path}/file'"):
        steno.open(all_types.path).to_parquet(tmp_path / "file" / "lake")
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("form", _export.FORMS)
def test_who_may_read(all_types, tmp_path, umask, form):
    new, narrow, private, group = (tmp_path / name for name in ("new", "narrow", "private", "group"))
    assert run(new, all_types, form) == 0
    assert mode(new) == 0o600
    umask(0o277)
    assert run(narrow, all_types, form) == 0
    assert mode(narrow) == 0o400
    umask(0o022)
    private.touch(0o600)
    group.touch()
    if os.geteuid() == 0:
        os.chown(group, 12345, 12346)
    group.chmod(0o4664)
    before = group.stat()
    assert run(private, all_types, form) == run(group, all_types, form) == 0
    assert mode(private) == 0o600 and mode(group) == 0o664
    assert (group.stat().st_uid, group.stat().st_gid) == (before.st_uid, before.st_gid)


def test_who_may_read_directories_and_tables(all_types, tmp_path, umask):
    log = steno.open(all_types.path)
    log.to_parquet(tmp_path / "lake")
    assert mode(tmp_path / "lake") == 0o700
    assert {mode(file) for file in (tmp_path / "lake").rglob("*.parquet")} == {0o600}
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o2750)
    log.to_parquet(shared)
    assert mode(shared) == 0o2750
    log.table().to_parquet(tmp_path / "table.parquet")
    assert mode(tmp_path / "table.parquet") == 0o600


def test_a_directory_without_parts_has_all_rows(many_blocks, tmp_path, monkeypatch):
    monkeypatch.setattr(_export.groups, "__defaults__", (100_000, 0))
    log = steno.open(many_blocks.path)
    for place in (f"{tmp_path}/lake", f"{tmp_path}/again/"):
        rows = log.to_parquet(place, by=())
        assert rows == parquet.read_table(place).num_rows == log.records
        assert os.listdir(place) == ["part-0.parquet"]


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")  # of a writer whose file is closed
@pytest.mark.parametrize("form", _export.FORMS)
def test_an_export_that_fails_leaves_nothing(all_types, tmp_path, failing_groups, form):
    path = tmp_path / "out"
    path.write_text("before")
    assert run(path, all_types, form) == 130
    assert names(tmp_path) == ["out"] and path.read_text() == "before"
    gc.collect()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("form", _export.FORMS)
def test_a_disk_that_is_full(many_blocks, form, capfd):
    assert run("/dev/full", many_blocks, form, "--columns", "time,line") == 3
    gc.collect()
    assert "No space left on device" in capfd.readouterr().err


@pytest.mark.parametrize("make_before", [False, True])
def test_a_directory_that_fails_can_be_written_again(all_types, tmp_path, failing_groups, make_before):
    lake = tmp_path / "lake"
    if make_before:
        lake.mkdir()
    log = steno.open(all_types.path)
    with pytest.raises(KeyboardInterrupt):
        log.to_parquet(lake)
    assert names(tmp_path) == (["lake"] if make_before else [])
    failing_groups()
    assert log.to_parquet(lake) == parquet.ParquetDataset(lake / "statement=integers").read().num_rows * len(log.statements)
    assert not [name for name in names(tmp_path) if name.endswith(".part")]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make links of another user")
def test_links_to_directories_that_others_planted(all_types, tmp_path):
    tmp_path.chmod(0o1777)
    link, home = tmp_path / "link", tmp_path / "home"
    home.mkdir()
    link.symlink_to(home)
    os.chown(link, 12345, 12345, follow_symlinks=False)
    with pytest.raises(steno.PermissionDeniedError, match="another user"):
        steno.open(all_types.path).to_parquet(link)
    assert names(home) == []


def test_directories_stay_what_they_are(all_types, tmp_path, monkeypatch):
    log = steno.open(all_types.path)
    here, link = tmp_path / "here", tmp_path / "link"
    here.mkdir()
    link.symlink_to(here)
    inode = here.stat().st_ino
    log.to_parquet(link, by=())
    assert link.is_symlink() and here.stat().st_ino == inode and names(here) == ["part-0.parquet"]
    (here / "part-0.parquet").unlink()
    monkeypatch.chdir(here)
    log.to_parquet(".", by=())
    assert names(here) == ["part-0.parquet"]
    log.to_parquet("deep/er/lake/", by=())
    assert os.listdir("deep/er/lake") == ["part-0.parquet"]


def test_a_table_that_fails_leaves_nothing(many_blocks, tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    table = steno.open(many_blocks.path).table().batches(50_000)
    write = parquet.ParquetWriter.write
    calls = []

    def fail_later(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return write(*arguments, **options)
    with monkeypatch.context() as patched:
        patched.setattr(parquet.ParquetWriter, "write", fail_later)
        with pytest.raises(KeyboardInterrupt):
            table.to_parquet(path)
    assert names(tmp_path) == []
    assert table.to_parquet(path) == parquet.read_metadata(path).num_rows
    sink = pyarrow.BufferOutputStream()
    assert table.to_parquet(sink) == parquet.read_metadata(pyarrow.BufferReader(sink.getvalue())).num_rows
