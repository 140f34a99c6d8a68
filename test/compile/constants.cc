// gone: _ZN6Limits5kMostE _ZN6Limits7kColourE _ZN6Limits7kLetterE

// kept: constants

// A constant without a definition can be an argument: a statement takes its value, not its address, without
// optimisation too. So nothing names it in the object.
#include <steno/check.h>
#include <steno/context.h>
#include <steno/limit.h>
#include <steno/log.h>
#include <steno/secret.h>
#include <steno/span.h>
#include <steno/sync_logger.h>

enum class Colour : unsigned char { kRed };
struct Limits {
  static const int kMost = 5;
  static const Colour kColour = Colour::kRed;
  static const char kLetter = 'x';
};
struct __attribute__((packed)) Header {
  char first;
  int n;
  double d;
};
struct Bits {
  unsigned three : 3;
  int five : 5;
  bool flag : 1;
};
void statements(const Header& header, const Bits& bits, const volatile int& changing, steno::SyncLogger& sync);

void statements(const Header& header, const Bits& bits, const volatile int& changing, steno::SyncLogger& sync) {
  const steno::ScopedContext context("n", Limits::kMost);
  STENO_SPAN("constants {} {} {}", Limits::kMost, Limits::kColour, Limits::kLetter);
  STENO_INFO("{} {} {}", Limits::kMost, Limits::kColour, Limits::kLetter);
  STENO_INFOF("%d %c", Limits::kMost, Limits::kLetter);
  STENO_LOG_TO(sync.logger(), INFO, "{}", Limits::kMost);
  if (!STENO_TRY_INFO("{}", Limits::kMost) || !STENO_SYNC(sync, INFO, "{}", Limits::kMost)) return;
  STENO_LOG_EVERY_N(INFO, Limits::kMost, "{}", Limits::kMost);
  STENO_CHECK(Limits::kMost > 3, "{}", Limits::kMost);
  STENO_INFO("{}", steno::secret(Limits::kMost));
  STENO_INFO("{} {} {} {} {} {}", header.n, header.d, bits.three, bits.five, bits.flag, changing);
}
