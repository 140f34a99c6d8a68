"""Files and directories that are there under their names when they are complete, and only then."""
from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from ._errors import PermissionDeniedError

_MODE = 0o600  # of a new file, minus the umask; that of logs
_DIRECTORY_MODE = 0o700
_LINKS = 40  # that are followed one after another, as the kernel does


@contextmanager
def written_file(path: str | os.PathLike | None) -> Iterator[BinaryIO]:
    """Standard output (None), or a file that takes the place of the one at `path` when the block ends without an
    exception. It keeps the mode of that one, and its owner if root writes. Links, pipes and devices stay what they are."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = _target(os.fsdecode(path))
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    part = os.path.join(os.path.dirname(path), _part_name())
    with _errors_of(path):
        created = new_file(part)
    try:
        with created as file:
            _take_mode(file.fileno(), path)
            yield file
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


@contextmanager
def written_directory(path: str | os.PathLike) -> Iterator[str]:
    """The path of a directory to write to. What is in it is at `path`, where nothing or an empty directory must be, when
    the block ends without an exception; else it is removed."""
    path = _target(os.fsdecode(path).rstrip("/") or "/")
    is_there = os.path.isdir(path)  # it may be a mount point or the current directory, so it stays
    folder = path if is_there else os.path.dirname(path)
    part = os.path.join(folder, _part_name())
    if folder:
        os.makedirs(folder, exist_ok=True)
    with _errors_of(path):
        os.mkdir(part, _DIRECTORY_MODE)
    moved: list[str] = []
    try:
        yield part
        if not is_there:
            os.rename(part, path)
            return
        for name in os.listdir(part):
            os.rename(os.path.join(part, name), os.path.join(path, name))
            moved.append(os.path.join(path, name))
        os.rmdir(part)
    except BaseException:
        for one in [part, *moved]:
            shutil.rmtree(one, ignore_errors=True)
            with suppress(OSError):
                os.unlink(one)
        raise


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    """Makes errors name the path that was asked for, not that of a part."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def new_file(path: str) -> BinaryIO:
    """A file that nothing was in the place of."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, _MODE))


def _part_name() -> str:
    """A name that others cannot guess, and short, since that of the file may be as long as names can be."""
    return f".steno-{secrets.token_hex(8)}.part"


def _target(path: str) -> str:
    """The path to which links at the end of `path` lead. Links to directories on the way are left to the kernel, which
    has its own rules for links that others planted."""
    for _ in range(_LINKS):
        try:
            link = os.readlink(path)
        except OSError:
            return path
        if _is_planted(path):
            raise PermissionDeniedError(f"{path}: a link of another user, in a directory that everybody may write to")
        path = os.path.join(os.path.dirname(path), link)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _is_planted(path: str) -> bool:
    """Whether it belongs neither to us nor to the owner of its directory, in which everybody may write."""
    folder = os.stat(os.path.dirname(path) or ".")
    return bool(folder.st_mode & stat.S_IWOTH) and os.lstat(path).st_uid not in (os.geteuid(), folder.st_uid)


def _take_mode(descriptor: int, path: str) -> None:
    """Gives a new file the mode and, as far as it is allowed, the owner of the one whose place it takes."""
    try:
        old = os.lstat(path)
    except FileNotFoundError:
        return
    if _is_planted(path):
        return
    mode = old.st_mode & 0o777
    new = os.fstat(descriptor)
    owner = old.st_uid if os.geteuid() == 0 else new.st_uid
    if (owner, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(descriptor, owner, old.st_gid)
        except OSError:
            mode &= ~stat.S_IRWXG  # they are those of another group
    os.fchmod(descriptor, mode)
