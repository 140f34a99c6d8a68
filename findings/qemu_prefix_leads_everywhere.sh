#!/usr/bin/env bash
# qemu-user 7.2 (Debian 12; 10.0 of Debian 13 does the same), seen 2026-11-28.
# One would guess: `qemu-ARCH -L PREFIX program`, documented as "the elf interpreter prefix", finds the program's loader
#   and libraries below PREFIX, and its own open() and readdir() see the machine's files.
# What happens: each absolute path of each call that exists below PREFIX is led there, and "/" itself always exists
#   there. So a program that opens "/" and goes on from that descriptor, as one does to let nobody redirect it by a link, finds
#   no /tmp, while open("/tmp/file") by the whole path works. What a program sees depends on how it spells a path.
# Why it matters here: steno opens a log's directory step by step from "/". With -L every log was "No such file or
#   directory" (scripts/check_arm64 puts the libraries where the loader looks instead, by an overlay).
# Lists "/" and a directory's file by the whole path, with and without a prefix; exits with 1 if the prefix makes no
# difference to a program's own calls.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download qemu-user >log 2>&1 || { cat log; exit 2; }
dpkg -x qemu-user_*.deb .
qemu=$PWD/usr/bin/qemu-x86_64
"$qemu" --version | head -n 1
mkdir prefix
touch prefix/only-this
without=$("$qemu" /bin/ls / | tr '\n' ' ')
with=$("$qemu" -L "$PWD/prefix" /bin/ls / | tr '\n' ' ')
echo "ls / without a prefix: $without"
echo "ls / with one:         $with"
"$qemu" -L "$PWD/prefix" /bin/cat /etc/hostname >/dev/null && echo "/etc/hostname with one, by its whole path: found"
[[ $with == "only-this " && $without != "$with" ]] || { echo "the prefix is for the loader and libraries now"; exit 1; }
