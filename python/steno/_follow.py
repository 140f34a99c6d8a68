"""Records as they are logged, by the steno command."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
import weakref
from collections.abc import Iterator
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any

from ._conditions import time_constant
from ._errors import FailedError, InvalidError, ReadError
from ._facts import LEVELS, iso, to_ns, utc

if TYPE_CHECKING:
    from ._log import Log


def records(log: Log) -> Records:
    """Log.follow(). The command runs when this returns."""
    if log._is_remote:
        raise FailedError("only files of this machine can be followed")
    command = _command()
    conditions = list(log._conditions)
    options = ["--show-secrets"] if log._arguments["show_secrets"] else []
    if "until_ns" in log._options:
        conditions.append(f"time < {time_constant(log._options['until_ns'])}")
    since = log._arguments["since"]
    if "since_ns" in log._options:
        options += ["--since", iso(log._options["since_ns"])]
    elif since is not None:
        options += ["--since", str(since)]
        conditions = conditions[1:]  # the first is that of the text
    else:
        options += ["-n", "0"]
    if conditions:
        options += ["--where", " and ".join(f"({condition})" for condition in conditions)]
    said = tempfile.TemporaryFile()
    process = subprocess.Popen([command, "tail", "-f", "--format", "json", "--big-integers", "number", *options, "--", *log.paths],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)
    return Records(process, said)


def _command() -> str:
    beside = os.path.join(sysconfig.get_path("scripts"), "steno")
    found = beside if os.access(beside, os.X_OK) else shutil.which("steno")
    if found is None:
        raise FailedError("the steno command is neither beside Python nor in the PATH")
    return found


class Records(Iterator[dict[str, Any]]):
    """The records of a running command, which ends when this is closed or no longer used, and when Python ends."""

    def __init__(self, process: subprocess.Popen, said: IO[bytes]) -> None:
        self._process = process
        self._said = said
        self._end = weakref.finalize(self, _end_command, process, said)

    def __next__(self) -> dict[str, Any]:
        if not self._end.alive:
            raise StopIteration
        try:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if line:
                return _record(json.loads(line))
            self._raise_failure()
            raise StopIteration
        except BaseException as error:
            was_closed = not self._end.alive  # by another thread: what was read meanwhile may be half a line
            self.close()
            if was_closed and isinstance(error, Exception):
                raise StopIteration from None
            raise

    def close(self) -> None:
        """Ends the command. Iterators that wait in other threads end too."""
        self._end()

    def _raise_failure(self) -> None:
        code = self._process.wait()
        self._said.seek(0)
        text = self._said.read().decode(errors="replace").strip().removeprefix("steno tail: ")
        if code == 2:
            raise InvalidError(text)
        if code != 0:
            raise ReadError(text or f"steno tail ended with {code}")


def _end_command(process: subprocess.Popen, said: IO[bytes]) -> None:
    assert process.stdout is not None
    process.kill()
    process.stdout.close()
    process.wait()
    said.close()


def _record(found: dict[str, Any]) -> dict[str, Any]:
    whole, fraction = found["time"].rstrip("Z").split(".")
    ns = to_ns(datetime.fromisoformat(f"{whole}+00:00")) + int(fraction.ljust(9, "0"))
    level = found["level"]
    severity = LEVELS.index(level) if level in LEVELS else 255
    rest = {name: value for name, value in found.items() if name not in ("time", "level")}
    return {"time": utc(ns), "time_ns": ns, "severity": severity, "level": level, **rest}
