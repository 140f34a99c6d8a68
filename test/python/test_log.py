"""What a log says of itself."""
import os
import pickle
import subprocess
import threading
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import steno
from steno._facts import iso, statements_of, to_ns, utc


def test_facts(sample, steno_command):
    log = steno.open(sample.path)
    assert log.records == len(sample.records) == sum(session.records for session in log.sessions)
    assert len(log.sessions) > 1
    assert all(session.path == sample.path and session.start.tzinfo is not None for session in log.sessions)
    assert {(site.format, site.file, site.line, site.function, site.level) for site in log.sites} >= \
        {(r["format"], r["file"], r["line"], r["function"], r["level"]) for r in sample.records}
    assert {thread.name for thread in log.threads} >= {record["thread"] for record in sample.records}
    assert all(0 <= thread.session < len(log.sessions) for thread in log.threads)
    assert repr(log).startswith(f"<steno.Log {sample.path}: {log.records:,} records")


def test_paths(sample, quickstart):
    for path in (sample.path, Path(sample.path), os.fsencode(sample.path), [sample.path], (Path(sample.path),)):
        assert steno.open(path).records == len(sample.records)
    assert steno.open([sample.path, quickstart.path]).table().count() == len(sample.records) + 3
    assert steno.open([sample.path, sample.path]).table().count() == len(sample.records)  # each record once


def test_errors_are_exceptions_that_say_what_and_where(sample, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.steno") as raised:
        steno.open(tmp_path / "nowhere.steno")
    assert isinstance(raised.value, steno.NotFoundError) and isinstance(raised.value, steno.Error)
    other = tmp_path / "other"
    other.write_text("a text\n" * 100)
    with pytest.raises(steno.CorruptError, match="other"):
        steno.open(other)
    with pytest.raises(steno.InvalidError):
        steno.open(tmp_path)
    with pytest.raises(steno.InvalidError):
        steno.open([])
    log = steno.open(sample.path)
    with pytest.raises(ValueError, match="no statement has the text 'fild"):
        log.table("fild {qty} @ {price} for {client}")
    with pytest.raises(steno.InvalidError, match="pric.*did you mean 'price'"):
        log.table("filled {qty}").select("pric")
    with pytest.raises(steno.InvalidError):
        log.table().where("qty >")
    with pytest.raises(steno.InvalidError, match="time zone"):
        steno.open(sample.path, since=datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="NUL"):
        log.table("a\0b")
    with pytest.raises(steno.InvalidError):
        steno.open(sample.path, where="no such thing")


def test_statement_by_text_name_place_and_site(sample):
    log = steno.open(sample.path)
    expected = Counter(record["format"] for record in sample.records)
    assert len({statement.name for statement in log.statements}) == len(log.statements)
    for statement in log.statements:
        wanted = expected[statement.format]
        if "statement" in statement.spec:
            assert log.table(statement.format).count() == wanted
        assert log.table(statement).count() == log.table(statement.name).count()
        assert sum(log.table(site).count() for site in statement.sites) == log.table(statement).count()
    by_place = Counter((record["file"], record["line"]) for record in sample.records)
    for (file, line), wanted in by_place.items():
        assert log.table(f"{file}:{line}").count() == wanted


def test_short_names(quickstart):
    names = {statement.format: statement.name for statement in steno.open(quickstart.path).statements}
    assert names == {"Opened session with coordinator at {}": "opened",
                     "filled {qty} @ {price:.2f} for {client}": "filled", "took %0.1lf ms, %d retries": "took"}


def test_short_names_are_short(tmp_path):
    words = ["w" * 250, "w" * 250 + "x", "w" * 60, "a" + "b" * 61 + " " + "c" * 300, "1" * 300, " ".join(["long" * 20] * 4)]
    formats = [*words, *(f"{word} again" for word in words), "{}", "{} {}"]
    sites = [steno.Site(format, f"{'d' * 250}.cc", line, "", "INFO", "", line) for line, format in enumerate(formats)]
    names = [statement.name for statement in statements_of(sites)]
    assert len(set(names)) == len(formats)
    for name in names:
        (tmp_path / f"statement={name}").mkdir()
    assert [one.name for one in statements_of([sites[0]])] == ["w" * 60]


@pytest.mark.parametrize("ns", [0, -1, -(2**63), 2**63 - 1, 1_800_000_000_123_456_789])
def test_times_as_texts_and_back(ns):
    whole, fraction = iso(ns).rstrip("Z").split(".")
    assert to_ns(datetime.fromisoformat(whole + "+00:00")) + int(fraction) == ns
    assert to_ns(utc(ns).astimezone(timezone(timedelta(hours=-7)))) == ns // 1000 * 1000
    assert iso(10**30) == str(10**30)


def test_times(sample):
    key = lambda record: record["time"]
    middle = sorted(sample.records, key=key)[len(sample.records) // 2]["time"]
    whole, fraction = middle.rstrip("Z").split(".")
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc)
    ns = int(seconds.timestamp()) * 10**9 + int(fraction.ljust(9, "0"))
    before = sum(record["time"] < middle for record in sample.records)
    after = len(sample.records) - before
    assert before > 0 and after > 0
    for given in (middle, ns):
        assert steno.open(sample.path, since=given).table().count() == after
        assert steno.open(sample.path, until=given).table().count() == before
        assert steno.open(sample.path, since=given, until=given).table().count() == 0
    east = timezone(timedelta(hours=1))
    second = seconds.replace(microsecond=0)
    assert steno.open(sample.path, since=second.astimezone(east)).table().count() == \
        steno.open(sample.path, since=int(second.timestamp()) * 10**9).table().count()


def test_where_and_columns_are_those_of_all_tables(sample):
    log = steno.open(sample.path, where="level >= WARN", columns=["level", "message"])
    wanted = [{"level": r["level"], "message": r["message"]} for r in sample.records
              if r["level"] in steno.LEVELS[4:]]
    assert list(log) == wanted
    assert log.table().select("line").columns == ["line"]


def test_verify(sample, tmp_path):
    data = Path(sample.path).read_bytes()
    found = steno.open(sample.path).verify()
    assert found.records == len(sample.records)
    damaged = tmp_path / "damaged.steno"
    damaged.write_bytes(data[:len(data) // 2] + bytes(b ^ 0x55 for b in data[len(data) // 2:][:64])
                        + data[len(data) // 2 + 64:])
    worse = steno.open(damaged).verify()
    assert not worse and len(worse.losses) > len(found.losses)
    assert any(loss.size > 0 for loss in worse.losses) and "incomplete" in str(worse)


def test_secrets_stay_secret(tmp_path, steno_command):
    subprocess.run([steno_command.parent / "quickstart"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert steno.open(tmp_path / "app.steno", show_secrets=True).table().count() == 3


def test_pickled_logs_and_tables_open_the_files_again(sample):
    log = steno.open(sample.path, where="level >= WARN")
    again = pickle.loads(pickle.dumps(log))
    assert again.table().count() == log.table().count() > 0
    table = log.table("filled {qty}").select("qty").where("qty > 10")
    assert pickle.loads(pickle.dumps(table)).head(20) == table.head(20)


def test_threads_read_at_the_same_time(sample):
    table = steno.open(sample.path).table().select("severity", "message")
    counts = []
    threads = [threading.Thread(target=lambda: counts.append(sum(1 for _ in table))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [len(sample.records)] * 4
