#!/bin/sh
# std::format of libstdc++ 14 prints a zero byte in front of large numbers with `#`.
#
# One would guess: std::format("{:#.0f}", 1e200) is 201 digits and a point. What happens, from 1e128 on: a zero byte,
# the digits, and another byte instead of the point. The text for `#` is put together in a buffer on the stack; what is longer than that goes
# wrong. A C string of it is empty, and a log with it is no text to grep. So a reader's own std::format is no way to
# print the same everywhere, and steno prints such fields itself (spec/types.md, "Text").
#
# Seen with Debian 13's g++-14 14.2.0-19, 2026-11-28. As root, with debootstrap; some minutes.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debootstrap --variant=minbase --include=g++-14 trixie "$work/root" > "$work/log.txt" 2>&1 || { tail "$work/log.txt"; exit 1; }
cat > "$work/root/program.cc" <<'END'
#include <cstdio>
#include <format>

int main() {
  for (const double number : {1e100, 1e127, 1e128, 1e200}) {
    const std::string text = std::format("{:#.0f}", number);
    std::printf("%.0e: %zu characters, from %d to %d\n", number, text.size(), text.front(), text.back());
  }
}
END
chroot "$work/root" sh -c 'g++-14 --version | head -n 1; g++-14 -std=c++20 program.cc -o program && ./program' | tee "$work/printed.txt"
grep -q '^1e+127: 128 characters, from 57 to 46$' "$work/printed.txt"
grep -q '^1e+128: 131 characters, from 0 to 48$' "$work/printed.txt"
