#!/usr/bin/env python3
"""Logs that cut, pack and redact write, against the logs that they were made of.

    rewrite_check.py STENO INCIDENT_LOG SOURCE [LOG...]   LOG: further logs to try

What `cat` prints of a new log must be what it prints of the old ones with the same conditions; verify must find nothing
missing; and what was taken out must be nowhere in the new file, which the reader of spec/reference takes apart.
"""
import ctypes
import itertools
import json
import os
import platform
import random
import re
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from new_logs import STENO, end, expect, run

INCIDENT, SOURCE = sys.argv[2], Path(sys.argv[3])
sys.path.insert(0, str(SOURCE / "spec/reference"))
random.seed(37)


LINE = "{time} {level} {host} {program} {pid} [{thread}] {logger} {basename}:{line} {message}"
TEXT = rb'"(?:[^"\\]|\\.)*"'
PROCESS = re.compile(rb'^(\{(?:"\w+":' + TEXT + rb',){4})"pid":\d+,"program":' + TEXT + rb',"host":' + TEXT + b",", re.MULTILINE)


def shown(files, *conditions):
    """What cat prints: texts, and all fields and values. Whether JSON has the process depends on whether there are
    several, of which fewer may have a chosen record."""
    return [run("cat", "--pattern", LINE, *files, *conditions)[1],
            PROCESS.sub(rb"\1", run("cat", "--format", "json", *files, *conditions)[1])]


def some_conditions(files):
    """Conditions that choose a part of the records, from what the records have."""
    out = run("cat", "--format", "json", "--big-integers", "number", "--show-secrets", *files)[1]
    records = [json.loads(line) for line in out.splitlines()]
    if not records:
        return
    times = sorted(r["time"] for r in records)
    yield ["--since", random.choice(times)]
    first, last = sorted(random.choices(times, k=2))
    yield ["--since", first, "--until", last]
    yield ["--level", random.choice(["DEBUG", "INFO", "WARN", "ERROR"])]
    yield ["--where", f"line {random.choice(['<', '>=', '=='])} {random.choice(records)['line']}"]
    yield ["--thread", random.choice(records)["thread"]]
    values = [(name, value) for r in records for name, value in r.get("args", {}).items()
              if isinstance(value, (int, str)) and not isinstance(value, bool) and name.isidentifier() and value != ""]
    for name, value in random.sample(values, min(3, len(values))):
        yield ["--where", f"{name} {random.choice(['==', '!=', '>='])} {json.dumps(value)}"]
    words = [word for r in records[:200] for word in r["message"].split() if word.isalnum()]
    if words:
        yield ["--grep", random.choice(words)]


def check_cut(files, out, conditions):
    status, _, error = run("cut", *files, *conditions, "-o", out)
    wanted = shown(files, *conditions)
    if not wanted[0]:
        expect(status != 0 and not out.exists(), "an empty cut", files, conditions, error)
        return
    if status == 2:
        return  # a condition that these files do not allow: cat refuses it as well
    if "because the file does not say what they are" in error:
        expect(status == 1 and not out.exists(), "a cut of records without statements", files, conditions)
        return
    if not expect(out.exists(), "no cut", files, conditions, error):
        return
    expect(shown([out]) == wanted, "cut", files, conditions)
    expect(run("cut", *files, *conditions, "-o", out)[0] == 3, "an output that exists", files)
    report = json.loads(run("verify", "--content", "--json", out)[1])
    # The new log says as the old one does what that lost: drops, and strings that are gone.
    gaps = [gap["cause"] for gap in report["gaps"] if gap["cause"] not in ("dropped", "discarded")]
    expect(gaps == [], "verify of a cut", files, conditions, report)
    expect(report["records"] == len(wanted[1].splitlines()), "records of a cut", files, conditions, report)
    out.unlink()


def check_questions(files, out):
    """agg, sites and diff on the cut and on the log with the condition."""
    condition = ["--level", "INFO"]
    if run("cut", *files, *condition, "-o", out)[0] != 0:
        return
    for question in (["--by", "level", "--by", "site"], ["--by", "thread", "--op", "count"]):
        expect(run("agg", *files, *question, *condition)[1] == run("agg", out, *question)[1], "agg", files, question)
    same = run("diff", out, out)[1]
    expect(run("diff", *files[:1], out)[0] in (0, 1) and b"new" not in same, "diff", files)
    out.unlink()


def check_pack(files, out):
    status, text, error = run("pack", *files, "-o", out)
    if status != 0:
        expect(status in (1, 2, 3) and not out.exists() and error, "a refused pack", files, status)
        return None
    expect(shown([out], "--show-secrets") == shown(files, "--show-secrets"), "pack", files)
    expect(shown([out]) == shown(files), "pack with secrets", files)
    old = [json.loads(line) for line in run("verify", "--json", *files)[1].splitlines()]
    new = json.loads(run("verify", "--content", "--json", out)[1])
    expect(new["records"] == sum(r["records"] for r in old), "records of a pack", files, text)
    expect(new["complete"] == all(r["complete"] for r in old), "verify of a pack", files, new)
    sequence = ["--columns", "time,sequence,thread,message"]
    expect(run("cat", *sequence, out)[1] == run("cat", *sequence, *files)[1], "numbers of a pack", files)
    size = out.stat().st_size
    out.unlink()
    return size


def strings_within(path):
    """All strings that the reference reader meets in a file: values, and what codecs keep beside them."""
    import blocks
    import columns
    import steno_file
    import strings
    met = set()
    plain = strings.read_strings

    def noted(*arguments):
        values = plain(*arguments)
        met.update(value for value in values if value)
        return values
    for module in (columns, steno_file, strings):
        if hasattr(module, "read_strings"):
            module.read_strings = noted
    data = path.read_bytes()
    for record in steno_file.records(data):
        met.add(repr(record).encode())
    for block in blocks.blocks(data):
        met.add(bytes(block.payload))
    met.add(data)
    return met


def check_redact(directory, night):
    out = directory / "public.steno"
    tenants = [b"acme", b"bolt", b"crest", b"delta", b"ember"]
    web = sorted(night.glob("web.*.steno"))[0]
    before = strings_within(web)
    expect(all(any(t in s for s in before) for t in tenants), "tenants in the log")
    status, _, error = run("redact", web, "--value", "tenant", "--value", "elapsed", "-o", out)
    expect(status == 0, "redact", status, error)
    after = strings_within(out)
    expect(not any(t in s for s in after for t in tenants), "tenants in the redacted log")
    old = [json.loads(line) for line in run("cat", "--format", "json", web)[1].splitlines()]
    new = [json.loads(line) for line in run("cat", "--format", "json", out)[1].splitlines()]
    expect(len(old) == len(new), "records of a redacted log")
    for a, b in zip(old, new):
        for name in ("tenant", "elapsed"):
            if name in a["args"]:
                a["args"][name] = "[redacted]"
        same = {name: a[name] for name in ("time", "level", "logger", "thread", "args")}
        if not expect({name: b[name] for name in same} == same, "a redacted record", a, b):
            break
    slow = [r["message"] for r in new if r["message"].startswith("slow request")]
    expect(slow and all("[redacted] ms" in m for m in slow), "a message of a number that was taken out", slow[:1])
    expect(run("verify", "--content", out)[0] == run("verify", web)[0], "verify of a redacted log")
    out.unlink()

    status, _, error = run("redact", web, "--match", "/ord[a-z]+", "--match", "request", "--texts", "-o", out)
    expect(status == 0, "redact --match", error)
    after = strings_within(out)
    expect(not any(b"orders" in s or b"request" in s for s in after), "matches in the redacted log")
    count = len(run("cat", "--grep", "/orders", web)[1].splitlines())
    expect(len(run("cat", "--grep", "\\[redacted\\]", "--site", "server.cc:120", out)[1].splitlines()) >= 1 and count,
           "matches that are replaced")
    out.unlink()
    expect(run("redact", web, "--value", "tenent", "-o", out)[::2] ==
           (2, "steno: --value: no statement has an argument or field 'tenent'; did you mean 'tenant'?\n"),
           "a name that is not there", run("redact", web, "--value", "tenent", "-o", out)[2])
    for bad in (["--match", "("], ["--match", "a*"], []):
        expect(run("redact", web, *bad, "-o", out)[0] == 2 and not out.exists(), "a bad redaction", bad)


def check_secrets(directory):
    out = directory / "secrets.steno"
    vector = SOURCE / "spec/vectors/secrets.steno"
    hidden = [json.loads(line) for line in run("cat", "--format", "json", vector)[1].splitlines()]
    bare = [json.loads(line) for line in run("cat", "--format", "json", "--show-secrets", vector)[1].splitlines()]
    # Names of an enumeration are no secrets, because the statement lists them.
    secrets = {b["args"]["key"].encode() for a, b in zip(hidden, bare)
               if a["args"].get("key") == "[redacted]" and len(b["args"]["key"]) > 3}
    expect(secrets, "secrets in the vector")
    run("cut", vector, "-o", out)
    expect(shown([out]) == shown([vector]), "a cut of secrets")
    left = {s for s in secrets for text in strings_within(out) if s in text}
    expect(not left, "secrets in a cut", left)
    out.unlink()
    run("cut", vector, "--show-secrets", "-o", out)
    expect(shown([out], "--show-secrets") == shown([vector], "--show-secrets"), "a cut with its secrets")
    expect(shown([out]) == shown([vector]), "secrets of a cut stay secrets")
    out.unlink()


def check_safety(directory, night):
    web = sorted(night.glob("web.*.steno"))[0]
    own = directory / "safe"
    own.mkdir()
    log = own / "log.steno"
    log.write_bytes(web.read_bytes())
    log.chmod(0o640)
    link = own / "link.steno"
    link.symlink_to("log.steno")
    before = log.read_bytes()
    for command in (["cut"], ["pack"], ["redact", "--value", "tenant"]):
        for out in (log, link):
            expect(run(*command, log, "--force", "-o", out)[0] == 3, "an output that is read", command, out)
    expect(log.read_bytes() == before and sorted(p.name for p in own.iterdir()) == ["link.steno", "log.steno"],
           "the log that was read")
    out = own / "out.steno"
    status, _, error = run("cut", log, "-o", out, limit=4096)
    expect(status == 3 and "cannot write" in error, "a disk that is full", status, error)
    expect(sorted(p.name for p in own.iterdir()) == ["link.steno", "log.steno"], "what a full disk leaves")
    out.write_bytes(b"something else")
    expect(run("cut", log, "-o", out)[0] == 3 and out.read_bytes() == b"something else", "an output that exists")
    expect(run("cut", log, "--force", "-o", out)[0] in (0, 1) and stat.S_IMODE(out.stat().st_mode) == 0o640,
           "the permissions", oct(out.stat().st_mode))
    expect(run("cut", log, "-o", own / "none" / "out.steno")[0] == 3, "a directory that is missing")
    out.unlink()
    status, _, error = run("pack", log, "--remove", "-o", out)
    expect(status == 0 and out.exists() and not log.exists(), "pack --remove", status, error)
    again = own / "again.steno"
    status, _, error = run("pack", out, "--remove", "-o", again)
    expect(status == 1 and "not smaller" in error and out.exists() and again.exists(), "what is packed already", status, error)


def check_remove(directory, night):
    """Files that change while pack reads: it waits for standard input when it has read the first one."""
    first, second = sorted(night.glob("web.*.steno"))[:2]
    own = directory / "remove"
    own.mkdir()
    log, moved, out = own / "log.steno", own / "log.1.steno", own / "out.steno"

    def append():
        with log.open("ab") as file:
            file.write(second.read_bytes())

    def replace():
        log.rename(moved)
        log.write_bytes(second.read_bytes())

    def rewrite():  # as many bytes
        log.write_bytes(b"\0" * log.stat().st_size)

    for change in (append, replace, rewrite, None):
        log.write_bytes(first.read_bytes())
        # A file that was written just now could be written again without another time.
        os.utime(log, ns=(1, 1))
        with subprocess.Popen([STENO, "pack", log, "-", "--remove", "-o", out], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as packing:
            until = time.monotonic() + 60
            while str(log) not in Path(f"/proc/{packing.pid}/maps").read_text() and time.monotonic() < until:
                time.sleep(0.01)
            if change is rewrite:
                time.sleep(0.2)  # until it was checked
            if change is not None:
                change()
            there = log.read_bytes()
            error = packing.communicate(second.read_bytes(), timeout=60)[1].decode()
        if change is None:
            expect(packing.returncode == 0 and not log.exists() and not error, "pack --remove", error)
        elif packing.returncode != 3 or change is not rewrite:  # 3: it has seen that the bytes are others
            expect(packing.returncode == 1 and "it has changed since it was read" in error and log.exists() and
                   log.read_bytes() == there and out.exists(), "a log that changes", change.__name__, error)
        out.unlink(missing_ok=True)


def check_inputs_stay(directory, night):
    """With --force no file is replaced that is named as an input, also if it cannot be read, or has no name here."""
    web = sorted(night.glob("web.*.steno"))[0]
    text = directory / "text"
    text.write_text("no log")
    expect(run("cut", web, text, "--force", "-o", text)[0] == 3 and text.read_text() == "no log", "an input that is no log")
    own = directory / "stdin.steno"
    own.write_bytes(web.read_bytes())
    with own.open("rb") as file:
        status = subprocess.run([STENO, "cut", "-", "--force", "-o", own], stdin=file, capture_output=True, check=False)
    expect(status.returncode == 3 and own.read_bytes() == web.read_bytes(), "standard input", status)


def refuse(*calls):
    """The kernel refuses these system calls of this process from now on, as file systems do that lack them."""
    code = [(0x20, 0, 0, 0)] + [part for call in calls for part in ((0x15, 0, 1, call), (0x06, 0, 0, 0x00050001))]
    code = b"".join(struct.pack("HBBI", *one) for one in [*code, (0x06, 0, 0, 0x7fff0000)])
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program) != 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def check_naming(directory, night):
    """Where there are no hard links."""
    renameat2, links = {"x86_64": (316, (86, 265)), "aarch64": (276, (37,))}.get(platform.machine(), (None, None))
    if renameat2 is None:
        return
    web, out = sorted(night.glob("web.*.steno"))[0], directory / "named.steno"
    for calls in ((renameat2,), links, (renameat2, *links)):
        for there in (False, True):
            status = subprocess.run([STENO, "redact", web, "--value", "tenant", "-o", out], capture_output=True,
                                    check=False, preexec_fn=lambda calls=calls: refuse(*calls))
            expect(status.returncode == (3 if there else 0) and out.exists(), "naming without", calls, there, status)
        out.unlink(missing_ok=True)


def check_signals(directory):
    """A signal that ends the command leaves no part of a file."""
    files, own = sorted((directory / "busy").glob("*.steno")), directory / "ended"
    own.mkdir()
    for end in (signal.SIGTERM, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
        for _ in range(20):  # until it is not over before the signal comes; on a busy machine it always may be
            with subprocess.Popen([STENO, "pack", *files, "-o", own / "out.steno"], stdout=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as packing:
                while packing.poll() is None and not any(own.iterdir()):
                    time.sleep(0.001)
                packing.send_signal(end)
                packing.wait(timeout=60)
            (own / "out.steno").unlink(missing_ok=True)
            expect(not any(own.iterdir()), "what a signal leaves", end, [*own.iterdir()])
            if packing.returncode == -end:
                break
        expect(packing.returncode in (0, -end) and not any(own.iterdir()), "a signal", end, packing.returncode, [*own.iterdir()])


def check_old_parts(directory):
    """What a kill leaves is removed by the next run; what only has such a name is not."""
    files, own = sorted((directory / "busy").glob("*.steno")), directory / "killed"
    own.mkdir()
    out = own / "out.steno"
    copy = own / "out.steno.part-backup"  # of a person
    other = own / "other.steno.part-abcdef"  # of another output
    for path in (copy, other):
        path.write_bytes(files[0].read_bytes())
        path.chmod(0o600)

    def parts(marked=False):
        found = []
        for path in own.glob("out.steno.part-*"):
            try:
                if path != copy and (not marked or path.stat().st_mode & stat.S_ISVTX):
                    found.append(path)
            except FileNotFoundError:  # it got its name meanwhile
                pass
        return found

    def start():
        return subprocess.Popen([STENO, "pack", *files, "--force", "-o", out], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    for _ in range(20):  # until it is not over before the kill
        with start() as packing:
            while packing.poll() is None and not parts(marked=True):
                time.sleep(0.001)
            packing.kill()
        if parts():
            break
    left = parts()
    if not expect(len(left) == 1, "what a kill leaves", left):
        return
    # A run that goes on keeps its own.
    for _ in range(20):
        running = start()
        while running.poll() is None and len(parts(marked=True)) != 1:
            time.sleep(0.001)
        running.send_signal(signal.SIGSTOP)
        mine = parts(marked=True)
        if running.poll() is None and len(mine) == 1 and left[0] not in mine:
            break
        running.send_signal(signal.SIGCONT)
        running.wait(timeout=60)
    else:
        expect(False, "a run that is not over at once")
        return
    expect(not left[0].exists(), "the part of a run that was killed")
    error = run("cut", files[0], "--force", "-o", out)[2]
    expect(all(part.exists() for part in mine), "the part of another run", error)
    expect(f"steno: {copy} may be what an earlier run did not finish; remove it if so\n" in error, "a name", error)
    running.kill()
    running.wait(timeout=60)
    error = run("cut", files[0], "--force", "-o", out)[2]
    expect(all(f"steno: removed {part}, which an earlier run did not finish\n" in error for part in mine) and
           not parts(), "parts of killed runs", error, mine)
    expect(copy.exists() and other.exists(), "files of others")
    # One that is read stays, even if it looks like what a kill has left; one that is not read stays where the command
    # is refused.
    read, old = own / "out.steno.part-AbC123", own / "out.steno.part-AbC124"
    for path in (read, old):
        path.write_bytes(files[0].read_bytes())
        path.chmod(0o600 | stat.S_ISVTX)
    expect(run("cut", read, "-o", out)[0] != 0, "a refusal")
    expect(old.exists(), "an old part, after a command that was refused")
    status = run("cut", read, "--force", "-o", out)[0]
    expect(status == 0 and read.exists() and not old.exists(), "a part that is read", status)
    read.unlink()
    for path in (copy, other):
        path.unlink()


def check_many_small(directory):
    """Thousands of short sessions, as of a server with a process for each connection."""
    vector = SOURCE / "spec/vectors/packed_sessions.steno"
    size = check_pack([vector], directory / "small.steno")
    expect(size is not None and size <= vector.stat().st_size * 1.1, "short sessions stay packed", size,
           vector.stat().st_size)


def check_gain(directory):
    """A log that was written in small blocks, as a live one is."""
    busy = directory / "busy"
    busy.mkdir()
    subprocess.run([INCIDENT, str(busy), "3", "10", "2"], check=True)
    files = sorted(busy.glob("*.steno"))
    size, before = check_pack(files, directory / "busy.steno"), sum(path.stat().st_size for path in files)
    expect(size is not None and size < 0.65 * before, "bytes of a pack", size, before)


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        out = directory / "new.steno"
        night = directory / "night"
        night.mkdir()
        subprocess.run([INCIDENT, str(night), "37"], check=True)
        web, store = sorted(night.glob("web.*.steno")), night / "db.steno"
        sets = [[path] for path in sorted((SOURCE / "spec/vectors").glob("*.steno"))]
        sets += [web, [*web, store], [store]] + [[Path(path)] for path in sys.argv[4:]]
        tried = 0
        for files in sets:
            check_pack(files, out)
            for conditions in itertools.chain([[]], some_conditions(files)):
                check_cut(files, out, conditions)
                tried += 1
        expect(tried > 200, "conditions tried:", tried)
        for files in (web, [store]):
            check_questions(files, out)
        size = check_pack(web, out)
        if size is not None:
            print(f"six files of {sum(p.stat().st_size for p in web)} bytes packed into {size}")
        check_redact(directory, night)
        check_secrets(directory)
        check_many_small(directory)
        check_gain(directory)
        check_safety(directory, night)
        check_remove(directory, night)
        check_inputs_stay(directory, night)
        check_naming(directory, night)
        check_signals(directory)
        check_old_parts(directory)
        expect(not [p for p in directory.rglob("*.part-*")], "parts that are left")


main()
end()
