#!/usr/bin/env python3
"""Manual pages: what they have beside the words of --help, and that groff has nothing to say of them.

    man_check.py STENO SOURCE
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STENO, SOURCE = sys.argv[1], Path(sys.argv[2])


def said(*words):
    return subprocess.run([STENO, *words], capture_output=True, text=True, check=True).stdout


def plain(text):
    """Without the marks of troff, and blanks as one."""
    return " ".join(text.replace(r"\&", "").replace(r"\-", "-").replace(r"\e", "\\").split())


def sections(page):
    """-> {heading: text}"""
    parts = re.split(r'^\.SH "?(.*?)"?$', page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, SOURCE / "scripts/man_pages", STENO, folder], check=True)
        pages = sorted(folder.glob("*.1"))
        assert len(pages) > 20, pages
        conditions = 0
        for path in pages:
            page = sections(path.read_text(encoding="utf-8"))
            status = plain(page["EXIT STATUS"])
            for word in ("0 success", "1 something is missing or damaged", "2 wrong usage", "3 a file cannot be read"):
                assert word in status.replace(".TP ", "").replace(".B ", ""), (path, status)
            words = path.stem.split("-", 1)[1:]
            has_where = " --where " in said(*words, "--help")
            assert has_where == ("EXPRESSIONS" in page), path
            conditions += has_where
            if has_where:
                for topic, heading in (("where", "EXPRESSIONS"), ("fields", "FIELDS"), ("times", "TIMES")):
                    assert plain(said("help", topic)) in plain(page[heading]), (path, topic)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", path], capture_output=True, text=True, check=True)
                assert not done.stderr and done.stdout, (path, done.stderr)
        assert conditions >= 6, conditions


main()
