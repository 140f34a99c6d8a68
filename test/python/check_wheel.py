#!/usr/bin/env python3
"""Builds the wheel, installs it into a fresh virtual environment, and works with it there.

    check_wheel.py SOURCE WORK BUILD

With STENO_WHEEL=whole it is the wheel that users get, which takes minutes to compile, and its size is checked; else the
reader and the command in it are those of BUILD. Exits with 77 (skipped) where scripts/build_wheel cannot build.
"""
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

LARGEST = 6_000_000  # bytes


def main(source, work, programs):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    whole = os.environ.get("STENO_WHEEL") == "whole"
    built = subprocess.run([f"{source}/scripts/build_wheel", *([] if whole else ["--of", programs]), sys.executable], env=environment, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        return built.returncode
    print(built.stdout, end="")
    wheel = Path(source, re.match(r"(\S+): ", built.stdout)[1])
    assert "manylinux" in wheel.name, wheel
    assert not whole or wheel.stat().st_size <= LARGEST, wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "steno/py.typed" in names and "steno/_reader.pyi" in names
    assert any(name.endswith(".data/scripts/steno") for name in names), names

    shutil.rmtree(work, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", work], check=True)
    python = f"{work}/bin/python3"
    run = lambda *command, **more: subprocess.run(command, check=True, env=environment, cwd=work, **more)
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", wheel)
    # The programs need the distribution alone, and no other package.
    run(f"{programs}/bin/requests")
    steno = f"{work}/bin/steno"
    rows = run(python, "-c", "import steno; print(steno.open('app.steno').table().count())", stdout=subprocess.PIPE)
    lines = run(steno, "cat", "app.steno", stdout=subprocess.PIPE).stdout.splitlines()
    assert int(rows.stdout) == len(lines) > 3000, (rows.stdout, len(lines))
    needed = run("ldd", steno, stdout=subprocess.PIPE, text=True).stdout
    assert "re2" not in needed and "zstd" not in needed, needed

    # The examples of the pages run with the engines of build/python. The command finds the programs beside it.
    engines = subprocess.run([f"{source}/build/python/bin/python3", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    [site] = Path(work).glob("lib/python*/site-packages")
    Path(site, "engines.pth").write_text(engines + "\n")
    found = run(steno, "sql", "--format", "csv", "select count(*) as n from log", "app.steno", stdout=subprocess.PIPE)
    assert found.stdout.decode().split() == ["n", str(len(lines))]
    run(steno, "export", "--to", "parquet", "--out", "app.parquet", "app.steno")
    environment.update(STENO_PROGRAMS=f"{programs}/bin", PYTHONDONTWRITEBYTECODE="1")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode", "importlib", f"{source}/test/python/test_tour.py",
        "--rootdir", f"{source}/test/python", "--noconftest")
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
