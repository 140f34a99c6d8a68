"""Where a statement's source begins, and what texts of commands have: alike in all versions of PostgreSQL."""

import ctypes
import os
import random
import shutil
import subprocess

from log_checks import check, statements

# A statement of a string, and what is in front of it: blanks and comments that are its own.
BEFORE = ("", " ", "\n", "/* who asks */", "/*a;b*/ ", "-- x; y\n", "-- x;\n", "--;\n\t", "/* /* ; */ ; */", " /* ; */-- '\n", "/*;\n*/", "/* -- ; */")
STATEMENTS = ("select 1", "select ';', '/*'", "select '--;' as a", "select $$;$$", 'select 1 as ";"', "values (1) /* ; */", "select 1 -- ;\n", "select E'\\';--'", "select 1 - -1", "select 1 as a$b$c", "select $a$;$b$;$a$", "select 'a'';--'", "select E'a''\\';--'", "select '\\' as \"--\"")


class Source:
    def __init__(self, source, work):
        os.makedirs(work, exist_ok=True)
        name = os.path.join(work, "statement_source.so")
        subprocess.run(["cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", name,
                        os.path.join(source, "postgres", "statement_source.c")], check=True)
        self.c = ctypes.CDLL(name)
        self.c.steno_is_last_source.restype = self.c.steno_is_blank.restype = ctypes.c_bool

    def begin(self, text, location):
        return self.c.steno_source_begin(text.encode(), location)

    def end(self, text, begin):
        return self.c.steno_source_end(text.encode(), begin)

    def is_blank(self, text):
        return self.c.steno_is_blank(text.encode(), len(text))

    def is_last(self, text, location, length):
        return self.c.steno_is_last_source(text.encode(), location, length)


def random_string(random_):
    """A string of statements: for each where it begins, and where its first word is."""
    text, found = "", []
    for i in range(random_.randrange(1, 6)):
        text += ";" * (i > 0)
        begin = len(text)
        text += "".join(random_.choice(BEFORE) for _ in range(random_.randrange(3)))
        found.append((begin, len(text)))
        text += random_.choice(STATEMENTS)
    return text, found


def test_refused_versions(servers):
    """For an older or newer version than is supported, the compiler says one sentence."""
    where = os.path.join(servers.work, "refused")
    os.makedirs(where, exist_ok=True)
    sources = [os.path.join(servers.source, "postgres", name) for name in ("executions.c", "query_text.c", "settings.c", "pushdown.c")]
    for version in (149999, 200000):
        with open(os.path.join(where, "postgres.h"), "w") as out:
            out.write("#define PG_VERSION_NUM %d\n" % version)
        for source in sources:
            done = subprocess.run(["cc", "-fsyntax-only", "-Wfatal-errors", "-I" + where, "-I" + os.path.join(servers.source, "include"), source], capture_output=True, text=True)
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            check(len(errors) == 1 and "steno works with PostgreSQL 15 to 19" in errors[0], source, done.stderr)
    with open(os.path.join(servers.source, "postgres", "Makefile")) as text:
        check("-Wfatal-errors" in text.read(), "the first error is not the last")


def test_header_warnings(servers):
    """A C file that logs has no warning, of newer compilers and of what PostgreSQL 18 and later compile extensions with."""
    source = os.path.join(servers.work, "logs.c")
    with open(source, "w") as out:
        out.write("#include <steno/c.h>\nint main(void) {\n  steno_context_scope scope = steno_context_set(\"user\", \"me\");\n"
                  "  STENO_INFO(\"one {n}\", 1);\n  STENO_INFOF(\"%d\", 1);\n  steno_context_clear(scope);\n  return 0;\n}\n")
    for compiler in ("clang", "gcc"):
        command = [compiler, "-fsyntax-only", "-Wall", "-Wmissing-prototypes", "-Wmissing-variable-declarations", "-Werror", "-I" + os.path.join(servers.source, "include")]
        if not shutil.which(compiler) or subprocess.run(command + ["-x", "c", "/dev/null"], capture_output=True).returncode != 0:
            continue  # GCC knows the flag from 14 on
        done = subprocess.run(command + [source], capture_output=True, text=True)
        check(done.returncode == 0, compiler, done.stderr)


def test_source_begin(servers):
    """The source of each statement of random strings begins after the statement in front of it."""
    library = Source(servers.source, servers.work)
    seed = random.randrange(2**32)
    random_ = random.Random(seed)
    for _ in range(20000):
        text, found = random_string(random_)
        for begin, first_word in found:
            check(library.begin(text, first_word) == begin, seed, repr(text), begin, first_word, library.begin(text, first_word))
            for i, (begin, _) in enumerate(found):
                end = found[i + 1][0] - 1 if i + 1 < len(found) else len(text)
                check(library.is_last(text, begin, end - begin) == (i + 1 == len(found)), seed, repr(text), begin, end)
                check(library.end(text, begin) == end, seed, repr(text), begin, end, library.end(text, begin))
                check(not library.is_blank(text[begin:end]) and library.is_blank(text[begin:found[i][1]]), seed, repr(text), begin)
    check(all(library.is_last(text, 0, 8) for text in ("select 1", "select 1;", "select 1; ; -- more\n/* ; */")) and not library.is_last("select 1; -- a\nselect 2", 0, 8), "the last")
    # The statement is within another one, or after a comment that is longer than the part that is looked at.
    check(library.begin("prepare p as select 1", 13) == 13 and library.begin("/* c */ prepare p as select 1", 21) == 21, "PREPARE")
    check(library.begin("/*" + "x" * 8000 + "*/select 1", 8004) == 0 and library.begin("/*" + "x" * 70000 + "*/select 1", 70004) == 70004, "long comments")


def test_sources(servers):
    """The text of a statement has the comments in front of it, in which programs say who asks."""
    with servers.started() as c:
        c.sql("select 1;")
        for seed in range(8):
            text, found = random_string(random.Random(seed))
            ends = [begin - 1 for begin, _ in found[1:]] + [len(text)]
            expected = [text[begin:end] for (begin, _), end in zip(found, ends)]
            seen = len(statements(c)), len(c.records("--site", "query_text.c"))
            c.run(c.bin + "/psql", "-X", "-q", "-c", text)  # one message
            said = [r["args"]["text"] for r in statements(c)[seen[0]:]]
            check(said == expected, repr(text), said, expected)
        c.run(c.bin + "/psql", "-X", "-q", "-c", "/* app=shop */ select length('ab'); -- app=till\nselect upper('ab'), 7")
        texts = [r["args"]["query"] for r in c.records("--site", "query_text.c")]
        for wanted in ("/* app=shop */ select length($1)", " -- app=till\nselect upper($1), $2"):
            check(wanted in texts, wanted, texts)


def test_command_texts(servers):
    """A command's constants are not lost, whether PostgreSQL computes its id from them or not."""
    with servers.started({"max_prepared_transactions": 2}) as c:
        c.sql("create table t(i int); create procedure pr(n int) language sql as $$ insert into t values (n) $$;")
        for pair in (("call pr(1)", "call pr(2)"), ("call pr(-1)", "call pr(-3)"), ("set work_mem = '1MB'", "set work_mem = '2MB'"), ("begin;savepoint a", "begin;savepoint b"),
                     ("set application_name = 'one'", "set application_name = 'two'"), ("prepare a as select 7;deallocate a", "prepare b as select 7;deallocate b"),
                     ("explain select 1 from t", "explain select 2 from t"), ("create temp table made as select 1 as i", "create temp table made as select 2 as i"),
                     ("begin;declare k cursor for select 1;fetch 3 from k", "begin;declare k cursor for select 2;fetch 4 from k"),
                     ("create temp table sized(v varchar(10))", "create temp table sized(v varchar(20))"), ("do $$begin end$$", "do $$ begin end $$")):
            ran = []
            for text in pair:
                seen = len(statements(c))
                c.sql(text + ";")
                ran.append([r["args"] for r in statements(c)[seen:]])
            queries = {}
            for r in c.records("--site", "query_text.c"):
                queries.setdefault(r["args"]["query_id"], []).append(r["args"]["query"])
            for text, records in zip(pair, ran):
                parts = text.split(";")
                check(len(records) == len(parts), text, records)
                for part, record in zip(parts, records):
                    logged = queries[record["query_id"]]
                    check(len(logged) == 1, text, logged)
                    check(part in (record["text"], logged[0]), part, "has the text", repr(record["text"]), "and its query is", logged)
                    # One query for both: it has the constants of neither.
                    if [r["query_id"] for r in ran[0]] == [r["query_id"] for r in ran[1]] and part == parts[-1]:
                        check("$" in logged[0] and record["text"] == part, part, logged, record["text"])
        # Redaction leaves them out in any case.
        c.sql("set steno.redact_parameters = on; call pr(47110815); set search_path = 'secret4711';")
        said = c.run(c.steno, "cat", c.log).stdout
        check("47110815" not in said and "secret4711" not in said, "redacted")


def test_inner_ids(servers):
    """The query of a cursor, of CREATE TABLE AS, EXPLAIN ANALYZE and COPY has the id that it has by itself."""
    with servers.started({"steno.log_nested": "on"}) as c:
        c.sql("create table t(i int); create view v as select i, i + 1 as j from t;")
        for n, query in enumerate(("select i from t where i = %d", "select j from v where i = %d")):
            seen = len(statements(c, nested=True))
            c.sql((query + ";") % 1 + "begin; declare k cursor for %s; fetch 1 from k; declare l cursor for %s; fetch 1 from l; commit;" % (query % 2, query % 3) +
                  "create table made%d as %s; explain analyze %s; copy (%s) to '/dev/null';" % (n, query % 4, query % 5, query % 6))
            found = [r["args"]["query_id"] for r in statements(c, nested=True)[seen:] if r["args"]["command"] == "SELECT"]
            check(len(found) == 6 and len(set(found)) == 1, query, found)
