"""Tables for DuckDB: only the columns and, where that is exact, only the rows that a query asks for.

DuckDB asks its own sources of rows in this way; the protocol is not public. Where it is another, or none, DuckDB reads
all columns through Arrow's interface instead.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._facts import LEVELS

if TYPE_CHECKING:
    from ._table import Table

_INTEGERS = set("cCsSiIlL")
_COMPARISONS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_TEXTS = {"logger", "function", "format"}  # that conditions compare as they are shown
_COMMON = {"time", "time_ns", "severity", "level", "thread", "tid", "logger", "file", "function", "format", "line",
           "stable_id", "ticks", "session", "ring", "sequence", "pid", "program", "host", "message"}


class Untranslatable(Exception):
    """A predicate that conditions of steno would not answer as DuckDB does."""


def source(table: Table) -> Any:
    """What to hand to DuckDB for a table."""
    try:
        from duckdb._sources import ArrowScanSource
    except ImportError:
        return table
    if not {"accepts", "stream"} <= set(dir(ArrowScanSource)):
        return table

    class TableSource(ArrowScanSource):
        """A table of a log."""

        def __arrow_c_schema__(self) -> object:
            return self.obj.__arrow_c_schema__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.obj.__arrow_c_stream__(requested_schema)

        def accepts(self, predicate: Any) -> bool:
            try:
                self.obj.where(self._condition(predicate))
            except (Untranslatable, Error):
                return False
            return True

        def stream(self, columns: Any, filters: Any) -> tuple[object, bool]:
            wanted: Table = self.obj
            names = wanted.columns
            for predicate in filters:
                wanted = wanted.where(self._condition(predicate))
            if not columns:  # the number of rows alone
                return wanted.__arrow_c_stream__(), False
            return wanted._select([names[i] for i in columns]).__arrow_c_stream__(), True

        def _condition(self, predicate: Any) -> str:
            return condition(predicate, self.obj.schema, lambda: bool(self.obj._log.losses))

    return TableSource(table)


def condition(node: Any, schema: dict[str, str], has_losses: Callable[[], bool]) -> str:
    """The condition that holds for the same rows as DuckDB's predicate; raises Untranslatable where there is none.
    `has_losses` reads the whole log, so it is asked only where the answer depends on it."""
    kind = type(node).__name__
    if kind == "Binary" and node.op in ("AND", "OR"):
        left, right = (condition(side, schema, has_losses) for side in (node.left, node.right))
        return f"({left} {node.op.lower()} {right})"
    if kind == "Binary" and node.op in _COMPARISONS:
        return _comparison(_name(node.left), _COMPARISONS[node.op], node.right.value, schema, has_losses)
    if kind == "In":
        name = _name(node.operand)
        either = " or ".join(_comparison(name, "==", value.value, schema, has_losses) for value in node.values)
        return f"({either})"
    if kind == "Postfix" and _name(node.operand) not in _COMMON:
        return f"{{{_name(node.operand)}}} is {'not ' if 'NOT' in node.op else ''}null"
    raise Untranslatable(kind)


def _name(node: Any) -> str:
    if type(node).__name__ != "Col" or len(node.parts) != 1:
        raise Untranslatable("a field of a structure")
    return node.parts[0]


def _comparison(name: str, operator: str, value: Any, schema: dict[str, str], has_losses: Callable[[], bool]) -> str:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if name == "severity" and is_integer and 0 <= value < len(LEVELS):
        # A statement whose declaration is lost has the severity 255, and for conditions no level.
        if operator in ("!=", ">", ">=") and has_losses():
            raise Untranslatable("levels that are lost")
        return f"level {operator} {LEVELS[value]}"
    if name == "level" and operator == "==" and value in LEVELS:
        return f"level == {value}"
    if name in _TEXTS and isinstance(value, str) and operator == "==" and "\ufffd" not in value:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'{name} == "{escaped}"'
    if name in ("time_ns", "line", "tid") and is_integer:
        return f"{'time' if name == 'time_ns' else name} {operator} {value}"
    if name in _COMMON:
        raise Untranslatable(name)
    format = schema.get(name, "")
    if format in _INTEGERS and is_integer:
        return f"{{{name}}} {operator} {value}"
    if format == "b" and isinstance(value, bool) and operator in ("==", "!="):
        return f"{{{name}}} {operator} {str(value).lower()}"
    raise Untranslatable(name)
