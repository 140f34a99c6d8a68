#!/bin/bash
# DuckDB orders an ENUM by its definition, and compares it with a text by the alphabet.
#
# An ENUM of DuckDB sorts by the order of its values, and so do min() and max(). One would guess that `mood >= 'ok'` goes
# by the same order, as in PostgreSQL, where a bare text in quotes takes the type of the other side. In fact DuckDB casts
# the column to VARCHAR: the comparison is by the alphabet, without a warning, also for a plain column of a table. With
# 'ok'::mood it goes by the order.
#
# duckdb 2.0.1, Python 3.11; seen 2026-11-29.
# Why it matters here: a level as an ENUM does not mend `level >= 'WARN'`. steno sql's pages say severity, or a cast.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import duckdb

names = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"]
connection = duckdb.connect()
connection.execute(f"create type rank as enum {tuple(names)}")
connection.execute("create table log (level rank)")
connection.executemany("insert into log values (?)", [[name] for name in names])
seen = []


def outcome(query, expected):
    found = [row[0] for row in connection.execute(query).fetchall()]
    print(f"{query:60} {found}")
    seen.append(found == expected)


outcome("select level from log order by level", names)
outcome("select max(level) from log", ["CRITICAL"])
outcome("select level from log where level >= 'WARN'::rank", names[4:])
outcome("select level from log where level >= 'WARN'", ["WARN"])
if not all(seen):
    raise SystemExit("DuckDB does otherwise now")
PYTHON
