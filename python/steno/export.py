"""steno export: logs as files of others. `steno export` runs this as steno-export."""
from __future__ import annotations

import argparse
import os
import sys

from . import _export, _lakes, _remote
from ._errors import Error, FailedError, InvalidError
from ._log import open as open_log
from ._table import _engine, _uninterrupted

HELP = """\
Rows are sorted by time, and times keep their nanoseconds. Parquet files have row groups of about a million rows.

Examples:
  steno export --to parquet --out log.parquet app.steno                          the whole log, with messages
  steno export --to parquet --out fills.parquet --table 'filled {qty}' app.steno one statement, with its arguments
  steno export --to parquet --out lake --by statement,hour app.steno             lake/statement=filled/hour=2026-11-29T14/…
  steno export --to delta --out lake --by statement,hour app.steno               a table for each statement
  steno export --to csv --table filled --columns time,qty app.steno > fills.csv

Exit status: 0 success, 2 wrong usage, 3 a file cannot be read or written."""


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("steno export", description="Writes logs as Parquet, Arrow, CSV or JSON lines, or as tables of Delta Lake or Iceberg.",
                                     epilog=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="logs; URLs are those of fsspec")
    parser.add_argument("--to", choices=(*_export.FORMS, *_lakes.FORMS), required=True, help="the format")
    parser.add_argument("--out", metavar="PATH", help="the file, or with --by and for lakes the directory; else standard output")
    parser.add_argument("--table", help="a statement: its text, short name, place or stable id; else the whole log")
    parser.add_argument("--columns", help="names, with commas between")
    parser.add_argument("--by", help="a directory for each statement, day, hour: statement,hour")
    parser.add_argument("--since", help="records at or after this time")
    parser.add_argument("--until", help="records before this time")
    parser.add_argument("--where", help="records that satisfy a condition, as of steno cat")
    _remote.add_option(parser)
    return parser.parse_args(argv)


def _run(given: argparse.Namespace) -> int:
    """Returns the number of rows."""
    by = tuple(given.by.split(",")) if given.by else ()
    if given.to in _lakes.FORMS and (given.out is None or ("statement" in by and (given.table or given.columns))):
        raise InvalidError(f"--to {given.to} needs --out, and with --by statement takes neither --table nor --columns")
    if given.to not in _lakes.FORMS and by and (given.to != "parquet" or given.out is None or given.table or given.columns):
        raise InvalidError("--by needs --to parquet and --out, and takes neither --table nor --columns")
    if given.out is None and given.to in ("parquet", "arrow") and sys.stdout.isatty():
        raise InvalidError(f"--to {given.to} needs --out FILE")
    log = open_log(given.files, since=given.since, until=given.until, where=given.where,
                   storage_options=_remote.storage_options(given.storage_option))
    if given.to in _lakes.FORMS:
        return log._to_lake(given.to, given.out, by, what=given.table,
                            columns=tuple(given.columns.split(",")) if given.columns else ())
    if by:
        return log.to_parquet(given.out, by=by)
    table = log.table(given.table)
    if given.columns:
        table = table.select(*given.columns.split(","))
    _engine("pyarrow", "arrow")
    return _uninterrupted(lambda: _export.write(table, given.to, given.out))


def main(argv: list[str] | None = None) -> int:
    """Returns the exit status."""
    given = _arguments(argv)
    try:
        rows = _run(given)
    except (InvalidError, FailedError) as error:
        print(f"steno export: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Error, OSError) as error:
        print(f"steno export: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    if given.out is not None:
        print(f"{given.out}: {rows:,} rows", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
