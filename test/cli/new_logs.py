"""The command under test, and what was wrong with the logs that it writes."""
import resource
import subprocess
import sys

STENO = sys.argv[1]
failures = 0


def run(*arguments, limit=None):
    """-> (status, what it printed, what it complained of). `limit`: the most bytes of a file that it writes."""
    def less_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    done = subprocess.run([STENO, *map(str, arguments)], capture_output=True, check=False,
                          preexec_fn=less_room if limit is not None else None)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def expect(holds, *words):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", *words)
    return holds


def end():
    sys.exit(1 if failures else 0)
