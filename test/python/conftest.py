"""Logs to read, and what `steno cat` says is in them."""
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROGRAMS = Path(os.environ["STENO_PROGRAMS"])


@dataclass
class Sample:
    """A log and its records as JSON."""
    path: str
    steno: Path
    cache: dict = field(default_factory=dict)

    def cat(self, *options):
        """Records as `steno cat --format json` prints them, in the order of the file."""
        if options not in self.cache:
            run = subprocess.run([self.steno, "cat", "--no-sort", "--format", "json", "--big-integers", "number", *options, self.path], check=True,
                                 stdout=subprocess.PIPE)
            self.cache[options] = [json.loads(line) for line in run.stdout.splitlines()]
        return self.cache[options]

    @property
    def records(self):
        return self.cat()


@pytest.fixture(scope="session")
def steno_command():
    return PROGRAMS / "steno"


@pytest.fixture(scope="session")
def sample(tmp_path_factory, steno_command):
    """Random records of several sessions and threads, in many blocks."""
    path = tmp_path_factory.mktemp("logs") / "sample.steno"
    subprocess.run([os.environ["STENO_BATCH_SAMPLE"], path], check=True)
    return Sample(str(path), steno_command)


def _example(name, folder, steno):
    subprocess.run([PROGRAMS / name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return Sample(str(folder / "app.steno"), steno)


@pytest.fixture(scope="session")
def rich_types(tmp_path_factory, steno_command):
    """examples/rich_types.cc: a durations, times, enumerations, lists."""
    return _example("rich_types", tmp_path_factory.mktemp("rich"), steno_command)


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory, steno_command):
    """examples/quickstart.cc"""
    return _example("quickstart", tmp_path_factory.mktemp("quick"), steno_command)


@pytest.fixture(scope="session")
def all_types(tmp_path_factory, steno_command):
    """An argument of each type, three rows of each statement."""
    path = tmp_path_factory.mktemp("types") / "types.steno"
    subprocess.run([os.environ["STENO_ALL_TYPES"], path], check=True)
    return Sample(str(path), steno_command)


@pytest.fixture(scope="session")
def odd(tmp_path_factory):
    """4000 responses, and statements whose arguments have the names of columns."""
    path = tmp_path_factory.mktemp("odd") / "odd.steno"
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "4000", path, "odd"], check=True)
    return Sample(str(path), PROGRAMS / "steno")


@pytest.fixture(scope="session")
def many_blocks(tmp_path_factory):
    """400,000 responses in many blocks, with an index."""
    folder = tmp_path_factory.mktemp("many")
    path = folder / "many.steno"
    subprocess.run([os.environ["STENO_MANY_RESPONSES"], "400000", path, "blocks"], check=True)
    return Sample(str(path), PROGRAMS / "steno")


def count_by_reading(table):
    """The number of rows: an index tells it, unless a condition takes a look at the blocks."""
    return table.where("sequence < 1000000000").count()
