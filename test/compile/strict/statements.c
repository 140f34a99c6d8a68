// Statements in C, with arguments of many types, under the warnings of a strict project.
#include <steno/c.h>

enum colour { RED, GREEN };
void statements(int n, const char* text, steno_logger* logger, const uint8_t* data);

void statements(int n, const char* text, steno_logger* logger, const uint8_t* data) {
  const uint8_t bytes[4] = {1, 0, 2, 0};
  const int8_t steps[2] = {-1, 0};
  const short small = 3;
  const bool yes = n > 0;
  const enum colour colour = GREEN;
  STENO_INFO("{n} {text} {bytes} {steps}", n, text, bytes, steps);
  STENO_INFO("{} {} {} {} {}", small, yes, colour, 1.5F, 2.5L);
  STENO_INFO("{} {} {}", data, (const void*)text, steno_text(text, 1));
  STENO_INFO("{} {}", steno_secret(text), steno_secret(n));
  STENO_INFOF("%d %s %5.2f %ld %zu", n, text, 1.5, 3L, sizeof n);
  STENO_LOG_TO(logger, WARN, "{}", n);
  STENO_LOGF_TO(logger, WARN, "%d", n);
  if (!STENO_TRY_INFO("{}", n)) STENO_ERRORF("%d", n);
}
