"""Log.follow(): what is logged while it is read."""
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import steno


@pytest.fixture
def write(tmp_path, monkeypatch, steno_command):
    """Logs so many more records, by a process of its own."""
    monkeypatch.setenv("PATH", f"{steno_command.parent}:{os.environ['PATH']}")
    path = tmp_path / "app.steno"

    def more(count):
        subprocess.run([os.environ["STENO_MANY_RESPONSES"], str(count), path], check=True)
        return path
    return more


def test_what_is_logged_meanwhile(write):
    path = write(3)
    log = steno.open(path, since=0)
    records = log.follow()
    first = [next(records) for _ in range(3)]
    wanted = log.table("response").select("time_ns", "severity", "level", "thread", "file", "line", "format", "message").head(3)
    wanted.sort(key=lambda row: row["time_ns"])
    for name in wanted[0]:
        assert [record[name] for record in first] == [row[name] for row in wanted]
    assert [record["time"] for record in first] == [row["time"] for row in log.table().select("time")]
    assert list(first[0]["args"]) == ["id", "tenant", "status", "bytes", "us"]
    write(2)  # through a restart
    assert [next(records)["args"]["id"] for _ in range(2)] == [0, 1]
    records.close()


def test_conditions_are_those_of_the_log(write):
    path = write(5)
    since = steno.open(path).sessions[0].start
    for begin in (since, since.isoformat()):
        records = steno.open(path, since=begin, where="id >= 2").follow()
        assert [next(records)["args"]["id"] for _ in range(3)] == [2, 3, 4]
        write(4)
        assert [next(records)["args"]["id"] for _ in range(2)] == [2, 3]
        records.close()


def children():
    return subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], stdout=subprocess.PIPE, text=True).stdout


@pytest.mark.parametrize("advance", [False, True])
def test_it_ends_with_its_iterator(write, advance):
    records = steno.open(write(1), since=0).follow()
    if advance:
        next(records)
    assert "steno tail" in children()
    del records
    gc.collect()
    assert "steno tail" not in children() and "steno" not in children()  # nor is it a zombie


@pytest.mark.parametrize("advance", [False, True])
def test_it_ends_when_it_is_closed(write, advance):
    records = steno.open(write(1), since=0).follow()
    if advance:
        next(records)
    records.close()
    records.close()
    assert "steno" not in children()
    assert list(records) == []


def test_it_ends_when_another_thread_closes_it(write):
    records = steno.open(write(1), since=0).follow()
    found = []
    reader = threading.Thread(target=lambda: found.extend(records), daemon=True)
    reader.start()
    while not found:
        time.sleep(0.01)
    records.close()
    reader.join(timeout=60)
    assert not reader.is_alive() and len(found) == 1 and "steno" not in children()


AT_EXIT = """
import sys
import steno
records = steno.open(sys.argv[1], since=0).follow()
print(records._process.pid)
"""


def test_it_ends_with_python(write):
    run = subprocess.run([sys.executable, "-c", AT_EXIT, write(1)], stdout=subprocess.PIPE, check=True)
    assert not os.path.exists(f"/proc/{int(run.stdout)}")


FOLLOW = """
import signal, sys
import steno
records = steno.open(sys.argv[1], since=0).follow()
next(records)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    next(records)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_it(write):
    run = subprocess.run([sys.executable, "-c", FOLLOW, write(1)], stdout=subprocess.PIPE, check=True)
    assert run.stdout == b"interrupted\n"


def test_mistakes(write, monkeypatch, tmp_path):
    path = write(1)
    log = steno.open(path)
    log._conditions.append("id >")
    with pytest.raises(steno.InvalidError, match="--where"):
        next(log.follow())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(steno.FailedError, match="steno command"):
        steno.open(path).follow()
