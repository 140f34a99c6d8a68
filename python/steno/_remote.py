"""Logs in object stores and on other machines, by fsspec."""
from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ._errors import FailedError, InvalidError, NotFoundError, PermissionDeniedError, ReadError

_PAUSES = (0.1, 0.4, 1.6)  # seconds before a request is made again
_AT_ONCE = 8  # requests, to filesystems that take one at a time
_FILES_AT_ONCE = 32  # that are asked for their size
# Facts that tell an object from another one in its place.
_VERSIONS = ("ETag", "etag", "generation", "version_id", "md5Hash", "content_md5")
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "created")
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, NotImplementedError, TypeError,
          ValueError)

_NUMBER = re.compile(r"-?[0-9]{1,18}")
# Before the "@" of these is no user, but what the path is in: a container, a bucket, a repository.
_PLACES = ("abfs", "abfss", "az", "wasb", "wasbs", "oci", "github")
_USER = re.compile("".join(rf"(?<!\b{scheme})" for scheme in _PLACES) + r"(://)([^/\s]*@)")


def is_url(path: Any) -> bool:
    return isinstance(path, str) and "://" in path


def add_option(parser: Any) -> None:
    """The option of commands for what open() calls storage_options; storage_options() reads it."""
    parser.add_argument("--storage-option", action="append", default=[], metavar="KEY=VALUE",
                        help="for the filesystem of a URL: keys, the address of a server. A VALUE that is an object or a list of JSON, "
                             "true or false is that; a number is one where the filesystem wants one; else a text. May be repeated")


def storage_options(texts: Sequence[str]) -> dict[str, Any] | None:
    """What --storage-option was given, for open(); None: nothing."""
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise InvalidError(f"--storage-option takes KEY=VALUE, not {text!r}")
        try:
            found[key] = json.loads(value) if value[:1] in ("{", "[") or value in ("true", "false") else value
        except ValueError as error:
            raise InvalidError(f"--storage-option {key}: the value is no JSON: {error}") from None
    return found or None


def find(paths: Iterable[Any], filesystem: Any, options: dict[str, Any] | None) -> tuple[list[str], list[Source]]:
    """The objects that paths and patterns name."""
    places: list[tuple[Any, str, str]] = []
    for path in map(str, paths):
        of, within = (filesystem, path) if filesystem is not None else _filesystem_of(path, options or {})
        name_of = _namer(path, within if filesystem is None else "")
        try:
            found = sorted(of.glob(within)) if any(c in within for c in "*?[") else [within]
        except OSError as error:
            raise _error(path, error) from error
        if not found:
            raise NotFoundError(f"{_public(path)}: no such log")
        local = "local" in getattr(of, "protocol", ())  # where a path without its first "/" is another
        places.extend((of, one, name_of(one, local)) for one in found)
    with ThreadPoolExecutor(min(len(places), _FILES_AT_ONCE) or 1, "steno") as pool:
        sources = list(pool.map(lambda place: Source(*place), places))
    return [name for _, _, name in places], sources


def _namer(path: str, within: str) -> Callable[[str, bool], str]:
    """What names what a filesystem has found for a path: the URL by which fsspec finds it again. Paths within a filesystem
    may lack the host that the URL has, or have it in another way; they end alike. `within` is that of the path itself,
    "" where the caller has chosen the filesystem."""
    links = path.split("::")  # the first of a chain that is a URL has the path
    number = next((i for i, link in enumerate(links) if "://" in link), None)
    if number is None:
        return lambda one, local: one
    link = links[number] if within.endswith("/") else links[number].rstrip("/")
    alike = len(os.path.commonprefix([link[::-1], within[::-1]]))
    outside, inside = link[:len(link) - alike], within[:len(within) - alike]

    def name(one: str, local: bool) -> str:
        if alike and not local and one.startswith(inside):
            own = outside + one[len(inside):]
        else:
            own = one if "://" in one else link.split("://", 1)[0] + "://" + (one if local else one.lstrip("/"))
        return "::".join([*links[:number], own, *links[number + 1:]])

    return name


def _filesystem_of(url: str, options: dict[str, Any]) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise FailedError("fsspec is not installed: pip install 'steno-log[remote]'") from error
    try:
        return url_to_fs(url, **options)
    except OSError as error:
        raise _error(url, error) from error
    except (TypeError, ValueError) as error:
        numbers = {key: int(value) for key, value in options.items() if isinstance(value, str) and _NUMBER.fullmatch(value)}
        if numbers:  # of a command, whose options are texts
            return _filesystem_of(url, {**options, **numbers})
        raise FailedError(_describe(url, error)) from error
    except ImportError as error:  # names the package
        raise FailedError(_describe(url, error)) from error


def _public(url: str) -> str:
    """A URL without the user and the password that are in it."""
    return _USER.sub(r"\1", url)


def _describe(name: str, error: BaseException) -> str:
    text = str(error) or type(error).__name__
    user = _USER.search(name)
    for secret in (name, user[2] if user else "", (user[2].rstrip("@").partition(":")[2] if user else "")):
        text = text.replace(secret, _public(name) if secret == name else "") if secret else text
    return f"{_public(name)}: {_public(text)}"


def _error(name: str, error: BaseException) -> Exception:
    kind = {FileNotFoundError: NotFoundError, PermissionError: PermissionDeniedError}.get(type(error), ReadError)
    return kind(_describe(name, error))


class Source:
    """One object. Reads parts of it at the same time, again where the network fails, and never of another version."""

    def __init__(self, filesystem: Any, path: str, name: str) -> None:
        self.name = _public(name)  # in messages; the log is opened again by its whole name
        self._filesystem = filesystem
        self._path = path
        self._pool: ThreadPoolExecutor | None = None
        # simplecache and its like copy a file when it is read first, and let a second reader see what is there so far.
        self._copying = threading.Lock() if hasattr(filesystem, "_check_file") else None
        self._is_copied = False
        self._facts: dict[str, Any] = {}
        for pause in (*_PAUSES, None):
            try:
                self._facts = self._info()
                break
            except Exception as error:
                if pause is None or isinstance(error, _FINAL):
                    raise _error(name, error) from error
                time.sleep(pause)
        if self._facts.get("size") is None:
            raise ReadError(f"{self.name}: its size is not known")
        self.size = int(self._facts["size"])

    @property
    def facts(self) -> dict[str, Any]:
        """Its size, and what tells it from another object in its place."""
        return {key: self._facts[key] for key in ("size", *_VERSIONS, *_TIMES) if self._facts.get(key) is not None}

    def take_as_found(self, facts: dict[str, Any]) -> None:
        """Reads what it had when it was found with these facts. Raises ReadError if it has changed since, but for a file
        that has become longer."""
        now, self._facts, self.size = self._facts, facts, int(facts["size"])
        if not self._is_same(now):
            raise ReadError(f"{self.name}: has changed since the query was planned")

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of ranges, each an offset and a size."""
        found: list[Any] = [None] * len(ranges)
        missing = list(range(len(ranges)))
        check = self._workers().submit(self._info)  # at the same time, so that it costs no time
        for pause in (*_PAUSES, None):
            for i, got in zip(missing, self._fetch([ranges[i] for i in missing])):
                found[i] = got
            wrong = [i for i in missing if not isinstance(found[i], bytes) or len(found[i]) != ranges[i][1]]
            failure = check.exception()
            if failure is None:
                if not self._is_same(check.result()):
                    raise ReadError("it has been changed since it was opened: open it again")
            if not wrong and failure is None:
                return found
            why = failure if failure is not None else self._why(found[wrong[0]], ranges[wrong[0]])
            if isinstance(why, FileNotFoundError):
                raise ReadError("it has been removed since it was opened") from why
            if pause is None or isinstance(why, _FINAL) or not isinstance(why, Exception):
                raise why
            time.sleep(pause)
            missing = wrong
            check = self._workers().submit(self._info)
        raise AssertionError

    @staticmethod
    def _why(got: Any, wanted: tuple[int, int]) -> BaseException:
        if isinstance(got, BaseException):
            return got
        return ReadError(f"{len(got)} bytes came of the {wanted[1]} at {wanted[0]}")

    def _fetch(self, ranges: list[tuple[int, int]]) -> list[Any]:
        """Bytes or an exception for each."""
        if not ranges:
            return []
        if getattr(self._filesystem, "async_impl", False):
            try:
                return self._filesystem.cat_ranges([self._path] * len(ranges), [begin for begin, _ in ranges],
                                                   [begin + size for begin, size in ranges], on_error="return")
            except Exception as error:
                return [error] * len(ranges)
        found: list[Any] = []
        if self._copying is not None:
            with self._copying:
                if not self._is_copied:
                    found.append(self._fetch_one(ranges[0]))
                    self._is_copied = not isinstance(found[0], BaseException)
        return found + list(self._workers().map(self._fetch_one, ranges[len(found):]))

    def _fetch_one(self, wanted: tuple[int, int]) -> Any:
        try:
            return self._filesystem.cat_file(self._path, start=wanted[0], end=wanted[0] + wanted[1])
        except Exception as error:
            return error

    def _info(self) -> dict[str, Any]:
        self._filesystem.invalidate_cache(self._path)
        return self._filesystem.info(self._path)

    def _is_same(self, now: dict[str, Any]) -> bool:
        then = self._facts
        known = [key for key in _VERSIONS if then.get(key) is not None]
        if known:
            return all(now.get(key) == then[key] for key in known)
        # It is a file: one that has only become longer is still the same log.
        times = [key for key in _TIMES if then.get(key) is not None]
        return now["size"] > self.size or (now["size"] == self.size and all(now.get(key) == then[key] for key in times))

    def _workers(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_AT_ONCE + 1, "steno")
        return self._pool
