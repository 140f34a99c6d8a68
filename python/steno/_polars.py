"""Tables for Polars: frames that read only the columns and the blocks that a query needs.

Polars filters what it gets again, so a condition may keep more rows than the predicate, never fewer.
"""
from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._conditions import Shown, Untranslatable, comparison, null_test, time_constant
from ._errors import Error

if TYPE_CHECKING:
    from ._table import Table

_COMPARISONS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_UNITS = {"Nanoseconds": 1, "Microseconds": 10**3, "Milliseconds": 10**6}


def scan(table: Table) -> Any:
    """A polars.LazyFrame of a table."""
    import polars
    from polars.io.plugins import register_io_source
    schema = polars.Schema(table)

    def batches(columns: list[str] | None, predicate: Any, rows: int | None, _size: int | None) -> Iterator[Any]:
        names = list(schema) if columns is None else columns or [next(iter(schema))]
        wanted = table._select_shown(names)
        # A limit is one of rows before the predicate: head(10).filter(...).
        if predicate is not None and rows is None:
            wanted = _where(wanted, predicate, table._shown)
        for batch in wanted._arrays():
            frame = polars.DataFrame(batch)
            frame.columns = names  # an argument whose name another column has has it back where it is alone
            if rows is not None:
                frame = frame.head(rows)
                rows -= frame.height
            yield frame if predicate is None else frame.filter(predicate)
            if rows == 0:
                return

    return register_io_source(batches, schema=schema, is_pure=True, explain_name=f"steno {table.name}")


def _where(table: Table, predicate: Any, shown: Shown) -> Table:
    text = condition(predicate, shown)
    if text is None:
        return table
    try:
        return table.where(text)
    except Error:
        return table


def condition(predicate: Any, shown: Shown) -> str | None:
    """A condition that holds for all rows for which the predicate does; None: there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = json.loads(predicate.meta.serialize(format="json"))
        return _Translation(shown).of(tree)
    except Exception:  # the form of the text is not public: of another version it may be anything
        return None


class _Translation:
    """Makes conditions from the tree that Polars writes for an expression."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def of(self, node: Any) -> str:
        [(kind, what)] = node.items()
        if kind == "Column":
            return self._compare(what, "==", True)
        if kind == "BinaryExpr":
            return self._binary(what)
        if kind == "Function":
            return self._function(what)
        raise Untranslatable(kind)

    def _binary(self, node: Any) -> str:
        operator, left, right = node["op"], node["left"], node["right"]
        if operator in ("And", "LogicalAnd"):
            sides = []
            for side in (left, right):  # one of them alone keeps more
                try:
                    sides.append(self.of(side))
                except (Untranslatable, LookupError, TypeError, ValueError):
                    pass
            if not sides:
                raise Untranslatable(operator)
            return f"({' and '.join(sides)})"
        if operator in ("Or", "LogicalOr"):
            return f"({self.of(left)} or {self.of(right)})"
        if operator not in _COMPARISONS:
            raise Untranslatable(operator)
        symbol = _COMPARISONS[operator]
        if "Literal" in left:
            left, right, symbol = right, left, _MIRRORED[symbol]
        return self._compare(_column(left), symbol, _value(right))

    def _function(self, node: Any) -> str:
        function, inputs = node["function"]["Boolean"], node["input"]
        if function in ("IsNull", "IsNotNull"):
            return null_test(_column(inputs[0]), function == "IsNull", self._shown)
        if function == "Not" and "Column" in inputs[0]:
            return self._compare(_column(inputs[0]), "==", False)
        name = _column(inputs[0])
        if "IsBetween" in function:
            closed = function["IsBetween"]["closed"]
            low = ">=" if closed in ("Both", "Left") else ">"
            high = "<=" if closed in ("Both", "Right") else "<"
            return (f"({self._compare(name, low, _value(inputs[1]))} and "
                    f"{self._compare(name, high, _value(inputs[2]))})")
        if "IsIn" in function and not function["IsIn"]["nulls_equal"]:
            values = [value for value in _list(inputs[1]) if value is not None]
            if values:
                return f"({' or '.join(self._compare(name, '==', value) for value in values)})"
        raise Untranslatable(str(function))

    def _compare(self, name: str, operator: str, value: Any) -> str:
        if isinstance(value, _Time):
            if name != "time" or name in self._shown.arguments:
                raise Untranslatable(name)
            return f"time {operator} {time_constant(value.ns)}"
        return comparison(name, operator, value, self._shown)


class _Time:
    def __init__(self, ns: int) -> None:
        self.ns = ns


def _column(node: Any) -> str:
    if "Column" not in node:
        raise Untranslatable("no column")
    return node["Column"]


def _value(node: Any) -> Any:
    [(kind, value)] = node["Literal"]["Scalar"].items()
    if kind == "Datetime":
        return _Time(value[0] * _UNITS[value[1]])
    if kind.startswith(("Int", "UInt")) or kind in ("String", "Boolean"):
        return value
    raise Untranslatable(kind)


def _list(node: Any) -> list[Any]:
    import polars
    literal = polars.Expr.deserialize(io.StringIO(json.dumps(node)), format="json")
    return polars.select(literal).to_series().to_list()[0]
