#!/usr/bin/env bash
# qemu-user 7.2+dfsg-7+deb12u18+b3 (Debian 12), seen 2026-11-30.
# One would guess: the counter of an emulated arm64 processor (CNTVCT_EL0), which states 62.5 MHz (CNTFRQ_EL0), advances by
#   single ticks of 16 ns, counts from some start, and does not care what the system's clock says.
# What happens: it advances once a microsecond, by 62 or 63 ticks, and is the time of day: divided by its frequency it is
#   the seconds since 1970. So a clock that is set moves it, too, and dozens of reads in a row give the same tick.
# Why it matters here: records of a thread had one tick in two files where a log was rotated between them, and the later
#   file was shown first. Tests on arm64 showed it once in thousands of runs; steno's order of records does not need
#   different ticks any more (docs/guide/threads.md).
# Compiles a program for arm64 by a compiler from PyPI and runs it in the emulator; exits with 1 if the counter is finer.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download qemu-user=1:7.2+dfsg-7+deb12u18+b3 >log 2>&1 || { cat log; exit 2; }
dpkg -x qemu-user_*.deb .
python3 -m venv venv
venv/bin/pip install --quiet ziglang==0.13.0
cat >counter.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static uint64_t counter(void) {
  uint64_t ticks;
  __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

int main(void) {
  uint64_t hz, least = UINT64_MAX, last = counter();
  __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
  long same = 0;
  for (int steps = 0; steps < 2000;) {
    const uint64_t now = counter();
    same += now == last;
    steps += now != last;
    if (now != last && now - last < least) least = now - last;
    last = now;
  }
  const long long off = (long long)(last / hz) - (long long)time(NULL);
  printf("%llu Hz, least step %llu ticks, %ld of %ld reads saw no step, %s\n", (unsigned long long)hz,
         (unsigned long long)least, same, same + 2000, off > -3 && off < 3 ? "it is the time of day" : "it is a counter");
  return least > 1 && off > -3 && off < 3 ? 0 : 1;
}
END
export ZIG_GLOBAL_CACHE_DIR=$work/cache
venv/bin/python -m ziglang cc -target aarch64-linux-musl -static -O2 -Wno-unused counter.c -o counter 2>/dev/null
usr/bin/qemu-aarch64 --version | head -n 1
usr/bin/qemu-aarch64 ./counter || { echo "the counter is finer now, or another clock"; exit 1; }
