#!/usr/bin/env python3
"""Compile time and code size of 2,000 log statements of mixed types in one file, beside spdlog's.

    compile [--json FILE] [--smoke]

Takes its compiler and include path from CMake (the first lines that it was configured with).
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

COMPILER = "@CMAKE_CXX_COMPILER@"
INCLUDE = "@PROJECT_SOURCE_DIR@/include"

# The arguments of statements: the declaration as a parameter, the name, the field.
ARGUMENTS = [("int i", "i", "{}"), ("unsigned long u", "u", "{}"), ("double d", "d", "{:.2f}"), ("const char* s", "s", "{}"),
             ("const std::string& t", "t", "{}"), ("bool b", "b", "{}"), ("long long l", "l", "{}")]
PARAMETERS = ", ".join(declaration for declaration, _, _ in ARGUMENTS)


def statements(count):
    """Formats and argument lists; the same for every logger."""
    rng = random.Random(11)
    for number in range(count):
        picked = [rng.choice(ARGUMENTS) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4]))]
        text = f"statement {number} of the file" + "".join(f", value {field}" for _, _, field in picked)
        yield text, [name for _, name, _ in picked]


def source(logger, count):
    lines = ["#include <string>"]
    if logger == "steno":
        lines += ["#include <steno/log.h>"]
        call = "STENO_INFO"
    else:
        lines += ["#include <spdlog/spdlog.h>"]
        call = "spdlog::info"
    per_function = 20
    for number, (text, names) in enumerate(statements(count)):
        if number % per_function == 0:
            lines.append(("" if number == 0 else "}\n") + f"void work_{number // per_function}({PARAMETERS}) {{")
            lines.append("  (void)i; (void)u; (void)d; (void)s; (void)t; (void)b; (void)l;")
        lines.append(f"  {call}({', '.join([json.dumps(text)] + names)});")
    lines.append("}" if count else "")
    return "\n".join(lines) + "\n"


def compile_seconds(path, flags):
    begin = time.monotonic()
    subprocess.run([COMPILER, "-std=c++17", "-O3", "-I", INCLUDE, *flags, "-c", path, "-o", path + ".o"], check=True)
    return time.monotonic() - begin


def sections(path):
    """Bytes of each section by name."""
    out = subprocess.run(["size", "-A", path], check=True, capture_output=True, text=True).stdout
    sizes = {}
    for line in out.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[0].startswith("."):
            sizes[fields[0]] = sizes.get(fields[0], 0) + int(fields[1])
    return sizes


def spdlog_flags():
    found = subprocess.run(["pkg-config", "--cflags", "spdlog"], capture_output=True, text=True)
    return found.stdout.split() if found.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    count, repeats = (20, 1) if arguments.smoke else (2000, 3)
    loggers = {"steno": []}
    if (flags := spdlog_flags()) is not None:
        loggers["spdlog"] = flags
    times = {name: [] for name in loggers}
    sizes = {}
    with tempfile.TemporaryDirectory() as directory:
        for name in loggers:
            with open(os.path.join(directory, name + ".cc"), "w") as file:
                file.write(source(name, count))
        for _ in range(repeats):  # in turn, so that a drift of the machine meets both
            for name, flags in loggers.items():
                times[name].append(compile_seconds(os.path.join(directory, name + ".cc"), flags))
        for name in loggers:
            sizes[name] = sections(os.path.join(directory, name + ".cc.o"))

    seconds = {name: statistics.median(values) for name, values in times.items()}
    hot = {name: sum(size for section, size in found.items()
                     if section == ".text" or section.startswith(".text._Z")) / count for name, found in sizes.items()}
    suites = [
        {"name": "compile", "title": f"Compiling {count:,} statements of mixed types in one file, -O3", "unit": "s",
         "lower_is_better": True, "rows": [{"label": n, "values": {"seconds": s}} for n, s in seconds.items()], "bars": []},
        {"name": "compile_size", "title": "Code of a statement in the hot section", "unit": "bytes", "lower_is_better": True,
         "rows": [{"label": n, "values": {"bytes": s}} for n, s in hot.items()],
         "bars": [{"metric": "hot code a statement, bytes", "value": hot["steno"], "limit": 150, "ok": hot["steno"] <= 150}]}]
    if "spdlog" in seconds:
        ratio = seconds["steno"] / seconds["spdlog"]
        suites[0]["bars"].append({"metric": "compile time / spdlog's", "value": ratio, "limit": 0.5, "ok": ratio <= 0.5})
    for suite in suites:
        for bar in suite["bars"]:
            print(f"{'ok' if bar['ok'] else 'MISS':4} {bar['metric']:70} {bar['value']:8.3f} (bar {bar['limit']:g})")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"suites": suites}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
