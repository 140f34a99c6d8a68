"""A PostgreSQL server of its own for tests and benchmarks: made, used and removed in a temporary directory, by another
user than root, whom PostgreSQL refuses."""

import copy
import glob
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time


def find_pg_config():
    """Of the newest PostgreSQL that has what extensions are built with; None: there is none."""
    found = glob.glob("/usr/lib/postgresql/*/bin/pg_config")
    found.sort(key=lambda path: int(path.split("/")[4]) if path.split("/")[4].isdigit() else 0)
    for path in [os.environ.get("PG_CONFIG")] + found[::-1] + [shutil.which("pg_config")]:
        if not path or not os.path.exists(path):
            continue
        there = [subprocess.run([path, what], capture_output=True, text=True).stdout.strip()
                 for what in ("--pgxs", "--bindir", "--includedir-server")]
        if os.path.exists(there[0]) and os.path.exists(there[1] + "/initdb") and os.path.exists(there[2] + "/postgres.h"):
            return path
    return None


def other_user():
    """Whom servers run as; None: as we do."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    return None


def extension_in(where):
    """What build_extension() made there."""
    return os.path.join(where, "steno.so")


def build_extension(pg_config, source, build, where, sanitize=False, flags=""):
    """Compiles the extension against the libraries of a build directory. `flags`: more of the compiler's."""
    if sanitize:
        flags += " -fsanitize=undefined,address -fno-sanitize-recover=all"
    os.makedirs(where, exist_ok=True)
    made = subprocess.run(
        ["make", "-s", "-f", os.path.join(source, "postgres", "Makefile"), "STENO_BUILD=" + build,
         "PG_CONFIG=" + pg_config, "all"] + (["COPT=" + flags] if flags else []),
        cwd=where, capture_output=True, text=True, env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")})
    if made.returncode != 0:
        raise SystemExit("the extension does not compile:\n" + made.stdout[-4000:] + made.stderr[-4000:])
    return extension_in(where)


def sanitizer_environment(where):
    """Of programs that load what is compiled with sanitizers, and are not themselves. What these find: sanitizer_reports()."""
    there = os.path.join(where, "no_translations.so")
    subprocess.run(["cc", "-fno-builtin", "-shared", "-fPIC", "-o", there, os.path.join(os.path.dirname(os.path.abspath(__file__)), "no_translations.c")], check=True)
    libraries = [subprocess.run(["cc", "-print-file-name=" + name], capture_output=True, text=True).stdout.strip() for name in ("libasan.so", "libubsan.so")]
    # PostgreSQL leaves its memory to the end of its processes.
    return {"LD_PRELOAD": ":".join(libraries + [there]), "ASAN_OPTIONS": "detect_leaks=0:log_path=%s/sanitizer" % where}


class Installation:
    """A PostgreSQL as it is installed: bin, version (the major one), module_directory."""

    def __init__(self, pg_config):
        def ask(what):
            return subprocess.run([pg_config, what], capture_output=True, text=True).stdout.strip()

        self.bin = ask("--bindir")
        self.version = int(re.match(r"PostgreSQL (\d+)", ask("--version")).group(1))
        self.module_directory = ask("--pkglibdir")

    def lacks(self, *modules):
        """Whether the server was installed without one of these of PostgreSQL's own modules; a line says so."""
        missing = [name for name in modules if not os.path.exists(os.path.join(self.module_directory, name + ".so"))]
        if missing:
            print("not tested against %s, which this PostgreSQL %d lacks" % (", ".join(missing), self.version))
        return bool(missing)


class Cluster(Installation):
    """What is in `settings` goes into postgresql.conf. `data`: what keep_data() kept of another one, to begin with."""

    def __init__(self, pg_config, source, build, library, settings=None, sanitize=False, data=None):
        self.source = os.path.join(source, "postgres")
        Installation.__init__(self, pg_config)
        self.user = other_user()
        self.directory = tempfile.mkdtemp(prefix="steno-pg-")
        os.chmod(self.directory, 0o755)
        # Copies: the user of the server may not be let into our directories.
        self.own = os.path.join(self.directory, "steno")
        os.makedirs(os.path.join(self.own, "bin"))
        self.library = shutil.copy(library, self.own)
        self.sql_library = shutil.copy(library[:-3] + "_sql.so", self.own)
        self.steno = shutil.copy(os.path.join(build, "bin", "steno"), os.path.join(self.own, "bin"))
        for name in glob.glob(os.path.join(build, "src", "libsteno*.so*")):
            shutil.copy(name, self.own, follow_symlinks=False)
        self.environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "PGTZ": "UTC",
                            "LD_LIBRARY_PATH": self.own, "PGHOST": self.directory, "PGUSER": "tester",
                            "PGDATABASE": "postgres", "HOME": self.directory}
        self.of_server = sanitizer_environment(self.directory) if sanitize else {}
        if self.user is not None:
            self.give(self.directory)
        self.data = os.path.join(self.directory, "data")
        self.socket = self.directory
        self.log = os.path.join(self.data, "log", "postgresql.steno")
        self.server_log = os.path.join(self.directory, "server.log")
        if data is not None:
            with open(data, "rb") as archive:
                subprocess.run(["tar", "-x", "-C", self.directory], stdin=archive, check=True, **self.as_user())
        else:
            self.run(self.bin + "/initdb", "-D", self.data, "-U", "tester", "-A", "trust", "-N", "--no-instructions", "-E", "UTF8", "--wal-segsize=1")
        all_settings = {
            "listen_addresses": "''", "unix_socket_directories": "'%s'" % self.directory, "fsync": "off",
            "shared_buffers": "'16MB'", "max_connections": "40", "autovacuum": "off", "max_wal_size": "'256MB'",
            "shared_preload_libraries": "'%s'" % self.library[:-3], "steno.command": "'%s'" % self.steno}
        all_settings.update(settings or {})
        self.set(all_settings)

    def keep_data(self, path):
        """In an archive, for others. The server has not been started."""
        with open(path, "wb") as archive:
            subprocess.run(["tar", "-c", "-C", self.directory, os.path.basename(self.data)], stdout=archive, check=True)

    def give(self, path):
        for where, _, files in os.walk(path):
            for name in [where] + [os.path.join(where, f) for f in files]:
                os.chown(name, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)

    def set(self, settings):
        with open(os.path.join(self.data, "postgresql.conf"), "a") as out:
            for name, value in settings.items():
                out.write("%s = %s\n" % (name, value))

    def as_user(self):
        if self.user is None:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def popen(self, *command, **more):
        return subprocess.Popen(command, env=self.environment, cwd=self.directory, text=True, **self.as_user(), **more)

    def run(self, *command, check=True, timeout=120, stdin=None, environment={}):
        done = subprocess.run(command, env={**self.environment, **environment}, cwd=self.directory, text=True, capture_output=True,
                              timeout=timeout, input=stdin, **self.as_user())
        if check and done.returncode != 0:
            raise AssertionError("%s: exit status %d: %s%s" % (" ".join(command), done.returncode, done.stdout[-2000:], done.stderr[:2000]))
        return done

    def start(self):
        try:
            self.run(self.bin + "/pg_ctl", "-D", self.data, "-l", self.server_log, "-w", "-t", "60", "start", environment=self.of_server)
        except AssertionError:
            with open(self.server_log) as text:
                raise AssertionError("the server does not start: " + text.read()[-2000:])

    def stop(self, mode="fast"):
        self.run(self.bin + "/pg_ctl", "-D", self.data, "-m", mode, "-w", "-t", "60", "stop")

    def make_standby(self, settings=None):
        """A server that follows this one, which runs; not started."""
        other = copy.copy(self)
        other.directory = os.path.join(self.directory, "standby")
        other.data = os.path.join(other.directory, "data")
        other.log = os.path.join(other.data, "log", "standby.steno")
        other.server_log = os.path.join(other.directory, "server.log")
        other.socket = other.directory
        os.mkdir(other.directory)
        if self.user is not None:
            self.give(other.directory)
        self.run(self.bin + "/pg_basebackup", "-D", other.data, "--no-sync", "-R", "-X", "stream", "-c", "fast")
        other.environment = dict(self.environment, PGHOST=other.directory)
        other.set({"unix_socket_directories": "'%s'" % other.socket, "steno.path": "'log/standby.steno'", **(settings or {})})
        return other

    def reload(self):
        self.run(self.bin + "/pg_ctl", "-D", self.data, "reload")

    def sql(self, text, check=True, database="postgres"):
        """One connection; each line of what it prints, values parted by '|'."""
        done = self.run(self.bin + "/psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=" + ("1" if check else "0"),
                        "-d", database, stdin=text, check=check)
        return done.stdout.splitlines()

    def create_extension(self, database="postgres"):
        """As CREATE EXTENSION does, which would want the files where the server has its own."""
        with open(os.path.join(self.source, "steno--0.1.sql")) as text:
            script = "".join(line for line in text if not line.startswith("\\echo"))
        self.sql("create schema steno; set search_path = steno, pg_catalog;\n" +
                 script.replace("@extschema@", "steno").replace("MODULE_PATHNAME", self.sql_library[:-3]), database=database)

    def pgbench(self, *arguments, check=True):
        return self.run(self.bin + "/pgbench", *arguments, check=check, timeout=300)

    def postmaster(self):
        with open(os.path.join(self.data, "postmaster.pid")) as lines:
            return int(lines.readline())

    def processes(self):
        """Those of this server, scribe included: process id to command line."""
        try:
            postmaster = self.postmaster()
        except FileNotFoundError:
            postmaster = 0
        found = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open("/proc/%s/cmdline" % name, "rb") as text:
                    line = text.read().replace(b"\0", b" ").decode(errors="replace").strip()
                with open("/proc/%s/stat" % name) as text:
                    parent = int(text.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if line.startswith(self.steno + " scribe") or line and postmaster in (int(name), parent):
                found[int(name)] = line
        return found

    @staticmethod
    def is_alive(pid):
        try:
            with open("/proc/%d/stat" % pid) as text:
                return text.read().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    def scribes(self):
        return [pid for pid, line in self.processes().items() if line.startswith(self.steno + " scribe")]

    def kill_all(self):
        killed = list(self.processes())
        for pid in killed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.wait_for(lambda: not any(self.is_alive(pid) for pid in killed), "end of the server")
        # They name a process that may be a zombie yet.
        for name in (self.data + "/postmaster.pid", self.socket + "/.s.PGSQL.5432.lock"):
            if os.path.exists(name):
                os.unlink(name)

    @staticmethod
    def wait_for(condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError("no " + (what() if callable(what) else what))
            time.sleep(0.02)

    def flush(self):
        """Has all that was logged before written to the file. The scribe may have been started just now."""
        self.wait_for(lambda: self.run(self.steno, "ctl", self.log, "flush", "--timeout", "60s", check=False).returncode == 0, "flush")

    def records(self, *arguments):
        """What `steno cat --json` says, of processes that live as well."""
        if not os.path.exists(self.log) and not self.processes():
            return []
        out = self.run(self.steno, "cat", self.log, "--format", "json", "--big-integers", "number", *arguments).stdout
        return [json.loads(line) for line in out.splitlines()]

    def verify(self):
        return self.run(self.steno, "verify", self.log, check=False).stdout

    def sanitizer_reports(self):
        """Of both; that of undefined behaviour, beside the other, writes to where the server does."""
        found = ""
        for name in glob.glob(os.path.join(self.directory, "sanitizer*")):
            with open(name, errors="replace") as text:
                found += text.read()
        for name in [self.server_log] + glob.glob(os.path.join(self.data, "collected", "*")):
            if os.path.exists(name):
                with open(name, errors="replace") as lines:
                    found += "".join(line for line in lines if ": runtime error: " in line)
        return found

    def remove(self):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            self.run(self.bin + "/pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)
        reports = self.sanitizer_reports()
        shutil.rmtree(self.directory, ignore_errors=True)
        if reports:
            raise AssertionError("the sanitizer found: " + reports[:6000])
