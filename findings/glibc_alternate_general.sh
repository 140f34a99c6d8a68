#!/bin/sh
# glibc's printf drops the zeros of %#g when rounding adds a digit.
#
# One would guess: `#` keeps the trailing zeros of %g, as ISO C says, so that every number has six significant digits:
# 999999.5 is "1.00000e+06". What happens: glibc prints "1.e+06" for it, but "1.00000e+06" for 1000000. Python and musl
# keep the zeros. So columns of %#g have numbers with one digit among those with six, and steno, which prints printf
# formats itself, does not copy glibc here (spec/types.md, "Text").
#
# Seen with Debian 12's and 13's glibc (2.36, 2.41), 2026-11-28.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -q -o APT::Sandbox::User=root download libc6 coreutils > download.txt 2>&1 || { cat download.txt; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
ls *.deb
loader=$(find root -name 'ld-linux-*.so.*' | head -n 1)
printed=$("$loader" --library-path "$(dirname "$loader"):$(dirname "$(find root -name libc.so.6 | head -n 1)")" \
  root/usr/bin/printf '%#g %#g %#.3g' 999999.5 1000000 999.5)
python=$(python3 -c 'print("%#g %#g %#.3g" % (999999.5, 1000000, 999.5))')
echo "glibc:  $printed"
echo "Python: $python"
[ "$printed" = "1.e+06 1.00000e+06 1.e+03" ]
[ "$python" = "1.00000e+06 1.00000e+06 1.00e+03" ]
