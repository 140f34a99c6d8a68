#!/usr/bin/env bash
# qemu-user 7.2+dfsg-7+deb12u18+b3 (Debian 12), seen 2026-11-28; 10.0.13 of Debian 13 zeroes the memory, but takes any
# number for advice, too, and ignores MADV_DONTFORK.
# One would guess: madvise(MADV_WIPEONFORK), which is a promise and no hint, either works in an emulated program or fails
#   with EINVAL, as on a kernel that is older than it. So a program that checks the result knows where it stands.
# What happens: it returns 0, and the child reads its parent's bytes. Each advice returns 0, also one that is none (-1),
#   which Linux refuses with EINVAL.
# Why it matters here: a child that no fork handler prepared (clone(), _Fork()) is known by a page that the system zeroes
#   in it, and else takes its parent's session for its own. steno therefore tries -1, too: where the system takes that,
#   the process's id is compared as well (src/base/own_process.h).
# Runs one program with and without the emulator; exits with 1 if both say the same.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download qemu-user=1:7.2+dfsg-7+deb12u18+b3 >log 2>&1 || { cat log; exit 2; }
dpkg -x qemu-user_*.deb .
qemu=$PWD/usr/bin/qemu-x86_64
cat >sample.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *page = 42;
  int wipe = madvise(page, 4096, MADV_WIPEONFORK);
  int none = madvise(page, 4096, -1);
  pid_t child = fork();
  if (child == 0) _exit(*page);
  int status;
  waitpid(child, &status, 0);
  printf("MADV_WIPEONFORK returns %d, advice -1 returns %d, the child reads %d\n", wipe, none, WEXITSTATUS(status));
}
END
gcc -static sample.c -o sample
"$qemu" --version | head -n 1
here=$(./sample)
emulated=$("$qemu" ./sample)
echo "Linux:     $here"
echo "qemu-user: $emulated"
[[ $emulated == *"returns 0, advice -1 returns 0, the child reads 42" && $here == *"returns 0, advice -1 returns -1, the child reads 0" ]] ||
  { echo "the emulator does as Linux now"; exit 1; }
