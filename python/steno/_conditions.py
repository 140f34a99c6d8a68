"""Conditions of steno for comparisons that engines hand down."""
from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from ._facts import LEVELS

_INTEGERS = set("cCsSiIlL")
_TEXTS = {"logger", "function", "format"}  # that conditions compare as they are shown
COMMON = {"time", "time_ns", "severity", "level", "thread", "tid", "logger", "file", "function", "format", "line",
          "stable_id", "ticks", "session", "ring", "sequence", "pid", "program", "host", "message"}
"""Columns that any table has; others are arguments."""
_LEAST_OF_OTHER_UNITS, _LEAST_OF_NS = 10**8, 10**17  # numbers between are compared with times in other units


class Untranslatable(Exception):
    """A predicate that conditions of steno would not answer as the engine does."""


@dataclass(frozen=True)
class Shown:
    """The columns that an engine sees of a table."""
    formats: dict[str, str]  # their types, as Arrow has them
    arguments: dict[str, str]  # of those that are arguments: their own names
    has_losses: Callable[[], bool]  # reads the whole log, so it is asked only where the answer depends on it
    records: dict[str, str] = field(default_factory=dict)  # of others that have another name here: their own


def comparison(column: str, operator: str, value: Any, shown: Shown) -> str:
    """The condition that holds for the same rows as the engine's comparison of a column with a constant; raises
    Untranslatable where there is none."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if column in shown.arguments:
        return _argument(column, operator, value, shown, is_integer)
    name = shown.records.get(column, column)
    if name == "severity" and is_integer and 0 <= value < len(LEVELS):
        # A statement whose declaration is lost has the severity 255, and for conditions no level.
        if operator in ("!=", ">", ">=") and shown.has_losses():
            raise Untranslatable("levels that are lost")
        return f"level {operator} {LEVELS[value]}"
    if name == "level" and operator == "==" and value in LEVELS:
        return f"level == {value}"
    if name in _TEXTS and isinstance(value, str) and operator == "==" and not {"\ufffd", "\0"} & set(value):
        return f"{name} == {text_constant(value)}"
    if name == "time_ns" and is_integer:
        return f"time {operator} {time_constant(value)}"
    if name in ("line", "tid") and is_integer:
        return f"{name} {operator} {value}"
    raise Untranslatable(column)


def _argument(column: str, operator: str, value: Any, shown: Shown, is_integer: bool) -> str:
    format, name = shown.formats.get(column, ""), _named(column, shown)
    if format in _INTEGERS and is_integer:
        return f"{name} {operator} {value}"
    if format == "u" and isinstance(value, str) and operator == "==" and not {"\ufffd", "\0"} & set(value):
        return f"{name} == {text_constant(value)}"  # of a list it is an error, and of a character a text of more than one
    if format == "b" and isinstance(value, bool) and operator in ("==", "!="):
        return f"{name} {operator} {str(value).lower()}"
    raise Untranslatable(column)


def null_test(column: str, is_null: bool, shown: Shown) -> str:
    """The condition that an argument is, or is not, absent."""
    if column not in shown.arguments:
        raise Untranslatable(column)
    return f"{_named(column, shown)} is {'' if is_null else 'not '}null"


def _named(column: str, shown: Shown) -> str:
    """An argument in a condition."""
    name = shown.arguments[column]
    if not name or any(one in "{}\ufffd" or unicodedata.category(one) == "Cc" for one in name):
        raise Untranslatable(column)
    return f"{{{name}}}"


def time_constant(ns: int) -> str:
    """A time in nanoseconds since the epoch, in a condition: some numbers are those of seconds, milliseconds or
    microseconds there (docs/cli/records.md)."""
    if not _LEAST_OF_OTHER_UNITS <= ns < _LEAST_OF_NS:
        return str(ns)
    second = datetime.fromtimestamp(ns // 10**9, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return f'"{second}.{ns % 10**9:09}Z"'


def text_constant(text: str) -> str:
    """A text in a condition."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
