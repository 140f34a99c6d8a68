"""Hostile files: an exception or fewer rows, never a crash."""
import random
import subprocess
import sys
from pathlib import Path

import steno

READ = """
import random, sys
import polars, pyarrow
import steno

data, path = open(sys.argv[1], "rb").read(), sys.argv[2]
random.seed(int(sys.argv[3]))
refused = read = 0
for case in range(15):
    bytes_ = bytearray(data)
    for _ in range(random.choice((1, 3, 30))):
        begin = random.randrange(len(bytes_))
        bytes_[begin:begin + random.randrange(1, 40)] = random.randbytes(random.randrange(1, 40))
    if random.random() < 0.3:
        del bytes_[random.randrange(len(bytes_)):]
    with open(path, "wb") as file:
        file.write(bytes_)
    try:
        log = steno.open(path)
        repr(log), log.sites, log.threads, str(log.verify())
        table = log.table()
        repr(table)
        rows = table.count()
        assert rows == sum(1 for _ in table) == table.to_arrow().num_rows == table.to_polars().height
        for statement in log.statements:
            repr(log.table(statement)), log.table(statement).to_polars()
        read += 1
    except steno.Error as error:
        assert str(error)
        refused += 1
print(read, refused)
"""


def test_mutated_files_never_crash(sample, tmp_path):
    small = Path(sample.path).read_bytes()[:120_000]
    original = tmp_path / "original.steno"
    original.write_bytes(small)
    run = subprocess.run([sys.executable, "-c", READ, original, tmp_path / "mutated.steno", "7"],
                         stdout=subprocess.PIPE, check=True, text=True)
    read, refused = map(int, run.stdout.split())
    assert read > 3 and read + refused == 15


def test_a_file_that_is_cut_short_while_it_is_read(sample, tmp_path):
    path = tmp_path / "cut.steno"
    path.write_bytes(Path(sample.path).read_bytes())
    log = steno.open(path)
    path.write_bytes(b"")
    table = log.table()
    assert table.count() <= len(sample.records)
    assert isinstance(log.verify().losses, tuple)
