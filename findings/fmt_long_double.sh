#!/bin/sh
# {fmt} prints long doubles that do not read back as the same number.
#
# One would guess: `{}` of floating point is the shortest text that reads back as the same number, as {fmt}'s
# documentation has it and as it is for float and double. What happens, with long double of x86-64: one power of two in
# seven reads back as its neighbour (2^-37 prints as 7.275957614183425903e-12). The distance to the next smaller number
# is half as large there. std::to_chars of libstdc++ has one more digit. Version 9.1 (Debian 12) also prints 30 decimals
# of 1e-30L for `{:.2f}`. So steno prints long doubles itself (spec/types.md, "Text").
#
# Seen with {fmt} 9.1.0 (Debian 12) and 12.2.0 (PyPI's cmeel-fmt), 2026-11-28.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip -q download --no-deps -d wheel cmeel-fmt==12.2.0 > download.txt 2>&1 || { cat download.txt; exit 1; }
python3 -m zipfile -e wheel/*.whl new
apt-get -q -o APT::Sandbox::User=root download libfmt-dev=9.1.0+ds1-2 > download.txt 2>&1 || { cat download.txt; exit 1; }
dpkg-deb -x libfmt-dev_*.deb old
cat > program.cc <<'END'
#define FMT_HEADER_ONLY 1
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

int main() {
  int wrong = 0;
  for (int power = -16000; power < 16000; ++power) {
    const long double number = std::ldexp(1.0L, power);
    wrong += std::strtold(fmt::format("{}", number).c_str(), nullptr) != number;
  }
  std::printf("%d: %d of 32000 powers of two read back as another number; 2^-37 is %s; 1e-30 with two decimals is %s\n",
              FMT_VERSION / 10000, wrong, fmt::format("{}", std::ldexp(1.0L, -37)).c_str(),
              fmt::format("{:.2f}", 1e-30L).c_str());
}
END
for version in old new; do
  include=$(dirname "$(dirname "$(find "$version" -path '*fmt/format.h' | head -n 1)")")
  g++ -std=c++17 -I "$include" program.cc -o program
  ./program | tee -a printed.txt
done
grep -q '^9: 4338 .* 7.275957614183425903e-12; .* 0.000000000000000000000000000001$' printed.txt
grep -q '^12: 4338 .* 7.275957614183425903e-12; .* 0.00$' printed.txt
