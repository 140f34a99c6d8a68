"""steno sql, through the steno command."""
import csv
import io
import json
import os
import subprocess
import sys
from collections import Counter

import pytest
import steno

FILLED = "filled {qty} @ {price} for {client}"


@pytest.fixture(scope="session")
def path_with_sql(tmp_path_factory):
    """A PATH with the program that the wheel installs."""
    from importlib.metadata import distribution
    [entry] = [one for one in distribution("steno-log").entry_points if one.name == "steno-sql"]
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "steno-sql"
    program.write_text(f"#!{sys.executable}\nimport sys\nfrom {entry.module} import {entry.attr}\n"
                       f"sys.exit({entry.attr}())\n")
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.fixture
def sql(path_with_sql, steno_command):
    def run(*arguments, status=0, **options):
        done = subprocess.run([steno_command, "sql", *arguments], env={**os.environ, "PATH": path_with_sql}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr
    return run


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_whole_log(sql, sample):
    found = rows(sql("--format", "csv", "select level, count(*) as n from log group by level", sample.path))
    assert {row["level"]: int(row["n"]) for row in found} == Counter(record["level"] for record in sample.records)


def test_levels_have_their_order(sql, sample):
    wanted = sum(record["level"] in steno.LEVELS[4:] for record in sample.records)
    for condition in ("level >= 'WARN'::level", "severity >= 4"):
        assert rows(sql("--format", "csv", f"select count(*) as n from log where {condition}", sample.path)) == \
            [{"n": str(wanted)}]
    found = rows(sql("--format", "csv", "select distinct level from log order by level", sample.path))
    assert [row["level"] for row in found] == [name for name in steno.LEVELS
                                               if any(record["level"] == name for record in sample.records)]


def test_statements_by_name_text_and_place(sql, sample):
    filled = [record for record in sample.records if record["format"] == FILLED]
    [name] = [one.name for one in steno.open(sample.path).statements if one.format == FILLED]
    places = {f"{record['file']}:{record['line']}" for record in filled}
    for table in (name, f'"{FILLED}"'):
        found = sql("--format", "json", f"select sum(qty)::bigint as total, count(*) as n from {table}", sample.path)
        assert json.loads(found) == {"total": sum(record["args"]["qty"] for record in filled), "n": len(filled)}
    found = [json.loads(sql("--format", "json", f'select count(*) as n from "{place}"', sample.path))["n"]
             for place in places]
    assert sum(found) == len(filled)


def test_statements_are_listed(sql, sample):
    listed = rows(sql("--format", "csv", "select * from statements", sample.path))
    assert [(row["name"], row["format"]) for row in listed] == \
        [(site.name, site.format) for site in steno.open(sample.path).sites]


def test_conditions(sql, sample):
    found = rows(sql("--format", "csv", "--where", "level >= ERROR", "select count(*) as n from log", sample.path))
    assert found == [{"n": str(sum(record["level"] in ("ERROR", "CRITICAL") for record in sample.records))}]


def test_one_question_after_another(sql, sample):
    text = sql(sample.path, input="select count(*)\nfrom log;\nselect nothing from nowhere;\nselect 42 as answer;\n")
    assert str(len(sample.records)) in text and "42" in text


def test_mistakes(sql, sample, tmp_path):
    assert sql("select 1 from nowhere", sample.path, status=2).startswith("steno sql: ")
    assert "nothing.steno" in sql("select 1", tmp_path / "nothing.steno", status=3)
    assert "no file" in sql("select 1", status=2)
    assert sql("--where", "qty >", "select 1", sample.path, status=2).startswith("steno sql: ")


def test_a_statement_by_its_stable_id(sql, sample):
    site = next(site for site in steno.open(sample.path).sites if site.format == FILLED)
    wanted = sum(record["format"] == FILLED for record in sample.records)
    query = f'select count(*) as n from "{site.stable_id:016x}"'
    assert 0 < int(rows(sql("--format", "csv", query, sample.path))[0]["n"]) <= wanted


def test_a_statement_that_is_no_table(sql, sample, monkeypatch):
    """It is named where a query needs it, and is in nobody's way otherwise."""
    from steno import sql as module
    log = steno.open(sample.path)
    refused = log.statements[0]
    table = steno.Log.table

    def refuse(self, what=None):
        if isinstance(what, steno.Statement) and what.name == refused.name:
            raise steno.InvalidError("choose one by its stable id")
        return table(self, what)

    monkeypatch.setattr(steno.Log, "table", refuse)
    with pytest.warns(UserWarning, match=f"no view {refused.name}: choose one by its stable id"):
        connection = log.to_duckdb()
    views = {name for (name,) in connection.sql("select view_name from duckdb_views() where not internal").fetchall()}
    assert {one.name for one in log.statements} - views == {refused.name}
    session = module.Session(log)
    session.ask(f"select '{refused.name}' as {refused.name}", "csv")
    with pytest.raises(steno.InvalidError, match="by its stable id"):
        session.ask(f"select * from {refused.name}", "csv")
