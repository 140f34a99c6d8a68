"""The log goes on in new files."""

import glob
import gzip
import json
import os
import signal

from cluster import Cluster
from log_checks import check


def rotate(c):
    """The log goes on in a new file; returns the name of the closed one."""
    before = set(glob.glob(c.log[:-len(".steno")] + "*"))
    os.kill(c.scribes()[0], signal.SIGHUP)
    Cluster.wait_for(lambda: set(glob.glob(c.log[:-len(".steno")] + "*")) - before, "new file")
    return (set(glob.glob(c.log[:-len(".steno")] + "*")) - before).pop()


def test_texts_after_rotation(servers):
    """A new file has the texts of queries that are in use, whoever has logged them before: with a rotation of steno's and with another's."""
    with servers.started() as c:
        c.create_extension()
        c.sql("create procedure pr(n int) language sql as 'select 1';")
        ask = "select 4711 as asked, 'x'::text, 8 % 3; call pr(1);"
        c.sql(ask)
        Cluster.wait_for(c.scribes, "scribe")

        def texts():
            found = c.run(c.steno, "cat", c.log, "--format", "json", "--site", "query_text.c", check=False).stdout  # a new file has none
            queries = [json.loads(line)["args"]["query"] for line in found.splitlines()]
            return [query for query in queries if "asked" in query or "pr(" in query]

        check(len(texts()) == 3, texts())

        def named():
            return c.sql("select query from steno.statements where command in ('CALL', 'SELECT') and (query like '%asked%' or query like 'call%');")

        for how in ("its own", "by name"):
            if how == "its own":
                rotate(c)
            else:
                os.rename(c.log, c.log + ".1")
                Cluster.wait_for(lambda: os.path.exists(c.log), "new file")
            seen = len(texts())

            def asked():
                c.sql(ask)
                return len(texts()) > seen and len(named()) == 2

            # One of them may have begun just before the new file was seen.
            Cluster.wait_for(asked, lambda: "texts in the new file, %s: %s" % (how, named()))
            c.sql(ask * 20)
            check(len(texts()) <= seen + 6, "texts are logged again and again:", texts())


def closed_files(c):
    """Those with names of steno's, in order."""
    return sorted(glob.glob(c.log[:-len(".steno")] + ".????-??-??T*.steno"))


def notices(c, text):
    """What psql is told beside the rows."""
    return c.run(c.bin + "/psql", "-X", "-A", "-t", "-q", stdin=text).stderr


def run_long(c, name, count):
    """Statements whose texts take a kilobyte each, which cannot be packed well; each in a transaction of its own."""
    c.sql("".join("select '%s', '%s';\n" % (name, os.urandom(500).hex()) for _ in range(count)))


def statements_in(c, *files):
    out = c.run(c.steno, "cat", *files, "--format", "json", "--site", "statement_record.c").stdout
    return [json.loads(line)["args"] for line in out.splitlines()]


def test_rotation_settings(servers):
    """Files go on by size and are kept as settings say, which a reload changes; nothing is lost with the scribe that is replaced."""
    with servers.started({"steno.keep_files": "0"}) as c:
        Cluster.wait_for(c.scribes, "scribe")
        first = c.scribes()
        run_long(c, "before", 20)
        c.set({"steno.rotation_size": "'64kB'"})
        c.reload()
        Cluster.wait_for(lambda: (now := c.scribes()) and now != first, "new scribe")
        count = 20

        def several():
            nonlocal count
            run_long(c, "then", 20)
            count += 20
            return len(closed_files(c)) >= 4

        # A busy scribe may write any amount before it looks at the size of its file.
        Cluster.wait_for(several, lambda: "new files: %s" % closed_files(c))
        c.flush()  # so that no file changes its name while it is read
        ran = [args for args in statements_in(c, *closed_files(c), c.log) if args.get("text", "").startswith("select '")]
        check(len(ran) == count, "statements:", len(ran), count)
        check(len({args["text"] for args in ran}) == len(ran), "a statement is there twice")
        before = c.scribes()
        c.set({"steno.keep_files": "2", "steno.rotation_age": "'15min'", "steno.keep_age": "'30d'", "steno.keep_size": "'1GB'"})
        c.reload()
        Cluster.wait_for(lambda: (now := c.scribes()) and now != before, "new scribe")

        def few():
            run_long(c, "last", 20)
            return len(closed_files(c)) <= 2

        Cluster.wait_for(few, lambda: "removal of old files: %s" % closed_files(c))
        line = c.processes()[c.scribes()[0]]
        check("--rotate-size 65536" in line and "--rotate-at every 15m" in line and "--keep 2" in line and "--keep-for 43200m" in line, line)
        for wrong in ("rotation_size = '1kB'", "rotation_age = '7min'", "rotation_age = '5h'", "keep_files = -1"):
            done = c.run(c.bin + "/psql", "-X", "-c", "alter system set steno." + wrong, check=False)
            check(done.returncode != 0 and "invalid value" in done.stderr or "outside the valid range" in done.stderr, wrong, done.stderr)


def test_scribe_of_before(servers):
    """A worker that finds the scribe of a worker before it replaces that, too, when settings change."""
    with servers.started() as c:
        Cluster.wait_for(c.scribes, "scribe")
        first = c.scribes()
        worker = next(pid for pid, line in c.processes().items() if line.startswith("postgres: steno scribe"))
        os.kill(worker, signal.SIGKILL)
        Cluster.wait_for(lambda: not c.is_alive(worker) and c.run(c.bin + "/psql", "-X", "-c", "select 1 as after", check=False).returncode == 0, "server")
        check(c.scribes() == first, "another scribe:", c.scribes(), first)
        c.set({"steno.keep_files": "3"})
        c.reload()
        Cluster.wait_for(lambda: (now := c.scribes()) and now != first and "--keep 3" in c.processes().get(now[0], ""), "new scribe")


def test_control(servers):
    """`steno ctl` flushes and rotates the log of a server with many sessions, at once and once."""
    with servers.started() as c:
        sessions = [c.popen(c.bin + "/psql", "-X", "-A", "-t", "-q", stdin=-1, stdout=-1) for _ in range(12)]
        for n, session in enumerate(sessions):
            session.stdin.write("select %d as idle;\n" % n)
            session.stdin.flush()
            session.stdout.readline()
        c.flush()  # the scribe has found the sessions
        for request in ("flush", "rotate"):
            done = c.run(c.steno, "ctl", c.log, request, "--timeout", "60s", check=False)
            check(done.returncode == 0 and done.stdout.count(": done") == 1, request, done.stdout, done.stderr)
            check("process %d, " % c.scribes()[0] in done.stdout, done.stdout)
        closed = closed_files(c)
        check(len(closed) == 1, closed)
        size = os.path.getsize(closed[0])
        idle = [args for args in statements_in(c, closed[0]) if "idle" in args.get("text", "")]
        check(len(idle) == 12, idle)
        check(not [args for args in statements_in(c, c.log) if "idle" in args.get("text", "")], "records stand in both files")
        for session in sessions:
            session.communicate("select 'late';\n")
        c.flush()
        check(os.path.getsize(closed[0]) == size, "the closed file has grown")
        check(len([args for args in statements_in(c, c.log) if "late" in args.get("text", "")]) == 12, "late statements")


def recipe(servers):
    """The configuration of logrotate that the guide shows."""
    with open(os.path.join(servers.source, "docs", "guide", "rotation.md")) as page:
        text = page.read()
    return text[text.index("/var/log/app/app.steno {"):text.index("\n```\n`create` works")]


def test_logrotate(servers):
    """The guide's recipe works on a server's log: what is packed is complete, and nothing is lost."""
    if not os.path.exists("/usr/sbin/logrotate"):
        return
    with servers.started() as c:
        configuration = os.path.join(c.directory, "logrotate.conf")
        with open(configuration, "w") as out:
            out.write(recipe(servers).replace("/var/log/app/app.steno", c.log).replace("steno ctl", c.steno + " ctl").replace("daily", "") + "\n")
        os.chmod(configuration, 0o644)
        if c.user is not None:
            c.give(configuration)
            os.chown(configuration, c.user.pw_uid, c.user.pw_gid)
        for n in range(3):
            c.sql("select 'round %d';" % n * 10)
            c.flush()  # the file is there
            done = c.run("/usr/sbin/logrotate", "--force", "--state", os.path.join(c.directory, "state"), configuration)
            check(not done.stderr, done.stderr)
        packed = sorted(glob.glob(c.log + ".*.gz"))
        check(len(packed) == 3, packed)
        for name in packed:
            with gzip.open(name) as text, open(name[:-3], "wb") as out:
                out.write(text.read())
            os.unlink(name)
            verdict = c.run(c.steno, "verify", name[:-3]).stdout
            check(verdict.startswith("complete") and "0 lost" in verdict, verdict)
        found = statements_in(c, *[name[:-3] for name in packed], c.log)
        rounds = [args["text"] for args in found if args.get("text", "").startswith("select 'round")]
        check(sorted(rounds) == sorted("select 'round %d'" % n for n in range(3) for _ in range(10)), rounds)


def test_since_reads_closed_files(servers):
    """What is asked of a time before a rotation is answered from the closed files, texts included; a file that is called otherwise is named."""
    with servers.started() as c:
        c.create_extension()
        begin = c.sql("select clock_timestamp();")[0]
        c.sql("select 1 as earlier, pg_sleep(0.11);")
        c.flush()  # else a busy scribe may write it after the rotation
        rotate(c)
        middle = c.sql("select clock_timestamp();")[0]
        c.sql("select 2 as later;")
        c.flush()
        asked = {
            "select query from steno.statements('%s')": "",
            "select query from steno.slow('%s')": "",
            "select text from steno.log('%s')": "",
            "select text from steno.log where time >= '%s'": "",
            "select l.text from (values ('%s'::timestamptz)) as v(t), lateral (select * from steno.log where time >= v.t) as l": "",
        }
        for ask in asked:
            for since, wanted in ((begin, True), (middle, False)):
                rows = c.sql(ask % since + ";")
                check(any("earlier" in row for row in rows) == wanted, ask, since, rows)
                check(any("later" in row for row in rows) != ("slow" in ask), ask, since, rows)
        # A pass that asks for more than the one before it.
        rows = c.sql("set enable_material = off; select v.n, l.text from (values (1, '%s'::timestamptz), (2, '%s'::timestamptz)) as v(n, t), "
                     "lateral (select * from steno.log where time >= v.t offset 0) as l where l.text like '%%as earlier%%' and l.text not like '%%lateral%%';" % (middle, begin))
        check(len(rows) == 1 and rows[0].startswith("2|"), rows)
        check("steno gives" not in notices(c, "select count(*) from steno.log('%s');" % begin), "a notice without reason")
        counts = [int(c.sql("select count(*) from steno.log(path => '%s') where text ~ '^select [12] as';" % path)[0]) for path in
                  ("log/postgresql*.steno", "log/{postgresql,postgresql.*}.steno", "log/postgresql.steno")]
        check(counts == [2, 2, 1], counts)
        check(len(c.sql("select query from steno.statements(NULL, NULL, 'log/postgresql*.steno') where query ~ 'as (earlier|later)';")) == 2, "statements by a pattern")
        for ask in ("select sum(statements) from steno.sessions(NULL, NULL, %s)", "select sum(calls) from steno.statement_times(NULL, NULL, path => %s)"):
            of_each = [int(c.sql(ask % ("'%s'" % path) + ";")[0]) for path in (closed_files(c)[0], "log/postgresql.*.steno", "log/postgresql*.steno")]
            check(0 < of_each[0] == of_each[1] < of_each[2], ask, of_each)
        wrong = c.run(c.bin + "/psql", "-X", "-c", "select * from steno.log(path => 'log/none*.steno')", check=False)
        check("no file fits the path" in wrong.stderr, wrong.stderr)
        os.rename(closed_files(c)[0], c.log + ".1")
        said = notices(c, "select count(*) from steno.statements('%s');" % begin)
        check(said.count("the log has files that are not read") == 1 and "postgresql.steno.1" in said, said)
        check("not read" not in notices(c, "select count(*) from steno.statements(now());"), "a notice for a file from before")
