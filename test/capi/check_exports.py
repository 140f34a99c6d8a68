#!/usr/bin/env python3
"""Checks that a shared library exports what its version script lists, all of it and nothing else.

    check_exports.py LIBRARY MAP
"""
import fnmatch
import re
import subprocess
import sys


def main():
    library, script = sys.argv[1:]
    with open(script, encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
    listed = re.findall(r"^\s+(\w+\*?);$", text.split("local:")[0], re.M)
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    exported = [line.split()[-1].split("@")[0] for line in lines.splitlines() if line.split()[-2] != "A"]
    extra = [name for name in exported if not any(fnmatch.fnmatchcase(name, entry) for entry in listed)]
    # Entries that end in B* are names with the mark of another C++ library, which a usual build has not.
    missing = [entry for entry in listed if not entry.endswith("B*") and not fnmatch.filter(exported, entry)]
    for name in extra:
        print(f"exported and not listed: {name}")
    for entry in missing:
        print(f"listed and not exported: {entry}")
    print(f"{len(exported)} symbols exported, {len(listed)} entries")
    return 1 if extra or missing or not listed else 0


if __name__ == "__main__":
    sys.exit(main())
