#!/bin/sh
# An -E on ctest's command line takes the place of the preset's exclusion of names, and leaves that of labels.
#
# One would guess: `ctest --preset p -E b` leaves out what the preset's filter excludes and, besides, tests whose names
# match b, since it narrows a run; or else that options of the command line replace the preset's whole "exclude". What
# happens: each key is replaced by its own option. The test that the preset excludes by name runs again, without a word;
# the one that it excludes by label does not. So a sanitizer's run of a slow test, which its preset left out, came back
# with an unrelated -E.
# Why it matters here: .ci/run gives no options that select tests to a preset with filters; each selection is a preset.
#
# Seen with CMake 4.4.5 from PyPI, and with Debian 12's 3.25.1, 2026-11-30.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q cmake==4.4.5
export PATH="$PWD/venv/bin:$PATH"
cat > CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(filters NONE)
enable_testing()
foreach(name slow network other fast)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E true)
endforeach()
set_tests_properties(network PROPERTIES LABELS remote)
CMAKE
cat > CMakePresets.json <<'JSON'
{"version": 3,
 "configurePresets": [{"name": "p", "generator": "Unix Makefiles", "binaryDir": "${sourceDir}/build"}],
 "testPresets": [{"name": "p", "configurePreset": "p", "filter": {"exclude": {"name": "^slow$", "label": "^remote$"}}}]}
JSON
cmake --version | head -n 1
cmake --preset p > configure.txt 2>&1 || { cat configure.txt; exit 1; }
listed() { ctest --preset p -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p' | sort | tr '\n' ' '; }
alone=$(listed)
narrowed=$(listed -E '^other$')
echo "the preset:                $alone"
echo "the preset and -E ^other\$: $narrowed"
[ "$alone" = "fast other " ]
[ "$narrowed" = "fast slow " ]
