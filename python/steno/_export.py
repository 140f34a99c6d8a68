"""Tables as files of others: Parquet, Arrow, CSV, JSON lines; sorted by time, in bounded memory."""
from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from ._conditions import time_constant
from ._errors import InvalidError
from ._facts import iso, utc
from ._files import new_file, written_directory, written_file

if TYPE_CHECKING:
    from ._log import Log
    from ._table import Table

FORMS = ("parquet", "arrow", "csv", "json")
PARTS = ("statement", "day", "hour")
"""The directories that to_parquet() can make within each other."""

GROUP_ROWS = 1 << 20  # that are sorted and written at once, about
_GROUP_BYTES = 256 << 20  # of their columns
_MEASURED_ROWS, _MEASURED_BATCHES = 1 << 16, 64  # by which the size of a row is known
_SAMPLE = 64  # the time of each 64th row decides where to cut
_JSON_ROWS = 1 << 12  # that are texts at the same time
STEPS = {"day": 86400 * 10**9, "hour": 3600 * 10**9}
_FIRST, _LAST = -(2**63), 2**63 - 1


def groups(table: Table, rows: int = GROUP_ROWS, step: int = 0) -> Iterator[tuple[int, Any]]:
    """The rows of a table in the order of time, as pyarrow Tables of about so many rows, each with the time in
    nanoseconds at which its step begins: none spans two steps of `step` nanoseconds. Rows of one time keep the order of
    the files. Reads the times of the table first, and blocks at a boundary twice.

    A group has fewer rows where about 256 MiB have fewer, by the size of the first ones; while it is sorted it is held
    twice. Rows of the same time are in one group, however many there are. Also held are a number for each
    step, and the time of every 64th row, of more where groups are small."""
    import pyarrow
    rows = group_rows(table, rows)
    bounds = _bounds(table, rows, step)
    names = table.columns
    own = _places_of("time_ns", table)
    extended, at = (table, own[0]) if own else (table._select([*table._named(names), "time_ns"]), len(names))
    for begin, end in zip(bounds, bounds[1:]):
        sides = [f"time {comparison} {time_constant(bound)}" for comparison, bound in ((">=", begin), ("<", end))
                 if bound not in (_FIRST, _LAST)]
        part = extended.where(" and ".join(sides)) if sides else extended
        found = pyarrow.RecordBatchReader.from_stream(part).read_all()
        if found.num_rows == 0:
            continue
        times = found.column(at).combine_chunks()
        if isinstance(times, pyarrow.ChunkedArray):
            times = pyarrow.concat_arrays(times.chunks)
        order = pyarrow.compute.array_sort_indices(times)
        is_sorted = pyarrow.compute.all(pyarrow.compute.less_equal(times[:-1], times[1:])).as_py() in (True, None)
        if not is_sorted:
            found = found.take(order)
            times = times.take(order)
        first = times[0].as_py()
        # An argument time_ns has another name beside that of the record.
        shown = found.select(range(len(names))).rename_columns(names).replace_schema_metadata(found.schema.metadata)
        yield (first // step * step if step else first), shown


def _places_of(record: str, table: Table) -> list[int]:
    """The numbers of columns that show this of the records: not those of arguments that have its name."""
    arguments, readers = table._shown.arguments, table._readers
    return [i for i, name in enumerate(table.columns) if name not in arguments and readers.get(name, name) == record]


def group_rows(table: Table, most: int) -> int:
    """How many rows, `most` at most, have about as many bytes as a group may have, by the mean of the first batches."""
    import pyarrow
    rows, size = 0, 0
    for batch in islice(pyarrow.RecordBatchReader.from_stream(table._with_form(min_rows=1)), _MEASURED_BATCHES):
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _MEASURED_ROWS or size >= _GROUP_BYTES:
            break
    return max(min(most, rows * _GROUP_BYTES // size), 1) if size else most


def _bounds(table: Table, rows: int, step: int) -> list[int]:
    """Times between which there are about so many rows."""
    import pyarrow
    import pyarrow.compute as compute
    stride = max(min(_SAMPLE, rows // _SAMPLE), 1)
    samples = [pyarrow.array([], pyarrow.int64())]
    steps: set[int] = set()
    for batch in pyarrow.RecordBatchReader.from_stream(table._select(["time_ns"])):
        times = batch.column(0)
        samples.append(times[::stride])
        if step and len(times):
            steps.update(compute.unique(floor_divide(times, step)).to_pylist())
    every = max(rows // stride, 1)
    inner = set(pyarrow.concat_arrays(samples).sort()[every::every].to_pylist())
    inner.update(edge * step for one in steps for edge in (one, one + 1))
    return [_FIRST, *sorted(time for time in inner if _FIRST < time < _LAST), _LAST]


def floor_divide(times: Any, step: int) -> Any:
    """The steps of times, also of those before 1970: Arrow's division rounds towards 1970."""
    import pyarrow.compute as compute
    towards = compute.divide(times, step)
    is_later = compute.greater(compute.multiply(towards, step), times)
    return compute.subtract(towards, is_later.cast("int64"))


def check_parts(by: tuple[str, ...]) -> None:
    """Raises InvalidError for what a log cannot be partitioned by."""
    unknown = [one for one in by if one not in PARTS]
    if unknown or len(set(by)) != len(by) or {"day", "hour"} <= set(by):
        raise InvalidError(f"a log is partitioned by 'statement' and by 'day' or 'hour', not by {', '.join(map(repr, by))}")


def check_empty(root: str) -> None:
    if os.path.exists(root) and (not os.path.isdir(root) or os.listdir(root)):
        raise InvalidError(f"{root}: exists already, and is no empty directory")


def dataset(log: Log, directory: str | os.PathLike, by: tuple[str, ...], compression: str) -> int:
    """Log.to_parquet()."""
    check_parts(by)
    root = os.fspath(directory)
    check_empty(root)
    tables = [log.table(one) for one in log.statements] if "statement" in by else [log.table()]
    step = next((STEPS[one] for one in by if one in STEPS), 0)
    with written_directory(root) as part:
        return sum(_write_parts(table.profile("parquet"), part, by, step, compression) for table in tables)


def _write_parts(table: Table, root: str, by: tuple[str, ...], step: int, compression: str) -> int:
    """Writes a table to a file in each of its folders; returns the number of rows."""
    rows = 0
    current, writer = None, None
    with ExitStack() as files:
        for begin, group in groups(table, step=step):
            folder = os.path.join(root, *(f"{one}={table.name if one == 'statement' else label(one, begin)}" for one in by))
            if writer is None or folder != current:
                files.pop_all().close()
                os.makedirs(folder, exist_ok=True)
                file = files.enter_context(new_file(os.path.join(folder, "part-0.parquet")))
                writer = files.enter_context(ParquetFile(file, group.schema, compression, _places_of("time", table)))
                current = folder
            writer.write(group)
            rows += group.num_rows
    return rows


def label(part: str, ns: int) -> str:
    return utc(ns).strftime("%Y-%m-%d" if part == "day" else "%Y-%m-%dT%H")


def write(table: Table, form: str, to: str | None) -> int:
    """Writes a table in one of FORMS to a file, or to standard output; returns the number of rows."""
    rows = 0
    writer = None
    with written_file(to) as file:
        shaped = table.profile("parquet") if form == "parquet" else table
        times = _places_of("time", shaped)
        make = {"parquet": partial(ParquetFile, sorted_by=times), "arrow": _Arrow, "csv": _Csv, "json": _Json}[form]
        try:
            for _, group in groups(shaped):
                if writer is None:
                    writer = make(file, group.schema)
                writer.write(group)
                rows += group.num_rows
            if writer is None:  # a file without rows still has columns
                import pyarrow
                writer = make(file, pyarrow.RecordBatchReader.from_stream(shaped).schema)
            writer.close()
        except BaseException:
            if isinstance(writer, ParquetFile):
                writer.abandon()
            raise
    return rows


class ParquetFile:
    """Each table that is written is a row group, whose rows are in the order of the columns `sorted_by`."""

    def __init__(self, file: Any, schema: Any, compression: str = "zstd", sorted_by: Iterable[int] = ()) -> None:
        from pyarrow import parquet
        columns = [parquet.SortingColumn(i) for i in sorted_by]
        self._writer = parquet.ParquetWriter(file, schema, compression=compression, sorting_columns=columns or None)

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def write(self, group: Any) -> None:
        """Takes a table or a batch of it."""
        self._writer.write(group, row_group_size=max(group.num_rows, 1))

    def close(self) -> None:
        try:
            self._writer.close()
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Writes no more. pyarrow's writer otherwise ends its file when it is no longer used, which has been closed by then."""
        self._writer.is_open = False


def _plain(schema: Any) -> Any:
    """Without dictionaries, which are another in each group."""
    import pyarrow
    return pyarrow.schema([field.with_type(field.type.value_type) if pyarrow.types.is_dictionary(field.type) else field
                           for field in schema])


class _Arrow:
    """Arrow's file format."""

    def __init__(self, file: BinaryIO, schema: Any) -> None:
        from pyarrow import ipc
        self._schema = _plain(schema)
        self._writer = ipc.new_file(file, self._schema, options=ipc.IpcWriteOptions(compression="zstd"))

    def write(self, group: Any) -> None:
        self._writer.write_table(group.cast(self._schema))

    def close(self) -> None:
        self._writer.close()


class _Csv:
    """Times as text with nine digits, durations as numbers of their unit."""

    def __init__(self, file: BinaryIO, schema: Any) -> None:
        import pyarrow
        from pyarrow import csv
        self._schema = pyarrow.schema([
            field.with_type(pyarrow.int64()) if pyarrow.types.is_duration(field.type) else field
            for field in _plain(schema)])
        self._writer = csv.CSVWriter(file, self._schema)

    def write(self, group: Any) -> None:
        self._writer.write_table(group.cast(self._schema))

    def close(self) -> None:
        self._writer.close()


class _Json:
    """Lines as those of steno cat --format json, of columns."""

    def __init__(self, file: BinaryIO, schema: Any) -> None:
        self._file = file

    def write(self, group: Any) -> None:
        names = [json.dumps(name, ensure_ascii=False) for name in group.column_names]
        for begin in range(0, group.num_rows, _JSON_ROWS):
            columns = [_json_values(column) for column in group.slice(begin, _JSON_ROWS).columns]
            for row in zip(*columns):
                line = ", ".join(f"{name}: {value}" for name, value in zip(names, row))
                self._file.write(f"{{{line}}}\n".encode())

    def close(self) -> None:
        pass


def _json_values(column: Any) -> list[str]:
    import pyarrow
    types = pyarrow.types
    if types.is_timestamp(column.type):
        unit = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[column.type.unit]
        return ["null" if value is None else f'"{iso(value * unit)}"' for value in column.cast(pyarrow.int64()).to_pylist()]
    if types.is_duration(column.type):
        column = column.cast(pyarrow.int64())
    return [_json_value(value) for value in column.to_pylist()]


def _json_value(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'"{value}"'
    if isinstance(value, bytes):
        value = value.hex()
    return json.dumps(value, ensure_ascii=False)
