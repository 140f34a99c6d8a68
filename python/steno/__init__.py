"""Reads steno logs as tables.

    import steno

    log = steno.open("app.steno")
    log.table()                                        # the whole log: a row for each message
    fills = log.table("filled {qty} @ {price}")        # one statement: a column for each argument
    fills.where("qty > 100").to_polars()

A table reads nothing until it is asked for rows, and it reads the files anew each time. It has Arrow's PyCapsule
interface, so that whatever reads Arrow takes it as it is: `polars.DataFrame(fills)`, `duckdb.from_arrow(fills)`.
"""
from ._errors import (CorruptError, Error, FailedError, InvalidError, LimitError, NotFoundError, PermissionDeniedError,
                      ReadError, UnsupportedError)
from ._facts import LEVELS, Loss, Session, Site, Statement, Thread, Verification
from ._log import Log, open
from ._table import Table

__all__ = [
    "LEVELS", "CorruptError", "Error", "FailedError", "InvalidError", "LimitError", "Log", "Loss", "NotFoundError",
    "PermissionDeniedError", "ReadError", "Session", "Site", "Statement", "Table", "Thread", "UnsupportedError",
    "Verification", "open",
]
