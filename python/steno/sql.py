"""steno sql: questions in SQL, which DuckDB answers. `steno sql` runs this as steno-sql."""
from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
from typing import Any

from . import _duckdb, _remote
from ._errors import Error, InvalidError
from ._facts import Statement
from ._log import Log
from ._log import open as open_log
from ._table import Table

HELP = """\
Tables:
  log          the whole log: time, time_ns, severity, level, thread, logger, file, line, function, format, message
  NAME         a statement, with its arguments as columns: by its short name, or in double quotes
               by its text, its place ("server.cc:42") or its stable id
  statements   which statements there are, with their names

Compare severity >= 4, or level >= 'WARN'::level: without the type DuckDB compares texts. Times are time (for people) and time_ns (a number, exact).

Examples:
  steno sql 'select * from statements' app.steno
  steno sql "select level, count(*) from log group by level" app.steno
  steno sql 'select client, sum(qty) from filled group by client' app.steno
  steno sql app.steno                                    asks for one question after another

Exit status: 0 success, 2 wrong usage or SQL, 3 a file cannot be read."""


class Session:
    """A connection of DuckDB that knows the tables of a log."""

    def __init__(self, log: Log) -> None:
        import duckdb
        self.log = log
        self.failure = duckdb.Error
        self.connection = duckdb.connect()
        _duckdb.declare_level(self.connection)
        self._made: set[str] = set()
        self._missing: list[str] = []  # why statements that the query may name are no tables
        self._add("log", log._with_time_ns())
        self._add_statements()

    def ask(self, query: str, form: str) -> None:
        """Prints what the query finds. Raises duckdb.Error and steno.Error."""
        self._missing.clear()
        self._add_named_in(query)
        try:
            self._print(query, form)
        except self.failure as error:
            if not self._missing:
                raise
            raise InvalidError("\n".join([str(error), *self._missing])) from error

    def _print(self, query: str, form: str) -> None:
        if form == "table":
            relation = self.connection.sql(query)
            if relation is not None:
                print(relation)
            return
        cursor = self.connection.execute(query)
        names = [column[0] for column in cursor.description or ()]
        writer = csv.writer(sys.stdout, lineterminator="\n")
        if form == "csv":
            writer.writerow(names)
        while rows := cursor.fetchmany(4096):
            if form == "csv":
                writer.writerows(rows)
                continue
            for row in rows:
                print(json.dumps(dict(zip(names, row)), default=str, ensure_ascii=False))

    def _add_named_in(self, query: str) -> None:
        """Views are made when they are named: a log may have thousands of statements."""
        lower = query.lower()
        for statement in self.log.statements:
            if statement.name in lower:
                self._add(statement.name, statement)
            if statement.format.lower() in lower:
                self._add(statement.format, statement)
            for site in statement.sites:
                place = f"{site.file.rsplit('/', 1)[-1]}:{site.line}"
                for name in {place, site.place, f"{site.stable_id:016x}"}:
                    if name.lower() in lower:
                        self._add(name, name)

    def _add(self, name: str, what: str | Statement | Table) -> None:
        if name.lower() in self._made:
            return
        try:
            table = what if isinstance(what, Table) else self.log.table(what)
        except InvalidError as error:  # the query may not mean it
            self._missing.append(f"{name}: {error}")
            return
        self._made.add(name.lower())
        _duckdb.add_view(self.connection, name, table)

    def _add_statements(self) -> None:
        self._made.add("statements")
        self.connection.execute("create table statements (name text, format text, level level, file text, line integer, "
                                "function text)")
        rows = [(site.name, site.format, site.level, site.file, site.line, site.function) for site in self.log.sites]
        if rows:
            self.connection.executemany("insert into statements values (?, ?, ?, ?, ?, ?)", rows)


def _interactive(session: Session, form: str) -> int:
    try:
        import readline  # noqa: F401: history and editing for input()
    except ImportError:
        pass
    print("Tables: log, statements, and those that statements lists. A question ends with ';'. Ctrl-D ends.")
    text = ""
    while True:
        try:
            text += input("steno> " if not text else "  ...> ") + "\n"
        except EOFError:
            print()
            return 0
        except KeyboardInterrupt:
            print()
            text = ""
            continue
        if not text.rstrip().endswith(";"):
            if not text.strip():
                text = ""
            continue
        try:
            session.ask(text, form)
        except (session.failure, Error) as error:
            print(error, file=sys.stderr)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
        text = ""


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("steno sql", description="Answers questions in SQL about logs, by DuckDB.",
                                     epilog=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="+", metavar="[QUERY] FILE", help="a question, unless it is a file or a URL; files, and URLs of fsspec")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table", help="of what is printed")
    parser.add_argument("--since", help="records at or after this time")
    parser.add_argument("--until", help="records before this time")
    parser.add_argument("--where", help="records that satisfy a condition, as of steno cat")
    _remote.add_option(parser)
    return parser.parse_args(argv)


def _is_query(words: list[str]) -> bool:
    """Whether the first word is a question: neither a file nor a URL."""
    first = words[0]
    if os.path.exists(first) or (_remote.is_url(first) and not re.search(r"\s", first)):
        return False
    return len(words) > 1 or re.search(r"\s", first) is not None


def main(argv: list[str] | None = None) -> int:
    """Returns the exit status."""
    given = _arguments(argv)
    has_query = _is_query(given.words)
    query = given.words[0] if has_query else None
    files = given.words[1:] if has_query else given.words
    if not files:
        print("steno sql: no file to read; see 'steno sql --help'", file=sys.stderr)
        return 2
    try:
        import duckdb  # noqa: F401
    except ImportError:
        print("steno sql: DuckDB is not installed: pip install 'steno-log[duckdb]'", file=sys.stderr)
        return 2
    try:
        session = Session(open_log(files, since=given.since, until=given.until, where=given.where,
                                   storage_options=_remote.storage_options(given.storage_option)))
    except Error as error:
        print(f"steno sql: {error}", file=sys.stderr)
        return 2 if isinstance(error, InvalidError) else 3
    if query is None:
        return _interactive(session, given.format)
    try:
        session.ask(query, given.format)
    except (session.failure, Error) as error:
        print(f"steno sql: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
