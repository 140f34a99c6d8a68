#!/bin/bash
# fsspec's simplecache gives a second thread the part of a file that a first one has fetched so far, without an error.
#
# simplecache copies a file whole when it is read first, and reads the copy from then on. Its documentation calls it safer
# than the other caches where several threads read. One would guess that a thread which reads while another fetches waits,
# or fetches for itself, or fails. In fact the copy is written under its final name, and a file with that name counts as
# fetched: the second thread reads what is there so far. An end that is not there yet comes back as no bytes.
#
# fsspec 2026.9.0, Python 3.11; seen 2026-11-30.
# Why it matters here: a reader of logs asks for the beginning and the end at the same time. Ours reads a file of such a
# filesystem alone first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check fsspec==2026.9.0
"$folder/venv/bin/python" - "$folder/copies" <<'PYTHON'
import sys
import threading

from fsspec.implementations.cached import SimpleCacheFileSystem
from fsspec.implementations.memory import MemoryFileSystem

half_is_there, go_on = threading.Event(), threading.Event()


class Slow(MemoryFileSystem):
    """A store that takes a while for the second half of a file."""

    cachable = False

    def get_file(self, path, target, **_):
        data = self.cat_file(path)
        with open(target, "wb") as copy:
            copy.write(data[:len(data) // 2])
            copy.flush()
            half_is_there.set()
            go_on.wait(30)
            copy.write(data[len(data) // 2:])


store = Slow()
store.pipe_file("/file", b"a" * 1000 + b"b" * 1000)
cache = SimpleCacheFileSystem(fs=store, cache_storage=sys.argv[1])
first = []
fetching = threading.Thread(target=lambda: first.append(cache.cat_file("/file")))
fetching.start()
half_is_there.wait(30)
second = cache.cat_file("/file")
end = cache.cat_file("/file", start=1500, end=2000)
go_on.set()
fetching.join()
print(f"the thread that fetches: {len(first[0])} bytes; another one meanwhile: {len(second)} bytes; bytes 1500 to 2000: {len(end)}")
if (len(first[0]), len(second), len(end)) != (2000, 1000, 0):
    raise SystemExit("simplecache does otherwise now")
PYTHON
