"""An open log."""
from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from . import _duckdb, _export, _follow, _lakes, _reader, _remote
from ._conditions import text_constant
from ._errors import InvalidError
from ._facts import Loss, Session, Site, Statement, Thread, Verification, level_name, session_of, statements_of, to_ns
from ._table import Table, _engine, _uninterrupted

Path = str | bytes | os.PathLike
Time = int | str | datetime

_reader.set_main_thread(threading.main_thread().ident)
os.register_at_fork(after_in_child=lambda: _reader.set_main_thread(threading.main_thread().ident))


def open(paths: Path | Iterable[Path], *, since: Time | None = None, until: Time | None = None,
         where: str | None = None, columns: Sequence[str] | None = None, show_secrets: bool = False,
         filesystem: Any = None, storage_options: dict[str, Any] | None = None) -> Log:
    """Opens one or more files as one log; "-" is standard input. URLs ("s3://bucket/day/*.steno") are those of fsspec.

    since, until  which records: at or after, and before. A datetime with a zone, nanoseconds since the epoch, or a text
                  as `steno cat --since` takes it ("2026-11-20 14:03", "10m ago", "last 30s")
    where         a condition on each record, as `steno cat --where` takes it: 'level >= WARN and qty > 100'
    columns       of tables that choose none with select()
    show_secrets  values that were logged as secrets, which are "[redacted]" otherwise
    filesystem    one of fsspec's, on which the paths are
    storage_options  for the filesystem of a URL: keys, the address of a server

    Raises NotFoundError, PermissionDeniedError, CorruptError, UnsupportedError, ReadError, InvalidError. Files are read
    as they are now: what is logged later needs another open().
    """
    one = isinstance(paths, (str, bytes, os.PathLike))
    return Log([paths] if one else list(paths), since=since, until=until, where=where, columns=columns,
               show_secrets=show_secrets, filesystem=filesystem, storage_options=storage_options)


def _time(value: Time, comparison: str) -> tuple[str, Any]:
    """For the reader: a condition, of a text; else nanoseconds."""
    if isinstance(value, str):
        return "where", f"time {comparison} {text_constant(value)}"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidError(f"{value!r} has no time zone: pass datetime(..., tzinfo=timezone.utc)")
        return "ns", to_ns(value)
    return "ns", int(value)


class Log:
    """One or more files, as one log. Can be used in any thread, and pickled: then the files are opened again there."""

    def __init__(self, paths: Sequence[Path], *, since: Time | None = None, until: Time | None = None,
                 where: str | None = None, columns: Sequence[str] | None = None, show_secrets: bool = False,
                 filesystem: Any = None, storage_options: dict[str, Any] | None = None,
                 _sources: Sequence[Any] | None = None) -> None:
        self._arguments = {"since": since, "until": until, "where": where,
                           "columns": None if columns is None else list(columns), "show_secrets": show_secrets,
                           "filesystem": filesystem, "storage_options": storage_options}
        sources: list[Any] = list(_sources or ())
        self.paths: list[str] = []
        if sources:
            self.paths = [os.fsdecode(path) for path in paths]
        elif filesystem is not None or any(map(_remote.is_url, paths)):
            if filesystem is None and not all(map(_remote.is_url, paths)):
                raise InvalidError("files and URLs cannot be opened as one log; write file:// for the files")
            self.paths, sources = _remote.find(paths, filesystem, storage_options)
            self._facts = [source.facts for source in sources]
        else:
            self.paths = [os.fsdecode(path) for path in paths]
        self._options: dict[str, Any] = {}
        self._conditions: list[str] = []
        for key, value, comparison in (("since_ns", since, ">="), ("until_ns", until, "<")):
            if value is None:
                continue
            kind, of = _time(value, comparison)
            if kind == "ns":
                self._options[key] = of
            else:
                self._conditions.append(of)
        if where is not None:
            self._conditions.append(where)
        self._is_remote = bool(sources)
        if sources:
            are_local = not any(isinstance(source, _remote.Source) for source in sources)
            self._reader = _reader.Reader.of_sources(sources, show_secrets, are_local)
        else:
            self._reader = _reader.Reader([os.fsencode(path) for path in paths], show_secrets)
        if since is not None or until is not None or where is not None:
            self.table().schema  # whether the condition can be understood, now

    def __reduce__(self) -> tuple:
        return _open_again, (self.paths, self._arguments)

    def __repr__(self) -> str:
        return f"<steno.Log {', '.join(map(_remote._public, self.paths))}: {self.records:,} records, {len(self.statements)} statements>"

    @cached_property
    def sessions(self) -> list[Session]:
        """The runs of programs, in the order of the files."""
        return [session_of(facts) for facts in self._reader.sessions()]

    @cached_property
    def statements(self) -> list[Statement]:
        """The statements, each a table, with their short names. Logged or not: all that the dictionaries have."""
        return statements_of([Site(format, file, line, function, level_name(level), types, stable_id)
                              for format, file, line, function, level, types, stable_id in self._reader.sites()])

    @property
    def sites(self) -> list[Site]:
        """The places that log; each once, however many sessions there are."""
        return [site for statement in self.statements for site in statement.sites]

    @cached_property
    def threads(self) -> list[Thread]:
        """The threads of all sessions."""
        return [Thread(*facts) for facts in self._reader.threads()]

    @property
    def records(self) -> int:
        """In the files, whatever since, until and where say."""
        return sum(session.records for session in self.sessions)

    @property
    def losses(self) -> list[Loss]:
        """All that is missing or damaged. The first look reads all blocks; verify() decodes everything as well."""
        return [Loss(*facts) for facts in self._reader.losses()]

    def verify(self) -> Verification:
        """Reads everything, to prove that it can be read. True if nothing is missing: `if not log.verify(): ...`"""
        self._reader.check()
        return Verification(tuple(self.losses), self.records)

    def table(self, what: str | Statement | Site | None = None) -> Table:
        """A table that is read when it is asked for rows.

        what  None: the whole log, a row for each record with its message. Else one statement, a row for each record with
              its arguments as columns: its text or a part that no other has, its short name (Log.statements), its place
              ("server.cc:42"), its stable id in 16 digits, a Statement or a Site. Fields of contexts are columns too,
              null where a record was logged outside of them.
        """
        if what is None:
            return Table(self, "log", {})
        if isinstance(what, Statement):
            return Table(self, what.name, what.spec)
        if isinstance(what, Site):
            return Table(self, what.place, {"stable_id": what.stable_id})
        for statement in self.statements:
            if what in (statement.format, statement.name):
                return Table(self, statement.name, statement.spec)
        if sites := self._at(what):
            if len({site.stable_id for site in sites}) > 1:
                texts = ", ".join(repr(site.format) for site in sites)
                raise InvalidError(f"several statements are at {what}: {texts}; choose one by its text")
            return Table(self, what, {"stable_id": sites[0].stable_id})
        if re.fullmatch("[0-9a-fA-F]{16}", what) and any(site.stable_id == int(what, 16) for site in self.sites):
            return Table(self, what, {"stable_id": int(what, 16)})
        return Table(self, what, {"statement": what})

    def _at(self, place: str) -> list[Site]:
        match = re.fullmatch(r"(.+):(\d+)", place, re.DOTALL)
        if match is None:
            return []
        file, line = match[1], int(match[2])
        return [site for site in self.sites
                if site.line == line and (site.file == file or site.file.endswith("/" + file))]

    def _with_time_ns(self) -> Table:
        """table() with time_ns as its second column."""
        table = self.table()
        return table.select("time", "time_ns", *(name for name in table.columns if name not in ("time", "time_ns")))

    def to_duckdb(self, connection: Any = None) -> Any:
        """A connection of DuckDB in which `log` is the whole log, with time_ns, and each statement a view by its short
        name (Log.statements). `level` has the type `level`, whose values have the order of the levels. The files are read
        anew in each query. `connection`: where the views are to be; None: a new one. A statement that cannot be one table
        is no view: a warning says why."""
        duckdb = _engine("duckdb", "duckdb")
        connection = duckdb.connect() if connection is None else connection
        _duckdb.declare_level(connection)
        _duckdb.add_view(connection, "log", self._with_time_ns())
        for statement in self.statements:
            try:
                table = self.table(statement)
            except InvalidError as error:
                warnings.warn(f"no view {statement.name}: {error}", stacklevel=2)
                continue
            _duckdb.add_view(connection, statement.name, table)
        return connection

    def to_parquet(self, directory: str | os.PathLike, *, by: Sequence[str] = ("statement", "hour"),
                   compression: str = "zstd") -> int:
        """Writes a directory of Parquet files with pyarrow, and returns the number of rows. Rows are sorted by time, and a
        row group has about a million, or fewer that have about 256 MiB (by the size of the first rows). One is held in
        memory, twice while it is sorted.

        by  the directories within each other: "statement" (by short name, with its arguments as columns; without it
            files have the columns of table()), "day" and "hour" of UTC: statement=filled/hour=2026-11-29T14/part-0.parquet

        Raises InvalidError if the directory has something in it. What is written is there when all of it is complete, and
        nothing if that fails: it can be repeated. Files have the mode 0600 minus the umask, and a new directory 0700."""
        _engine("pyarrow", "arrow")
        return _uninterrupted(lambda: _export.dataset(self, directory, tuple(by), compression))

    def to_delta(self, directory: str | os.PathLike, *, by: Sequence[str] = ("statement", "hour")) -> int:
        """Writes tables of Delta Lake with deltalake, and returns the number of rows. Types are those that lakes have: signed
        integers, `uint64` as `int64` with the same bits, times in microseconds, rounded down, and `time_ns`, which is exact. Rows
        are sorted by time, in row groups of about a million.

        by  "statement": a table for each, in a folder of its short name, with its arguments as columns; without it the
            directory is one table, of all records. "day" or "hour" of UTC: a column by which the table is partitioned

        The directory must be empty or missing. What is written is there when all of it is complete, and nothing if that
        fails."""
        return self._to_lake("delta", directory, by)

    def to_iceberg(self, directory: str | os.PathLike, *, by: Sequence[str] = ("statement", "hour")) -> int:
        """Writes tables of Iceberg (version 2 of its format) with pyiceberg, likewise, and returns the number of rows. The
        directory has a catalog, which lists them in the namespace `steno`: pyiceberg.catalog.load_catalog("steno", type="sql",
        uri="sqlite:///DIRECTORY/catalog.db"). Partitions are those of Iceberg's transforms of `time`. The tables name their files
        by absolute paths: the directory cannot be moved."""
        return self._to_lake("iceberg", directory, by)

    def _to_lake(self, form: str, directory: str | os.PathLike, by: Sequence[str], **more: Any) -> int:
        _engine("pyarrow", "arrow")
        return _uninterrupted(lambda: _lakes.write(self, form, directory, tuple(by), **more))

    def follow(self) -> _follow.Records:
        """The records that are logged from now on, and before them those since `since`, by the steno command, which waits
        for more (steno tail -f): dicts of time, time_ns, severity, level, thread, logger, file, line, function, format,
        message and args, a dict of the arguments as JSON has them. Raises FailedError where there is no such command, and
        for logs that are not files of this machine. The command runs from this call on, and ends when the iterator is
        closed (close()), no longer used, or when Python ends."""
        return _follow.records(self)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The records, as dicts of the columns of table(); in the order of the files."""
        return iter(self.table())


def _open_again(paths: list[str], arguments: dict[str, Any]) -> Log:
    return Log(paths, **arguments)
