// printf syntax means what glibc prints: every flag, width, precision, length and conversion but %n.
// Formats are checked against their arguments when this is compiled; nothing is formatted while it runs.
#include <steno/log.h>
#include <steno/session.h>

#include <cerrno>
#include <cstdint>

int main(int argc, char** argv) {
  if (!steno::start(argc > 1 ? argv[1] : "printf.steno")) return 1;

  STENO_INFOF("%-10s|%10s|", "left", "right");
  STENO_INFOF("%05d %+d %x %#o", 42, 42, 48879, 8);
  STENO_INFOF("%.3f %10.2e %g %a", 3.14159, 314.159, 0.0001, 0.5);
  STENO_INFOF("%*.*f", 10, 2, 2.71828);                // width and precision from arguments
  STENO_INFOF("%2$s before %1$s", "second", "first");  // numbered arguments
  STENO_INFOF("%zu %lld %hhu", sizeof(int), -1LL, static_cast<unsigned char>(255));
  const char unterminated[] = {'a', 'b', 'c'};
  STENO_INFOF("%.*s", 3, unterminated);  // never reads past the precision
  STENO_INFOF("%ls and %c", L"wide", '!');
  STENO_INFOF("%s", static_cast<const char*>(nullptr));  // (null)
  errno = ENOENT;
  STENO_ERRORF("open failed: %m");  // errno, captured at the call
  STENO_INFOF("100%%");
}
