#!/usr/bin/env python3
"""The scripts of `steno completion`, run by the shells that they are for.

    shells_check.py STENO INCIDENT_LOG

A person types the beginning of a word and Tab into an interactive shell on a terminal, and then Enter; a program in place
of steno writes down the words that it gets. Exits with 77, which skips the test, where none of the shells is there.
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STENO, INCIDENT = (str(Path(path).resolve()) for path in sys.argv[1:3])
STAND_IN = """#!/bin/sh
[ "$1" != complete ] || exec {steno} "$@"
printf '%s\\n' "$@" end > words.new
mv words.new words
"""
# The keys before Tab -> the words that the program gets, in place of LOG and of the last one.
TYPED = [
    ("ca", ["cat"]),
    ("cat {log} --grep-", ["cat", "{log}", "--grep-not"]),
    ("cat {log} --level W", ["cat", "{log}", "--level", "WARN"]),
    ("cat {log} --thread flu", ["cat", "{log}", "--thread", "flusher"]),
    ("agg {log} --by hos", ["agg", "{log}", "--by", "host"]),
    ("cat {log} --where ten", ["cat", "{log}", "--where", "tenant"]),
    # A text with blanks and braces is one word, whether its quote was typed or not.
    ("agg {log} deployed", ["agg", "{log}", "deployed {{version}}"]),
    ("agg {log} 'request fa", ["agg", "{log}", "request failed: {{reason}}"]),
    ("cat {log} --site server.cc:14", ["cat", "{log}", "--site", "server.cc:140"]),
    ("cat {log} --where 'line == 140 and ten", ["cat", "{log}", "--where", "line == 140 and tenant"]),
    # Names of files are the shell's own.
    ("cat lo", ["cat", "log.steno"]),
]
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <({steno} completion bash)\n"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit && compinit -D -u; source <({steno} completion zsh)\n"),
    "fish": (["fish", "--no-config", "-i"], "{steno} completion fish | source\n"),
}


class Typist:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command, directory):
        environment = {"PATH": f"{directory}/bin:{os.environ['PATH']}", "HOME": str(directory), "TERM": "xterm",
                       "LANG": "C.UTF-8", "PS1": "$ ", "XDG_CONFIG_HOME": str(directory / "config"),
                       "XDG_DATA_HOME": str(directory / "data")}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, environment)
        self.seen = ""

    def read(self, seconds):
        """Whatever comes until nothing has come for so long."""
        while select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.terminal, 4096).decode(errors="replace")
            except OSError:
                return

    def wait(self, holds, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            if holds():
                return True
        return False

    def type(self, text):
        os.write(self.terminal, text.encode())

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def plain(text):
    """Without what moves the cursor and colours."""
    return re.sub(r"\x1b(\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|[()=>].?)", "", text)


def typed(shell, directory):
    """-> [(typed, got)] for each of TYPED."""
    command, script = SHELLS[shell]
    words = directory / "words"
    got = []
    typist = Typist(command, directory)
    try:
        typist.type(script.format(steno=STENO))
        typist.type("steno ready\n")
        if not typist.wait(words.exists):
            return [("ready", None, plain(typist.seen))]
        for line, wanted in TYPED:
            words.unlink(missing_ok=True)
            wanted = [word.format(log="log.steno") for word in wanted]
            # Keys that are typed ahead wait until the shell has completed the word.
            typist.seen = ""
            typist.type("steno " + line.format(log="log.steno") + "\t\n")
            typist.wait(words.exists, 30)
            have = words.read_text(encoding="utf-8").splitlines()[:-1] if words.exists() else None
            got.append((line, have == wanted, (have, wanted, plain(typist.seen))))
            if have is None:
                return got  # a line that is not complete would take the next ones for its rest
    finally:
        typist.close()
    return got


def main():
    failures, tried = 0, 0
    for shell in SHELLS:
        if not shutil.which(shell):
            print(f"{shell} is not here")
            continue
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            (directory / "bin").mkdir()
            stand_in = directory / "bin/steno"
            stand_in.write_text(STAND_IN.format(steno=STENO), encoding="utf-8")
            stand_in.chmod(0o755)
            subprocess.run([INCIDENT, name, "5"], check=True)
            (directory / "web.1.steno").rename(directory / "log.steno")
            tried += 1
            for line, good, what in typed(shell, directory):
                if not good:
                    failures += 1
                    print(f"FAILED: {shell}: {line!r}: {what}")
    if tried == 0:
        return 77
    return 1 if failures else 0


sys.exit(main())
