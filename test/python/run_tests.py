#!/usr/bin/env python3
"""Builds the wheel of python/ and unpacks it, or runs tests of it. Exits with 77 (skipped) where the packages are not.

    run_tests.py build libsteno_reader.so WORK
    run_tests.py test WORK BUILD BATCH_SAMPLE ALL_TYPES MANY_RESPONSES FILE...

The extension is compiled against the library of the build. Otherwise the wheel is made as pip makes it.
"""
import importlib.util
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = ("pyarrow", "duckdb", "polars", "pandas", "fsspec", "nanobind", "scikit_build_core", "pytest")


def require():
    """Goes on in the interpreter of build/python if this one lacks packages. They are not imported, which takes long."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if not missing:
        return
    bootstrapped = ROOT / "build/python/bin/python3"
    if bootstrapped.exists() and Path(sys.prefix).resolve() != bootstrapped.parents[1].resolve():
        os.execv(bootstrapped, [bootstrapped, *sys.argv])
    print(f"skipped: no {', '.join(missing)} (scripts/bootstrap installs them where PyPI can be reached)")
    sys.exit(77)


def build(library, work):
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        print("skipped: no Python.h here (scripts/bootstrap installs it)")
        return 77
    work = Path(work)
    wheels = work / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    for old in wheels.glob("*.whl"):
        old.unlink()
    settings = {"build-dir": str(work / "build"), "cmake.build-type": "Debug", "install.strip": "false",
                "cmake.define.STENO_READER_LIBRARY": library, "cmake.define.CMAKE_UNITY_BUILD": "ON",
                "cmake.define.CMAKE_CXX_FLAGS": "-O0 -g0"}
    make = f"import scikit_build_core.build as b; print(b.build_wheel({str(wheels)!r}, {settings!r}))"
    subprocess.run([sys.executable, "-c", make], cwd=ROOT / "python", check=True)
    [wheel] = wheels.glob("steno_log-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(work / "site")
    needed = ["steno/__init__.py", "steno/py.typed", "steno/_reader.pyi"]
    missing = [name for name in needed if name not in names]
    foreign = [name for name in names if not name.startswith(("steno/", "steno_log-"))]
    assert not missing and not foreign, (missing, foreign)
    extensions = [name for name in names if name.endswith(".so")]
    assert len(extensions) == 1 and extensions[0].startswith("steno/_reader."), extensions
    print(f"{wheel.name}: {len(names)} files")
    return 0


def test(work, programs, sample, types, many, *files):
    if not Path(work, "site").exists():
        print("skipped: the package has not been built (python.package)")
        return 77
    environment = {**os.environ, "PYTHONPATH": str(Path(work, "site")), "STENO_PROGRAMS": str(Path(programs, "bin")),
                   "STENO_BATCH_SAMPLE": sample, "STENO_ALL_TYPES": types, "STENO_MANY_RESPONSES": many, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(HERE),
                           "--import-mode", "importlib", *files], env=environment).returncode


if __name__ == "__main__":
    require()
    sys.exit({"build": build, "test": test}[sys.argv[1]](*sys.argv[2:]))
