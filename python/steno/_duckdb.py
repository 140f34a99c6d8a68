"""Tables for DuckDB: only the columns and, where that is exact, only the rows that a query asks for.

DuckDB asks its own sources of rows in this way; the protocol is not public. Where it is another, or none, DuckDB reads
all columns through Arrow's interface instead.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._conditions import Shown, Untranslatable, comparison, null_test
from ._errors import Error
from ._facts import LEVELS

if TYPE_CHECKING:
    from ._table import Table

_BATCH_ROWS = 1 << 14  # what DuckDB turns into its own vectors is still in the core's cache then
_COMPARISONS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def source(table: Table) -> Any:
    """The object to hand to DuckDB for a table. It takes strings as dictionaries, which differ from batch to
    batch, and makes VARCHAR of them as of others, in less time."""
    table = table._with_form(**{"min_rows": _BATCH_ROWS, **table._form, "dictionary_strings": True})
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
            chosen = wanted._select_shown([names[i] for i in columns])
            # An argument whose name another column has gets that name where it is alone, which DuckDB refuses.
            if chosen.columns != [names[i] for i in columns]:
                return wanted.__arrow_c_stream__(), False
            return chosen.__arrow_c_stream__(), True

        def _condition(self, predicate: Any) -> str:
            return condition(predicate, self.obj._shown)

    return TableSource(table)


def declare_level(connection: Any) -> None:
    """The type `level`, whose values have the order of the levels."""
    connection.execute(f"create or replace temp type level as enum {LEVELS + ('?',)}")


def add_view(connection: Any, name: str, table: Table) -> None:
    """A view of a table, in place of any of that name. `level`, if it has one, is of the type `level`."""
    relation = f"steno {name}"
    connection.register(relation, source(table))
    level = " replace (cast(level as level) as level)" if "level" in table.columns and "level" not in table._shown.arguments else ""
    connection.execute(f"create or replace temp view {identifier(name)} as select *{level} from {identifier(relation)}")


def identifier(name: str) -> str:
    """A name in a query of SQL."""
    return '"' + name.replace('"', '""') + '"'


def condition(node: Any, shown: Shown) -> str:
    """The condition that holds for the same rows as DuckDB's predicate; raises Untranslatable where there is none."""
    kind = type(node).__name__
    if kind == "Binary" and node.op in ("AND", "OR"):
        left, right = (condition(side, shown) for side in (node.left, node.right))
        return f"({left} {node.op.lower()} {right})"
    if kind == "Binary" and node.op in _COMPARISONS:
        return comparison(_name(node.left), _COMPARISONS[node.op], node.right.value, shown)
    if kind == "In":
        name = _name(node.operand)
        either = " or ".join(comparison(name, "==", value.value, shown) for value in node.values)
        return f"({either})"
    if kind == "Postfix":
        return null_test(_name(node.operand), "NOT" not in node.op, shown)
    raise Untranslatable(kind)


def _name(node: Any) -> str:
    if type(node).__name__ != "Col" or len(node.parts) != 1:
        raise Untranslatable("a field of a structure")
    return node.parts[0]
