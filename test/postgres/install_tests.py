"""The extension as users install it, and a server that goes on with another version of it."""

import os
import shutil
import subprocess
import tempfile

from cluster import Cluster, build_extension
from log_checks import check, check_complete, statements


def test_installed(servers):
    """`make install` against an installed steno, CREATE EXTENSION, and all defaults; what is not there is said."""
    with tempfile.TemporaryDirectory() as empty:
        refused = subprocess.run(["make", "-s", "-f", servers.source + "/postgres/Makefile", "STENO_PREFIX=/no/such", "PG_CONFIG=" + servers.pg_config],
                                 cwd=empty, capture_output=True, text=True)
    check(refused.returncode != 0 and "there is no /no/such/lib/libsteno.so: install steno first" in refused.stderr, refused.stderr)
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        return  # into the directories of the system it is not installed
    with servers.made({"shared_preload_libraries": "'steno'"}) as c:
        # The library is loaded without any of the settings.
        with open(os.path.join(c.data, "postgresql.conf")) as text:
            lines = [line for line in text if not line.startswith("steno.")]
        with open(os.path.join(c.data, "postgresql.conf"), "w") as out:
            out.writelines(lines)
        prefix, objects = os.path.join(c.directory, "prefix"), os.path.join(c.directory, "objects")
        os.makedirs(objects)
        installed = [subprocess.run([servers.pg_config, what], capture_output=True, text=True, check=True).stdout.strip() for what in ("--pkglibdir", "--sharedir")]
        installed[1] += "/extension"
        # This runs in mounts of its own, so that the system's directories stay as they are.
        script = ["cmake --install %s --prefix %s --component %s >/dev/null" % (servers.build, prefix, part) for part in ("shared", "dev", "command")]
        for i, where in enumerate(installed):
            script += ["cp -a %s %s/%d" % (where, c.directory, i), "mount --bind %s/%d %s" % (c.directory, i, where)]
        script += ["cd " + objects, "env -u MAKEFLAGS -u MAKELEVEL make -s -f %s/postgres/Makefile install PG_CONFIG=%s STENO_PREFIX=%s" % (servers.source, servers.pg_config, prefix),
                   "rm -rf %s" % c.own, "unset LD_LIBRARY_PATH"]
        psql = c.bin + "/psql -X -A -t -q -v ON_ERROR_STOP=1"
        as_user = "setpriv --reuid=%d --regid=%d --clear-groups env -i %s " % (c.user.pw_uid, c.user.pw_gid, " ".join(
            "%s='%s'" % item for item in c.environment.items() if item[0] != "LD_LIBRARY_PATH"))
        script += [as_user + c.bin + "/pg_ctl -D %s -l %s -w -t 60 start >/dev/null" % (c.data, c.server_log),
                   as_user + psql + " -c 'create extension steno' -c 'select 42 as answer'",
                   as_user + psql + " -c \"do \\$\\$ begin for i in 1..6000 loop if exists (select from steno.statements where query = 'select \\$1 as answer') then return; end if; "
                                    "perform pg_sleep(0.01); end loop; raise 'not seen'; end \\$\\$\"",
                   as_user + psql + " -c \"select calls, rows from steno.statements where query = 'select \\$1 as answer'\" -c 'select count(*) from steno.verify()' "
                                    "-c 'drop extension steno'",
                   as_user + c.bin + "/pg_ctl -D %s -m fast -w -t 60 stop >/dev/null" % c.data,
                   as_user + prefix + "/bin/steno verify " + c.log]
        done = subprocess.run(["unshare", "-m", "sh", "-ec", "\n".join(script)], capture_output=True, text=True)
        check(done.returncode == 0, done.stdout[-2000:], done.stderr[-4000:])
        lines = done.stdout.splitlines()
        check(lines[:3] == ["42", "1|1", "0"] and lines[-1].startswith("complete"), done.stdout)


def older_source(servers, where):
    """A copy of the source whose records lack what has been added to them since."""
    shutil.copytree(os.path.join(servers.source, "postgres"), where)
    for name, changes in (
            ("statement_record.c", ((", JIT {jit} ns", ""), ('"SlmmmSjjjjjjjjjjmmljt"', '"SlmmmSjjjjjjjjjjmljt"'), ("  uint64 jit;\n", ""), ("  n.jit = e->jit_ns;\n", ""))),
            ("message_sites.c", ((" {internal_position} {ps}", " {ps}"), ('"SjlSiSSSSSSSiiSj"', '"SjlSiSSSSSSSiSj"'))),
            ("server_log.c", (("  put_int32(&values, internal_query != NULL ? edata->internalpos : 0);\n", ""),))):
        with open(os.path.join(where, name)) as text:
            content = text.read()
        for before, after in changes:
            check(before in content, name, "has no", before)
            content = content.replace(before, after)
        with open(os.path.join(where, name), "w") as out:
            out.write(content)


def test_other_version(servers):
    """A server that is killed, and starts with another version of the extension: what waits is taken in, and the log is one."""
    source = os.path.join(servers.work, "older")
    shutil.rmtree(source, ignore_errors=True)
    os.makedirs(source)
    older_source(servers, source + "/postgres")
    os.symlink(servers.source + "/include", source + "/include")
    library = build_extension(servers.pg_config, source, servers.build, source + "/objects", servers.sanitize)
    with servers.made() as c:
        newer = c.library
        older = shutil.copy(library, os.path.join(c.own, "older.so"))
        c.set({"shared_preload_libraries": "'%s'" % older[:-3]})
        c.start()
        c.sql("select 1 as older; select 1/0;", check=False)
        c.kill_all()
        c.set({"shared_preload_libraries": "'%s'" % newer[:-3]})
        c.start()
        c.create_extension()
        c.sql("select 1 as newer; select 'x'::int;", check=False)
        Cluster.wait_for(lambda: c.sql("select count(*) from steno.messages where level = 'ERROR';") == ["2"], "messages of both")
        check(c.sql("select text, jit from steno.log where text like 'select 1 as %' order by time;") == ["select 1 as older|", "select 1 as newer|0"], "statements of both")
        check(c.sql("select message, internal_position from steno.errors order by time;") ==
              ["division by zero|", 'invalid input syntax for type integer: "x"|0'], "messages of both")
        # Names of columns do not make another query.
        check(c.sql("select sum(calls) from steno.statements where query like 'select $1 as %';") == ["2"], "totals of both")
        # And back again.
        c.stop()
        c.set({"shared_preload_libraries": "'%s'" % older[:-3]})
        c.start()
        c.sql("select 2 as older;")
        c.stop()
        found = [r["args"]["text"] for r in statements(c) if "as older" in r["args"]["text"] or "as newer" in r["args"]["text"]]
        check(found == ["select 1 as older", "select 1 as newer", "select 2 as older"], found)
        check_complete(c)
