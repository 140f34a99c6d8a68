"""The files of a query of Spark: found once, and read up to the size that they had then, wherever they are by then."""
from __future__ import annotations

import os
import stat
import weakref
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import _remote
from ._errors import Error, InvalidError, NotFoundError, ReadError
from ._log import Log
from ._remote import is_url

_BYTES = 4096
_NAME_BYTES = 64  # in which the id of a file's first session is: another file has others
_ATTEMPTS = 10


@dataclass(frozen=True)
class File:
    """A file as it was found."""
    path: str
    size: int
    mark: tuple[int, int, int] | None = None  # of a file of this machine: sums of its first 64 and 4096 bytes, and of its last
    facts: dict[str, Any] = field(default_factory=dict)  # of an object: what tells it from another in its place
    is_finished: bool = False  # its programs have ended, so that nothing is added to it but by another one


class Beginning:
    """The first bytes of a file of this machine, for the reader (steno._remote.Source)."""

    def __init__(self, path: str, most: int) -> None:
        self.name = path
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)
        self.size = min(most, os.fstat(self._file).st_size)

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        found = [os.pread(self._file, size, offset) for offset, size in ranges]
        if any(len(one) != size for one, (_, size) in zip(found, ranges)):
            raise ReadError("it has become shorter")
        return found


def find(paths: Sequence[str], storage: dict[str, Any] | None) -> list[File]:
    """Files of this machine are looked at again, so that none is missed or taken twice where they are renamed meanwhile."""
    if any(map(is_url, paths)):
        log = Log(paths, storage_options=storage)
        return [File(path, facts["size"], None, facts) for path, facts in zip(log.paths, log._facts)]
    found = [_look(path) for path in paths]
    for _ in range(_ATTEMPTS):
        if all(file.mark is None or _mark(file.path, file.size) == file.mark for file in found):
            break
        found = [_look(path) for path in paths]
    return found


def open(files: Sequence[File], storage: dict[str, Any] | None, **selection: Any) -> Log:
    """Opens what some files had when they were found."""
    if any(is_url(file.path) for file in files):
        return _open_objects(files, storage, selection)
    for attempt in range(_ATTEMPTS):
        try:
            paths = [_path(file) for file in files]
            are_finished = _are_finished(files, paths)
            as_they_are = are_finished or any(file.mark is None for file in files)  # opening says why there is none
            sources = None if as_they_are else [Beginning(path, file.size) for path, file in zip(paths, files)]
            log = Log(paths, _sources=sources, **selection)
            if paths == [_path(file) for file in files] and are_finished == _are_finished(files, paths):
                break
        except InvalidError:  # the question is wrong
            raise
        except (Error, OSError):  # a file may have been renamed meanwhile
            if attempt == _ATTEMPTS - 1:
                raise
    log._found_as = dict(zip(paths, (file.path for file in files)))  # type: ignore[attr-defined]
    return log


def _open_objects(files: Sequence[File], storage: dict[str, Any] | None, selection: dict[str, Any]) -> Log:
    paths, sources = _remote.find([file.path for file in files], None, storage)
    counts: Counter[str] = Counter()
    for file, source in zip(files, sources):
        source.take_as_found(file.facts)
        counts[source.name] += 1
        if counts[source.name] > 1:  # without their users, names of different files may be the same
            source.name += f" ({counts[source.name]})"
    log = Log(paths, storage_options=storage, _sources=sources, **selection)
    log._found_as = dict(zip((source.name for source in sources), (file.path for file in files)))  # type: ignore[attr-defined]
    return log


def finished(files: Sequence[File]) -> list[File]:
    """The files, with those marked that no program writes to any more."""
    if any(is_url(file.path) for file in files):
        return list(files)
    return [replace(file, is_finished=_is_finished(file)) for file in files]


def _is_finished(file: File) -> bool:
    sessions = open([file], None).sessions
    return bool(sessions) and all(session.ended for session in sessions)


def _are_finished(files: Sequence[File], paths: Sequence[str]) -> bool:
    return all(file.is_finished and os.path.getsize(path) == file.size for file, path in zip(files, paths))


def found_as(log: Log, path: str) -> str:
    """What a file of an open log was called when it was found."""
    return getattr(log, "_found_as", {}).get(path, path)


def _look(path: str) -> File:
    try:
        facts = os.stat(path)
    except OSError:  # opening it says why
        return File(path, 0)
    return File(path, facts.st_size, _mark(path, facts.st_size)) if stat.S_ISREG(facts.st_mode) else File(path, 0)


def _mark(path: str, size: int) -> tuple[int, int, int] | None:
    """Returns what a file has at its beginning and before the end that it had, which stays (spec/file.md §1); None: it is shorter."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if os.fstat(file).st_size < size:
            return None
        begin = max(0, size - _BYTES)
        first, last = os.pread(file, min(size, _BYTES), 0), os.pread(file, size - begin, begin)
        return zlib.crc32(first[:_NAME_BYTES]), zlib.crc32(first), zlib.crc32(last)
    finally:
        os.close(file)


def _path(file: File) -> str:
    """Where it is now. Raises where it has gone, or another file has its name."""
    if file.mark is None or _mark(file.path, file.size) == file.mark:
        return file.path
    folder = os.path.dirname(os.path.abspath(file.path))
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and _mark(path, file.size) == file.mark:
            return path
    if not os.path.exists(file.path):
        raise NotFoundError(f"{file.path}: no such file; it was there when the query was planned")
    if _is_cut_short(file):
        return file.path
    raise ReadError(f"{file.path}: is another file than the one that the query was planned for")


def _is_cut_short(file: File) -> bool:
    """Whether it is what is left of the file, which is known by its first bytes."""
    left = os.path.getsize(file.path)
    mark = _mark(file.path, left)
    if file.mark is None or mark is None or not _NAME_BYTES <= left < file.size:
        return False
    return mark[0] == file.mark[0] and (left < _BYTES or mark[1] == file.mark[1])
