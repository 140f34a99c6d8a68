"""How a table shows itself, in a terminal and in a notebook."""
from __future__ import annotations

import html as markup
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ._errors import Error

if TYPE_CHECKING:
    from ._table import Table

_ROWS = 10
_WIDTH = 40  # of a column, in characters

_TYPES = {"b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32", "l": "int64",
          "L": "uint64", "f": "float32", "g": "float64", "u": "text", "z": "bytes", "w:16": "bytes16"}


def _type(format: str) -> str:
    if format.startswith("ts"):
        return "time"
    return "duration" if format.startswith("tD") else _TYPES.get(format, format)


def _cell(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ", "microseconds").replace("+00:00", "Z")
    text = "null" if value is None else value if isinstance(value, str) else str(value)
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= _WIDTH else text[:_WIDTH - 1] + "…"


def _parts(table: Table) -> tuple[list[str], list[str], list[list[str]], bool]:
    schema = table.schema
    rows = table.head(_ROWS + 1)
    cells = [[_cell(row[name]) for name in schema] for row in rows[:_ROWS]]
    return list(schema), [_type(format) for format in schema.values()], cells, len(rows) > _ROWS


def text(table: Table) -> str:
    title = f"<steno.Table {table.name}>"
    try:
        names, types, cells, more = _parts(table)
    except (Error, OSError, MemoryError) as error:  # a repr must not raise
        return f"{title[:-1]}: {error}>"
    shown = [[_cell(name) for name in names], types, *cells]
    widths = [max(len(row[i]) for row in shown) for i in range(len(names))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in shown]
    return "\n".join([title, *lines, *(["…"] if more else [])])


def html(table: Table) -> str:
    try:
        names, types, cells, more = _parts(table)
    except (Error, OSError, MemoryError) as error:
        return f"<p>{markup.escape(table.name)}: {markup.escape(str(error))}</p>"

    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{markup.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(one, "td") for one in cells)
    more_row = f'<tr><td colspan="{len(names)}">…</td></tr>' if more else ""
    return (f"<table><caption>{markup.escape(table.name)}</caption><thead>{row(names, 'th')}{row(types, 'th')}</thead>"
            f"<tbody>{body}{more_row}</tbody></table>")
