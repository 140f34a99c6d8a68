"""Conditions of steno for comparisons that engines hand down."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._facts import LEVELS

_INTEGERS = set("cCsSiIlL")
_TEXTS = {"logger", "function", "format"}  # that conditions compare as they are shown
COMMON = {"time", "time_ns", "severity", "level", "thread", "tid", "logger", "file", "function", "format", "line",
          "stable_id", "ticks", "session", "ring", "sequence", "pid", "program", "host", "message"}
"""Columns that any table has; others are arguments."""


class Untranslatable(Exception):
    """A predicate that conditions of steno would not answer as the engine does."""


def comparison(name: str, operator: str, value: Any, schema: dict[str, str], has_losses: Callable[[], bool]) -> str:
    """The condition that holds for the same rows as the engine's comparison of a column with a constant; raises
    Untranslatable where there is none. `has_losses` reads the whole log, so it is asked only where the answer depends on
    it."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if name == "severity" and is_integer and 0 <= value < len(LEVELS):
        # A statement whose declaration is lost has the severity 255, and for conditions no level.
        if operator in ("!=", ">", ">=") and has_losses():
            raise Untranslatable("levels that are lost")
        return f"level {operator} {LEVELS[value]}"
    if name == "level" and operator == "==" and value in LEVELS:
        return f"level == {value}"
    if name in _TEXTS and isinstance(value, str) and operator == "==" and not {"\ufffd", "\0"} & set(value):
        return f"{name} == {text_constant(value)}"
    if name in ("time_ns", "line", "tid") and is_integer:
        return f"{'time' if name == 'time_ns' else name} {operator} {value}"
    if name in COMMON:
        raise Untranslatable(name)
    format = schema.get(name, "")
    if format in _INTEGERS and is_integer:
        return f"{{{name}}} {operator} {value}"
    if format == "u" and isinstance(value, str) and operator == "==" and not {"\ufffd", "\0"} & set(value):
        return f"{{{name}}} == {text_constant(value)}"  # of a list it is an error, and of a character a text of more than one
    if format == "b" and isinstance(value, bool) and operator in ("==", "!="):
        return f"{{{name}}} {operator} {str(value).lower()}"
    raise Untranslatable(name)


def null_test(name: str, is_null: bool) -> str:
    """The condition that an argument is, or is not, absent."""
    if name in COMMON:
        raise Untranslatable(name)
    return f"{{{name}}} is {'' if is_null else 'not '}null"


def text_constant(text: str) -> str:
    """A text in a condition."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
