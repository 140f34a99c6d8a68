#!/usr/bin/env python3
"""Builds the wheel of python/ and unpacks it, or runs tests of it. Exits with 77 (skipped) where the packages are not.

    run_tests.py build libsteno_reader.so WORK
    run_tests.py test WORK BUILD BATCH_SAMPLE ALL_TYPES MANY_RESPONSES FILE...

The extension is compiled against the library of the build. Otherwise the wheel is made as pip makes it.
"""
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYTEST_HAS_NOTHING = 5  # its exit status where a file is skipped as a whole
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


def check_stable_abi():
    """The extension calls only what the stable ABI has, also where this Python is too old to compile it so: wheels for 3.12
    and later are compiled so."""
    import nanobind
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX", "c++"), "g++", "clang++"))), None)
    if compiler is None or sys.version_info >= (3, 12):  # there it has been compiled so
        return
    sources = sorted((ROOT / "python/src").glob("*.cc"))
    text = "".join(f'#include "{source}"\n' for source in sources)
    subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-DPy_LIMITED_API=0x030B0000", "-x", "c++", "-",
                    "-include", str(HERE / "limited_api.h"), f"-I{sysconfig.get_path('include')}",
                    f"-I{nanobind.include_dir()}", f"-I{ROOT / 'include'}", f"-I{ROOT / 'python/src'}"],
                   input=text, text=True, check=True)


def check_users_build(work):
    """CMake finds all parts of the wheel that users get, which is not compiled here."""
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["cmake", "-S", ROOT / "python", "-B", work, f"-DPython_EXECUTABLE={sys.executable}", "-DSKBUILD_SCRIPTS_DIR=bin",
                    "-DCMAKE_BUILD_TYPE=Release"], check=True, stdout=subprocess.DEVNULL)
    listed = subprocess.run(["cmake", "--build", work, "--target", "help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert {"steno", "_reader"} <= set(listed.replace(":", " ").split()), listed
    shutil.rmtree(work)


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
    check_stable_abi()
    check_users_build(work / "whole")
    print(f"{wheel.name}: {len(names)} files")
    return 0


def test(work, programs, sample, types, many, *files):
    if not Path(work, "site").exists():
        print("skipped: the package has not been built (python.package)")
        return 77
    environment = {**os.environ, "PYTHONPATH": f"{Path(work, 'site')}:{HERE}", "STENO_PROGRAMS": str(Path(programs, "bin")),
                   "STENO_BATCH_SAMPLE": sample, "STENO_ALL_TYPES": types, "STENO_MANY_RESPONSES": many, "PYTHONDONTWRITEBYTECODE": "1"}
    code = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", str(HERE),
                           "--import-mode", "importlib", *files], env=environment).returncode
    return 77 if code == PYTEST_HAS_NOTHING else code


if __name__ == "__main__":
    require()
    sys.exit({"build": build, "test": test}[sys.argv[1]](*sys.argv[2:]))
