"""Tables of Delta Lake and Iceberg, by deltalake and pyiceberg: sorted by time, in bounded memory."""
from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _export
from ._errors import FailedError, InvalidError
from ._files import written_directory
from ._remote import is_url
from ._table import _engine

if TYPE_CHECKING:
    from ._log import Log
    from ._table import Table

FORMS = ("delta", "iceberg")
CATALOG, NAMESPACE = "catalog.db", "steno"
"""The file of an Iceberg warehouse that lists its tables, for pyiceberg's catalog of the type sql; and what they are in."""

_WIDER = {"uint8": "int16", "uint16": "int32", "uint32": "int64"}


def write(log: Log, form: str, directory: str | os.PathLike, by: tuple[str, ...], what: str | None = None,
          columns: tuple[str, ...] = ()) -> int:
    """Writes a log as a table in a directory, or one for each statement in a folder of the directory; returns the number of
    rows. `by` as of Log.to_delta(); `what` and `columns`: one statement alone, and those of its columns."""
    _export.check_parts(by)
    root = os.fspath(directory)
    if is_url(root):
        raise InvalidError(f"{root}: lakes are written to local directories")
    _export.check_empty(root)
    if "statement" in by and what is None:
        tables = [(statement.name, log.table(statement)) for statement in log.statements]
    else:
        tables = [("log" if what is None else log.table(what).name, log.table(what))]
    if columns:
        tables = [(name, table.select(*columns)) for name, table in tables]
    part = next((one for one in by if one in _export.STEPS), None)
    if form == "delta":
        with written_directory(root) as place:
            return sum(_delta(_shaped(table), os.path.join(place, name) if "statement" in by else place, part)
                       for name, table in tables)
    if set(os.path.abspath(root)) & set("%?#"):  # which URLs, that the tables and the catalog name their files by, take for others
        raise InvalidError(f"{root}: no %, ? or # can be in the path of an Iceberg table")
    with _created(root) as place:
        catalog = _catalog(place)
        return sum(_iceberg(_shaped(table), catalog, place, name, part) for name, table in tables)


def _shaped(table: Table) -> Table:
    """With time and time_ns, which keeps the nanoseconds that lakes do not have."""
    rest = [name for name in table._named(table.columns) if name not in ("time", "time_ns")]
    return table.profile("parquet")._select(("time", "time_ns", *rest))


def _groups(table: Table, part: str | None) -> Iterator[tuple[int, Any]]:
    for begin, group in _export.groups(table, step=_export.STEPS.get(part, 0)):
        yield begin, _columns_of_lakes(group)


def _schema(table: Table) -> Any:
    import pyarrow
    return _columns_of_lakes(pyarrow.RecordBatchReader.from_stream(table).schema.empty_table()).schema


def _columns_of_lakes(group: Any) -> Any:
    """Lakes have signed integers and times in microseconds only. uint64 becomes int64 with the same bits, and a time is rounded
    down."""
    import pyarrow
    names, columns = [], []
    for name, column in zip(group.column_names, group.columns):
        kind = column.type
        if str(kind) in _WIDER:
            column = column.cast(_WIDER[str(kind)])
        elif kind == pyarrow.uint64():
            column = pyarrow.chunked_array([chunk.view(pyarrow.int64()) for chunk in column.chunks], pyarrow.int64())
        elif pyarrow.types.is_timestamp(kind) and kind.unit == "ns":
            micros = _export.floor_divide(column.cast(pyarrow.int64()), 1000)
            column = micros.cast(pyarrow.timestamp("us", kind.tz))
        elif pyarrow.types.is_timestamp(kind):
            column = column.cast(pyarrow.timestamp("us", kind.tz))
        elif pyarrow.types.is_fixed_size_binary(kind):
            column = column.cast(pyarrow.binary())
        names.append(name)
        columns.append(column)
    return pyarrow.Table.from_arrays(columns, names=names)


def _delta(table: Table, path: str, part: str | None) -> int:
    """An append for each group: deltalake writes the batches of a stream in any order."""
    import pyarrow
    deltalake = _engine("deltalake", "delta")
    schema = _schema(table)
    if part is not None:
        schema = schema.append(pyarrow.field(part, pyarrow.string()))
    made = deltalake.DeltaTable.create(path, schema, name=table.name, partition_by=[part] if part is not None else None)
    writer = deltalake.WriterProperties(compression="ZSTD", max_row_group_size=_export.GROUP_ROWS)
    rows = 0
    for begin, group in _groups(table, part):
        rows += group.num_rows
        if part is not None:
            group = group.append_column(part, pyarrow.repeat(_export.label(part, begin), group.num_rows))
        deltalake.write_deltalake(made, group.combine_chunks(), mode="append", writer_properties=writer)
    return rows


def _catalog(root: str) -> Any:
    _engine("pyiceberg", "iceberg")
    from pyiceberg.catalog import load_catalog
    from pyiceberg.exceptions import NotInstalledError
    try:
        catalog = load_catalog("steno", type="sql", uri=f"sqlite:///{root}/{CATALOG}", warehouse=f"file://{root}")
    except NotInstalledError as error:
        raise FailedError(f"{error}: pip install 'steno-log[iceberg]'") from error
    catalog.create_namespace(NAMESPACE)
    return catalog


def _iceberg(table: Table, catalog: Any, root: str, name: str, part: str | None) -> int:
    from pyiceberg.transforms import DayTransform, HourTransform
    made = catalog.create_table((NAMESPACE, name), _schema(table), location=f"file://{root}/{name}",
                                properties={"write.parquet.row-group-limit": str(_export.GROUP_ROWS)})
    rows = 0
    with made.transaction() as transaction:
        if part is not None:
            with transaction.update_spec() as spec:
                spec.add_field("time", {"hour": HourTransform, "day": DayTransform}[part](), part)
        for _, group in _groups(table, part):
            transaction.append(group)
            rows += group.num_rows
    return rows


@contextmanager
def _created(root: str) -> Iterator[str]:
    """An absolute path of a directory, for tables that name their files by such: it and what is in it are removed if that
    fails."""
    root = os.path.abspath(root)
    is_there = os.path.isdir(root)
    os.makedirs(root, 0o700, exist_ok=True)
    try:
        yield root
    except BaseException:
        if not is_there:
            shutil.rmtree(root, ignore_errors=True)
        else:
            for name in os.listdir(root):
                path = os.path.join(root, name)
                remove: Callable[[str], None] = shutil.rmtree if os.path.isdir(path) else os.unlink
                remove(path)
        raise

