"""Tables: what a log is for engines."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _duckdb, _export, _polars, _preview, _reader
from ._conditions import Shown
from ._errors import FailedError, InvalidError
from ._facts import utc
from ._files import written_file
from ._remote import is_url

if TYPE_CHECKING:
    from ._log import Log

_BATCH_ROWS = 1 << 17  # of a stream, at least
_FOR_POLARS = {"min_rows": 1 << 13, "view_strings": True}  # its own form of texts; joining larger blocks would cost a copy
_GROUP_ROWS = 1 << 20  # of a Parquet file
_PROFILES = ("arrow", "spark", "parquet")

_TIME_UNITS = {"s": 10**9, "m": 10**6, "u": 10**3, "n": 1}


class Table:
    """A part of a log, by columns. It holds no rows: each use reads them from the files.

    Has Arrow's PyCapsule interface, so that whatever reads Arrow takes it. Rows come in the order of the files; sort by
    `time` if that matters.
    """

    def __init__(self, log: Log, name: str, spec: dict[str, Any], columns: tuple[str, ...] | None = None,
                 conditions: tuple[str, ...] = (), form: dict[str, Any] | None = None) -> None:
        self._log = log
        self._spec = spec
        self._form = form or {}  # of the stream: profile, rows of a batch
        self._columns = columns
        self._conditions = conditions
        self.name = name
        self._schema  # whether it is there at all

    # Selections, and facts about the table.

    def select(self, *columns: str) -> Table:
        """The table with these columns only, in this order; others are not read. As well as its default columns, any
        table has time_ns (a number), severity, level, thread, tid, logger, file, line, function, format, message, program, host, pid,
        stable_id, session, ring and sequence."""
        if not columns:
            raise InvalidError("no column is named")
        return self._select(columns)

    def _select(self, columns: Iterable[str]) -> Table:
        return Table(self._log, self.name, self._spec, tuple(columns), self._conditions, self._form)

    def _select_shown(self, names: Iterable[str]) -> Table:
        """The columns that have these names in this table, which may be arguments that have the names of other columns."""
        return self._select(self._named(names))

    def _named(self, names: Iterable[str]) -> list[str]:
        """What the reader calls columns that have these names in this table."""
        return [self._readers.get(name, name) for name in names]

    def where(self, condition: str) -> Table:
        """The rows that satisfy a condition, as `steno cat --where` takes it; blocks without any are not read."""
        return Table(self._log, self.name, self._spec, self._columns, (*self._conditions, condition),
                     self._form)

    def profile(self, name: str) -> Table:
        """The table with the types that an engine has (docs/engines.md).

        arrow    as they are in the log
        spark    for Spark, Delta and Iceberg: signed integers, times in microseconds (`time_ns` is exact), no dictionaries
        parquet  for files that others than pyarrow read: durations as integers of their unit, no dictionaries
        """
        if name not in _PROFILES:
            raise InvalidError(f"no profile {name!r}; choose from {', '.join(_PROFILES)}")
        return self._with_form(profile=_PROFILES.index(name))

    def batches(self, rows: int) -> Table:
        """The table with at least so many rows in each batch of its streams but the last. The default is 131,072."""
        if not 0 < rows < 2**32:
            raise InvalidError("a batch has from 1 to 2^32 - 1 rows")
        return self._with_form(min_rows=rows)

    def _with_form(self, **form: Any) -> Table:
        return Table(self._log, self.name, self._spec, self._columns, self._conditions, {**self._form, **form})

    @property
    def schema(self) -> dict[str, str]:
        """The columns and their types, as Arrow's format strings have them (of a dictionary's values)."""
        return dict(self._schema)

    @cached_property
    def _schema(self) -> dict[str, str]:
        return self._shown.formats

    @cached_property
    def _shown(self) -> Shown:
        rows = self._log._reader.rows(self._options())
        arguments = {name: own for name, own in zip(rows.names(), rows.arguments()) if own is not None}
        return Shown(dict(zip(rows.names(), rows.formats())), arguments, lambda: bool(self._log.losses))

    @cached_property
    def _statement(self) -> str:
        """The format of the statement; empty: it is the whole log."""
        return self._log._reader.rows(self._options()).statement()

    @cached_property
    def _readers(self) -> dict[str, str]:
        """What the reader calls the columns that the table shows."""
        named = self._columns or self._log._arguments["columns"]
        return dict(zip(self._schema, named)) if named else {name: f"{{{own}}}" for name, own in self._shown.arguments.items() if own}

    @property
    def columns(self) -> list[str]:
        return list(self.schema)

    def _options(self, **more: Any) -> dict[str, Any]:
        conditions = [*self._log._conditions, *self._conditions]
        options = {**self._log._options, **self._spec, **self._form, **more}
        if conditions:
            options["where"] = " and ".join(f"({condition})" for condition in conditions)
        columns = self._columns or self._log._arguments["columns"]
        if columns:
            options["columns"] = list(columns)
        return options

    def __reduce__(self) -> tuple:
        return Table, (self._log, self.name, self._spec, self._columns, self._conditions, self._form)

    # Arrow.

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A new stream at each call."""
        return self._log._reader.stream({"min_rows": _BATCH_ROWS, **self._options()})

    def __arrow_c_schema__(self) -> object:
        return self._log._reader.schema(self._options())

    def _arrays(self) -> Iterator[_Batch]:
        """The batches of a new stream, each as an object that engines take."""
        capsules = self._log._reader.capsules({**_FOR_POLARS, **self._options()})
        while (batch := capsules.next()) is not None:
            yield _Batch(batch)

    # Engines.

    def to_arrow(self) -> Any:
        """A pyarrow.Table."""
        pyarrow = _engine("pyarrow", "arrow")
        return _uninterrupted(lambda: pyarrow.RecordBatchReader.from_stream(self).read_all())

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        polars = _engine("polars", "polars")
        return _uninterrupted(lambda: polars.DataFrame(self._with_form(**{**_FOR_POLARS, **self._form})))

    def scan_polars(self) -> Any:
        """A polars.LazyFrame, which reads the files when it is collected: only the columns of the query, and no blocks in
        which its conditions exclude all rows."""
        _engine("polars", "polars")
        return _polars.scan(self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        _engine("pandas", "pandas")
        arrow = self.to_arrow()
        return _uninterrupted(arrow.to_pandas)

    def to_duckdb(self, connection: Any = None) -> Any:
        """A relation of DuckDB, which reads the files anew in each query. Of `connection`, or the default one."""
        duckdb = _engine("duckdb", "duckdb")
        return (duckdb if connection is None else connection).from_arrow(_duckdb.source(self))

    def to_parquet(self, path: str | os.PathLike, *, compression: str = "zstd") -> int:
        """Writes a Parquet file with pyarrow, and returns the number of rows. A row group has about a million rows, or
        fewer that have about 256 MiB (by the size of the first rows), unless batches() says otherwise;
        one is held in memory. The file has its name when it is complete, and is removed if that fails. A new one has the
        mode 0600 minus the umask; one that is replaced keeps its mode."""
        pyarrow = _engine("pyarrow", "arrow")

        def write(to: Any) -> int:
            rows = 0
            table = self._with_form(**{"profile": _PROFILES.index("parquet"), **self._form})
            if "min_rows" not in self._form:
                table = table.batches(_export.group_rows(table, _GROUP_ROWS))
            reader = pyarrow.RecordBatchReader.from_stream(table)
            with _export.ParquetFile(to, reader.schema, compression) as file:
                for batch in reader:
                    file.write(batch)
                    rows += batch.num_rows
            return rows

        def write_file() -> int:
            with written_file(path) as file:
                return write(file)
        is_place = isinstance(path, (str, os.PathLike)) and not is_url(path)
        return _uninterrupted(write_file if is_place else lambda: write(path))

    # Plain Python values, without an engine.

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts. Times are datetimes of UTC and durations timedeltas, both rounded down to microseconds."""
        for names, rows in self._batches():
            for row in rows:
                yield dict(zip(names, row))

    def count(self) -> int:
        """The number of rows. Where time, level and statement decide, no block is opened, and those that turn out to be damaged count."""
        return self._log._reader.count({**self._options(min_rows=1), "columns": ["session"]})

    def _bytes(self) -> int:
        """How many bytes of the files a stream reads at most: of the blocks that may have such rows."""
        return self._log._reader.estimate(self._options())[1]

    def head(self, rows: int = 10) -> list[dict[str, Any]]:
        """The first rows, as dicts."""
        found: list[dict[str, Any]] = []
        for names, batch in self._batches(max_rows=max(rows, 1)):
            found.extend(dict(zip(names, row)) for row in batch[:rows - len(found)])
            if len(found) >= rows:
                break
        return found

    def _batches(self, **more: Any) -> Iterator[tuple[list[str], Iterable[tuple]]]:
        rows = self._log._reader.rows(self._options(min_rows=1, **more))
        names = rows.names()
        makers = [_maker(format) for format in rows.formats()]
        while (batch := rows.next()) is not None:
            if any(makers):
                batch = [tuple(value if make is None or value is None else make(value)
                               for make, value in zip(makers, row)) for row in batch]
            yield names, batch

    def __repr__(self) -> str:
        return _preview.text(self)

    def _repr_html_(self) -> str:
        return _preview.html(self)


class _Batch:
    """One batch, in Arrow's PyCapsule interface; to be taken once."""

    def __init__(self, capsules: tuple[object, object]) -> None:
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._capsules


def _maker(format: str) -> Any:
    """From the numbers of a column to what Python has for them; None: leave them as they are."""
    if format.startswith("ts"):
        unit = _TIME_UNITS[format[2]]
        return lambda number: _datetime(number * unit)
    if format.startswith("tD"):
        unit = _TIME_UNITS[format[2]]
        return lambda number: timedelta(microseconds=number * unit // 1000)
    return None


def _datetime(ns: int) -> datetime | int:
    """Years that datetime does not have stay nanoseconds."""
    try:
        return utc(ns)
    except OverflowError:
        return ns


def _engine(name: str, extra: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        raise FailedError(f"{name} is not installed: pip install 'steno-log[{extra}]'") from error


def _uninterrupted(read: Any) -> Any:
    """Returns what an engine reads. Its error is the signal's exception if a signal interrupted it."""
    _reader.take_interrupt()
    try:
        return read()
    except Exception:
        interrupt = _reader.take_interrupt()
        if interrupt is not None:
            raise interrupt from None
        raise
