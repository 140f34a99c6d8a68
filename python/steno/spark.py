"""Logs as tables of Spark 4, by a data source in Python.

    import steno.spark

    steno.spark.register(spark)
    responses = spark.read.format("steno").option("statement", "response").load("/logs/*.steno")

The package, and pyarrow, must be installed where the executors run. docs/spark.md has the options and the limits.
"""
from __future__ import annotations

import glob
import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import pyarrow
from pyspark.sql import datasource
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from . import _spark_files as _files
from ._conditions import COMMON, Shown, Untranslatable, comparison, null_test, time_constant
from ._errors import CorruptError, Error, InvalidError
from ._facts import to_ns
from ._log import Log
from ._remote import is_url
from ._table import _PROFILES, Table

_OPTIONS = {"path", "paths", "statement", "columns", "since", "until", "where", "losses", "partitionbytes", "storageoptions"}
_PARTITION_BYTES = 32 << 20  # of files, which are some million records
_PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
_COMPARISONS = {datasource.EqualTo: "==", datasource.GreaterThan: ">", datasource.GreaterThanOrEqual: ">=",
                datasource.LessThan: "<", datasource.LessThanOrEqual: "<="}
_OF_ALL_FILES = re.compile(r"\b(time|host|pid|program|sequence)\b")
"""Names whose meaning depends on the files that are open: a time of day is that of their last day, and the others are
arguments if any of their statements has one of that name."""


def register(spark: Any) -> None:
    """Makes "steno" a format of a session.

    Conditions are handed down if `spark.sql.python.filterPushdown.enabled` is true at this moment: Spark refuses a data
    source that takes conditions while that is false, which is its default. After a change of it, register again."""
    is_on = str(spark.conf.get(_PUSHDOWN, "false")).lower() == "true"
    spark.dataSource.register(PushingSource if is_on else Source)


class Source(datasource.DataSource):
    """The format "steno", without conditions that are handed down."""

    @classmethod
    def name(cls) -> str:
        return "steno"

    def schema(self) -> StructType:
        request = _Request(self.options)
        fields = _arrow_schema(request.table())
        if request.columns is not None:
            fields = pyarrow.schema([field.with_name(name) for field, name in zip(fields, request.columns)])
        return from_arrow_schema(fields)

    def reader(self, schema: StructType) -> Reader:
        return Reader(_Request(self.options), schema)


class PushingSource(Source):
    """The format "steno", with conditions that are handed down."""

    def reader(self, schema: StructType) -> Reader:
        return PushingReader(_Request(self.options), schema)


@dataclass
class Part(datasource.InputPartition):
    """A share of the blocks of some files."""
    files: list[_files.File]
    first_sessions: list[int]  # of each file the number of its first session among those of all files
    part: int
    parts: int


class Reader(datasource.DataSourceReader):
    """Reads the columns of a schema."""

    def __init__(self, request: _Request, schema: StructType) -> None:
        self._request = request
        self._schema = to_arrow_schema(schema, timezone="UTC")
        self._conditions: list[str] = []
        self._table = request.table()
        self._columns = [request.names.reader(name) for name in self._schema.names]
        self._check_schema()
        self._statement = self._table.name, self._table._spec

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_table": None}  # executors open the files that they read

    def _check_schema(self) -> None:
        try:
            there = _arrow_schema(self._table._select(self._columns))
        except InvalidError as error:
            raise InvalidError(f"the schema that was asked for: {error}") from None
        for field, type in zip(self._schema, there.types):
            if type != field.type:
                raise InvalidError(f"the schema that was asked for: the column {field.name!r} is {type}, not {field.type}")

    def partitions(self) -> Sequence[datasource.InputPartition]:
        if self._request.fails_on_losses:
            _fail_on_losses(self._table._log)
        parts: list[datasource.InputPartition] = []
        log = self._table._log
        paths = [_files.found_as(log, session.path) for session in log.sessions]
        for files in self._request.groups(self._table):
            count = max(1, -(-self._bytes(files) // self._request.partition_bytes))
            first = [paths.index(file.path) if file.path in paths else 0 for file in files]
            parts += [Part(files, first, part, count) for part in range(count)]
        return parts or [Part(self._request.files[:1], [0], 0, 1)]

    def _bytes(self, files: list[_files.File]) -> int:
        """How many of them the rows of the conditions need at most, as indexes tell; of all, where that would take an opening."""
        if files != self._request.files:
            return sum(file.size for file in files)
        return self._read_of(self._table._log, {})._bytes()

    def _read_of(self, log: Log, form: dict[str, Any]) -> Table:
        name, spec = self._statement
        return Table(log, name, spec, tuple(self._columns), tuple(self._conditions), form)

    def read(self, partition: Any) -> Iterator[pyarrow.RecordBatch]:
        log = self._request.open(partition.files)
        form = {"profile": _PROFILES.index("spark"), "part": partition.part, "parts": partition.parts}
        table = self._read_of(log, form)
        for batch in pyarrow.RecordBatchReader.from_stream(table):
            columns = batch.columns
            if "session" in self._columns:
                at = self._columns.index("session")
                columns[at] = _numbers(log, partition).take(columns[at])
            yield pyarrow.RecordBatch.from_arrays(columns, schema=self._schema)
        if self._request.fails_on_losses:
            _fail_on_losses(log)


class PushingReader(Reader):
    """Reads no blocks in which the conditions of a query exclude all rows."""

    def pushFilters(self, filters: list[datasource.Filter]) -> Iterable[datasource.Filter]:
        names = self._request.names
        formats = self._table._select(self._columns).schema.values()
        shown = Shown(dict(zip(self._schema.names, formats)), names.arguments, lambda: bool(self._table._log.losses), names.records)
        for one in filters:
            try:
                condition = _condition(one, shown)
                self._table.where(condition)
            except (Untranslatable, Error):
                yield one
            else:
                self._conditions.append(condition)


class _Request:
    """What the options of a query ask for."""

    def __init__(self, options: Any) -> None:
        given = {name.lower(): text for name, text in options.items()}
        unknown = sorted(set(given) - _OPTIONS)
        if unknown:
            raise InvalidError(f"the data source steno has no option {unknown[0]!r}; it has {', '.join(sorted(_OPTIONS - {'paths'}))}")
        texts = json.loads(given["paths"]) if "paths" in given else []
        if "path" in given:
            texts.append(given["path"])
        if not texts:
            raise InvalidError("no file to read: load(path)")
        self.statement = given.get("statement")
        self.where = given.get("where")
        self.since, self.until = (_time(name, given.get(name)) for name in ("since", "until"))
        self.storage = _storage(given.get("storageoptions"))
        losses = given.get("losses", "allow")
        if losses not in ("allow", "fail"):
            raise InvalidError(f"losses is 'allow' or 'fail', not {losses!r}")
        self.fails_on_losses = losses == "fail"
        self.partition_bytes = _positive("partitionBytes", given.get("partitionbytes", str(_PARTITION_BYTES)))
        self.files = _files.finished(_files.find([path for text in texts for path in _expand(text)], self.storage))
        self._whole = self.open(self.files)
        table = self._whole.table(self.statement)
        # A part of a text is looked for in all files together, and a short name is another where files are read alone.
        spec = _whole_statement(table) if "statement" in table._spec else table._spec
        self._table = Table(self._whole, table.name, spec)
        self.names = _Names(self._table)
        columns = given["columns"].split(",") if given.get("columns") else None
        self.columns = None if columns is None else [self.names.named(name.strip()) for name in columns]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_whole": None, "_table": None}

    def open(self, files: list[_files.File]) -> Log:
        return _files.open(files, self.storage, since=self.since, until=self.until, where=self.where)

    def table(self) -> Table:
        """Of all files."""
        return self._table if self.columns is None else self._table._select(map(self.names.reader, self.columns))

    def groups(self, whole: Table) -> list[list[_files.File]]:
        """Files to be opened together. Those that have a session in common are: a record that two of them have is one
        record. All are where one alone would be read otherwise."""
        everything = [self.files]
        if len(self.files) == 1 or (self.where is not None and _OF_ALL_FILES.search(self.where)):
            return everything
        groups: list[list[_files.File]] = []
        seen: dict[int, int] = {}
        for file in self.files:
            try:
                log = self.open([file])
                if not _has(log, whole._spec):
                    continue
                if Table(log, whole.name, whole._spec, whole._columns).schema != whole.schema:
                    return everything
            except InvalidError:  # no argument that a condition or a column names
                return everything
            ids = {session.session_id for session in log.sessions}
            known = {seen[one] for one in ids if one in seen}
            if len(known) > 1:
                return everything
            if known:
                [number] = known
            elif groups and sum(one.size for one in groups[-1]) + file.size <= self.partition_bytes:
                number = len(groups) - 1
            else:
                number = len(groups)
                groups.append([])
            seen.update(dict.fromkeys(ids, number))
            groups[number].append(file)
        return groups


class _Names:
    """Says what the names of columns mean. First come those that the table shows, as the reader names them: of a statement
    time, thread, logger and its arguments; then the other columns of records. A name that is taken gets a number."""

    def __init__(self, table: Table) -> None:
        self.arguments = dict(table._shown.arguments)
        self.records = {name: name for name in table.schema if name not in self.arguments}
        taken = {name.lower() for name in table.schema}
        for name in sorted(COMMON - set(self.records)):
            numbered = (f"{name}_{number}" for number in itertools.count(2))
            free = next(one for one in itertools.chain([name], numbered) if one not in taken)
            taken.add(free)
            self.records[free] = name

    def reader(self, name: str) -> str:
        """What the reader calls a column."""
        own = self.arguments.get(name)
        return f"{{{own}}}" if own else self.records.get(name, name)

    def named(self, text: str) -> str:
        """The column that a person means who may write an argument in braces, as for the reader."""
        own = text[1:-1] if text.startswith("{") and text.endswith("}") else None
        return next((name for name, argument in self.arguments.items() if argument == own), text)


def _numbers(log: Log, part: Part) -> pyarrow.Array:
    """Of each session its number among those of all files."""
    follows = dict(zip((file.path for file in part.files), part.first_sessions))
    numbers = []
    for session in log.sessions:
        path = _files.found_as(log, session.path)
        numbers.append(follows[path])
        follows[path] += 1
    return pyarrow.array(numbers, pyarrow.int64())


def _whole_statement(table: Table) -> dict[str, Any]:
    """The format of a table's statement, for the reader."""
    format = table._statement
    if not format:
        raise InvalidError("the statement has no text; name it by its place or its stable id")
    if "\ufffd" in format:
        raise InvalidError(f"the statement {format!r} has bytes that are no UTF-8; name it by its place or its stable id")
    return {"statement": format}


def _has(log: Log, spec: dict[str, Any]) -> bool:
    """Whether a log has the statement."""
    if "stable_id" in spec:
        return any(site.stable_id == spec["stable_id"] for site in log.sites)
    return "statement" not in spec or any(site.format == spec["statement"] for site in log.sites)


def _expand(text: str) -> list[str]:
    """The files that a path names: a pattern, unless a file has that name; a directory's logs. URLs stay: fsspec expands
    them."""
    path = text.removeprefix("file://") if text.startswith("file:///") else text
    if is_url(path):
        return [path]
    if path.startswith("file:/"):  # as Hadoop writes it
        path = path.removeprefix("file:")
    if os.path.isdir(path):
        path = os.path.join(glob.escape(path), "*.steno")
    elif os.path.exists(path) or not glob.has_magic(path):
        return [path]
    found = sorted(glob.glob(path))
    if not found:
        raise InvalidError(f"{path}: no such log")
    return found


def _time(name: str, text: str | None) -> int | None:
    """Nanoseconds since the epoch. Texts that mean another time in each process, as "10m ago", are refused."""
    if text is None:
        return None
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidError(f"{name} is a time of UTC like 2026-11-29T14:00:00, or nanoseconds since 1970, not {text!r}") from None
    return to_ns(time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc))


def _storage(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidError(f"storageOptions is an object of JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidError("storageOptions is an object of JSON")
    return found


def _positive(name: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]+", text) or int(text) == 0:
        raise InvalidError(f"{name} is a number from 1 on, not {text!r}")
    return int(text)


def _arrow_schema(table: Table) -> pyarrow.Schema:
    return pyarrow.schema(table.profile("spark"))


def _fail_on_losses(log: Log) -> None:
    losses = log.losses
    if losses:
        raise CorruptError(f"{losses[0].path}: {losses[0].text}; losses=allow reads what is there")


def _condition(of: datasource.Filter, shown: Shown) -> str:
    """The condition that holds for the same rows as a filter of Spark; raises Untranslatable where there is none.
    `shown` has the types of the log, not those that Spark sees."""
    is_not = isinstance(of, datasource.Not)
    if is_not:
        of = of.child
        if not isinstance(of, (datasource.EqualTo, datasource.IsNull, datasource.IsNotNull)):
            raise Untranslatable(type(of).__name__)
    if len(of.attribute) != 1:
        raise Untranslatable("a field of a structure")
    name = of.attribute[0]
    if isinstance(of, (datasource.IsNull, datasource.IsNotNull)):
        return null_test(name, isinstance(of, datasource.IsNull) != is_not, shown)
    if isinstance(of, datasource.In):
        values = [value for value in of.value if value is not None]
        if not values:
            raise Untranslatable("nothing")
        return f"({' or '.join(_compare(name, '==', value, shown) for value in values)})"
    operator = "!=" if is_not else _COMPARISONS.get(type(of))
    if operator is None:
        raise Untranslatable(type(of).__name__)
    return _compare(name, operator, of.value, shown)


def _compare(name: str, operator: str, value: Any, shown: Shown) -> str:
    if shown.records.get(name) == "time" and isinstance(value, datetime) and value.tzinfo is not None:
        return _compare_time(operator, to_ns(value))
    if shown.formats.get(name) == "L" and (operator not in ("==", "!=") or value < 0):
        raise Untranslatable("Spark sees it as a signed number")
    return comparison(name, operator, value, shown)


def _compare_time(operator: str, ns: int) -> str:
    """Of a time that Spark sees rounded down to microseconds."""
    first, after = time_constant(ns), time_constant(ns + 1000)
    begin, end = f"time >= {first}", f"time < {after}"
    return {"==": f"({begin} and {end})", "!=": f"(time < {first} or time >= {after})", ">=": begin, "<=": end,
            "<": f"time < {first}", ">": f"time >= {after}"}[operator]
