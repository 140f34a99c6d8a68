#!/usr/bin/env bash
# CLI11 2.1.2 (Debian 12; 2.4.1 and 2.6.1 have the same code), seen 2026-11-28.
# One would guess: --help of a program is the same text in each run and on each machine; in "Excludes:" and "Needs:" the
#   options stand as they were added, as everywhere else in that text.
# What happens: an option keeps those that it excludes and needs in a std::set of pointers, so they stand in the order of
#   their addresses on the heap. If a program, or a library of it, has given back some memory before it adds its options,
#   the same lines of code print "--csv --json --text" or "--text --csv --json"; another malloc has its own order.
# Why it matters here: manual pages are made of --help, and packages that are built twice must be the same to the byte.
#   steno makes the text itself, in the order of the options (tools/steno/help.cc).
# Prints the line for 0, 3 and 4 blocks given back before; exits with 1 if they are all the same.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download libcli11-dev=2.1.2+ds-1 >log 2>&1 || { cat log; exit 2; }
dpkg -x libcli11-dev_*.deb .
cat >sample.cc <<'END'
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

int main(int, char** argv) {
  std::vector<std::unique_ptr<char[]>> own, kept;
  for (int i = std::atoi(argv[1]); i > 0; --i) {
    own.emplace_back(new char[sizeof(CLI::Option)]);
    kept.emplace_back(new char[64]);
  }
  own.clear();
  CLI::App app("Sample.", "sample");
  std::string file;
  CLI::Option* json = app.add_option("--json", file, "Write JSON");
  CLI::Option* csv = app.add_option("--csv", file, "Write CSV");
  CLI::Option* text = app.add_option("--text", file, "Write text");
  app.add_option("--silent", file, "Write nothing")->excludes(json)->excludes(csv)->excludes(text);
  std::cout << app.help();
}
END
g++ -std=c++17 -isystem usr/include sample.cc -o sample
for blocks in 0 3 4; do ./sample "$blocks" | grep '^  --silent'; done | tee lines
[[ $(sort -u lines | wc -l) -gt 1 ]] || { echo "the order is the same now"; exit 1; }
