#include "statements.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

char c_expected[2000][256];
size_t c_expected_count;
char* c_next_expected(void) {
  return c_expected[c_expected_count++];
}

#define BOTH(...)                                                   \
  do {                                                              \
    snprintf(c_next_expected(), sizeof c_expected[0], __VA_ARGS__); \
    STENO_INFOF(__VA_ARGS__);                                       \
  } while (0)

void c_log_special(void) {
  const char open[4] = {'o', 'p', 'e', 'n'};  // no NUL
  const unsigned char bytes[] = "bytes";
  int width = 6;
  for (int round = 0; round < 2; ++round) {
    BOTH("%.4s|%.2s|%.*s|%.*s", open, "cut", 3, open, -1, "whole");
    BOTH("%*d|%-*d|%.*f", width, 42, width, 42, width - 4, 3.14159);
    BOTH("%ls|%.2ls|%lc", L"wide", L"cut", (wint_t)L'w');
    BOTH("%p %p", (const void*)open, (void*)&width);
    BOTH("%s", (const char*)bytes);
    BOTH("%Lf %Le", 2.5L, -1e300L);
    BOTH("%2$s is %1$d, %1$d is %2$s", 7, "seven");
    BOTH("%%|%c%c", 'x', 0x79);
  }
  BOTH("%p", "a string by its address");
}

const char* const* c_log_types(void) {
  static const char* const texts[] = {"true false",
                                      "c 1 -2 3",
                                      "-4 5 -6 7",
                                      "-8 9 -10 11",
                                      "1.5 2.25 3.125",
                                      "text mutable array bytes [2, 0, 1] [-1, 0] [0]",
                                      "(null) ab",
                                      "0x10 0x0",
                                      "7 2",
                                      "1 of 3, x = 2",
                                      "170141183460469231731687303715884105727",
                                      "16 17 18",
                                      NULL};
  enum color { RED = 2, GREEN = 7 };
  const bool yes = true;
  volatile bool no = false;
  const char c = 'c';
  signed char a = 1;
  short s = -2;
  unsigned short t = 3;
  char array[] = "array";
  char* text = array;
  const unsigned char* const bytes = (const unsigned char*)"bytes";
  const uint8_t mac[3] = {2, 0, 1};
  int8_t steps[2] = {-1, 0};
  static volatile uint8_t changing[1];
  enum color color = GREEN;
  struct {
    unsigned three : 3;
    int five : 5;
  } fields = {1, -2};
  __extension__ __int128 wide = (__int128)(((unsigned __int128)1 << 127) - 1);
  fields.five = 2;
  STENO_INFO("{} {}", yes, no);
  STENO_INFO("{} {} {} {}", c, a, s, t);
  STENO_INFO("{} {} {} {}", -4, 5u, -6L, 7ul);
  STENO_INFO("{} {} {} {}", -8ll, 9ull, INT64_C(-10), SIZE_MAX - SIZE_MAX + 11);
  STENO_INFO("{} {} {}", 1.5f, 2.25, 3.125L);
  STENO_INFO("{} {} {} {} {} {} {}", "text", "mutable", text, bytes, mac, steps, changing);
  STENO_INFO("{} {}", (const char*)NULL, steno_text("abc", 2));
  STENO_INFO("{} {}", (void*)16, NULL);
  STENO_INFO("{} {}", color, (int)RED);
  STENO_INFO("{} of {}, x = {}", (unsigned)fields.three, 3, (int)fields.five);
  STENO_INFO("{big}", wide);
  STENO_INFO("{0} {1} {2}", 16, 17, 18);
  return texts;
}

void c_log_many_arguments(void) {
  STENO_INFO("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
             "16");
  STENO_INFOF("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %s", 1, 2,
              3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
              31, "32");
}

int c_log_evaluations(void) {
  int evaluated = 0;
  STENO_INFO("{}", ++evaluated);
  STENO_INFOF("%d", ++evaluated);
  STENO_INFOF("%.*s", ++evaluated, "abcdef");
  STENO_LOG_TO(NULL, INFO, "{}", ++evaluated);
  steno_set_level(STENO_LEVEL_WARN);
  STENO_INFO("{}", ++evaluated);
  STENO_INFOF("%.*s", ++evaluated, "abcdef");
  if (evaluated == 4)
    STENO_INFO("not logged");
  else
    evaluated = -1;
  steno_set_level(STENO_LEVEL_TRACE);
  return evaluated;
}

void c_log_wrong_formats(void) {
  for (int i = 0; i < 2; ++i) {
    STENO_WARN("{} and {}", i);
    STENO_WARN("{:d}", "text");
    STENO_WARN("{");
  }
}

void c_log_levels(steno_logger* logger) {
  STENO_TRACE("TRACE {}", 0);
  STENO_DEBUG("DEBUG {}", 1);
  STENO_INFO("INFO {}", 2);
  STENO_NOTICE("NOTICE {}", 3);
  STENO_WARN("WARN {}", 4);
  STENO_ERROR("ERROR {}", 5);
  STENO_CRITICAL("CRITICAL {}", 6);
  STENO_TRACEF("TRACE %d", 0);
  STENO_DEBUGF("DEBUG %d", 1);
  STENO_INFOF("INFO %d", 2);
  STENO_NOTICEF("NOTICE %d", 3);
  STENO_WARNF("WARN %d", 4);
  STENO_ERRORF("ERROR %d", 5);
  STENO_CRITICALF("CRITICAL %d", 6);
  STENO_LOG_TO(logger, NOTICE, "to a logger: {}", "braces");
  STENO_LOGF_TO(logger, ERROR, "to a logger: %s", "printf");
  STENO_LOGF_TO(logger, ERROR, "to a logger: %.*s", 6, "bounded");
  STENO_LOG_TO(logger, DEBUG, "below its level");
}

void c_log_loop(int times) {
  for (int i = 0; i < times; ++i) STENO_INFO("{language} {i}", "C", i);
}

bool c_try(int i, const char* text) {
  if (i % 4 == 0) return STENO_TRY_INFO("{} {}", i, text);
  if (i % 4 == 1) return STENO_TRY_LOGF(INFO, "%d %s", i, text);
  if (i % 4 == 2) return STENO_TRY_NOTICEF("%d %.*s", i, 4, text);
  const bool accepted = STENO_TRY_LOG(DEBUG, "{} -", i);
  return accepted;
}

bool c_try_to(steno_logger* logger, int i) {
  return i % 2 == 0 ? STENO_TRY_LOG_TO(logger, WARN, "{}", i) : STENO_TRY_LOGF_TO(logger, CRITICAL, "%d", i);
}

int c_try_disabled(steno_logger* quiet) {
  int evaluated = 0;
  bool all = STENO_TRY_LOG_TO(quiet, WARN, "{}", ++evaluated) && STENO_TRY_LOGF_TO(quiet, WARN, "%d", ++evaluated);
  steno_set_level(STENO_LEVEL_WARN);
  all = all && STENO_TRY_INFO("{}", ++evaluated) && STENO_TRY_INFOF("%d", ++evaluated);
  steno_set_level(STENO_LEVEL_TRACE);
  return all ? evaluated : -1;
}

void c_log_large(const char* text, size_t size) {
  STENO_INFO("{}", steno_text(text, size));
  STENO_INFO("{}", text);
  STENO_INFOF("%s %d", text, 7);
}

void c_log_text(steno_logger* logger, const char* text, size_t size) {
  STENO_INFO("{}", text);
  STENO_ERROR("{}", steno_text(text, size));
  STENO_LOG_TO(logger, INFO, "{}", text);
  STENO_LOG_TO(logger, ERROR, "{}", steno_text(text, size));
  STENO_INFOF("%d %s %d", 1, text, 2);
}

void c_log_errno(void) {
  errno = ENOENT;
  STENO_INFOF("%s: %m", "open");
  STENO_INFOF("still %d", errno == ENOENT);
}

void c_log_secrets(const char* card, int pin) {
  STENO_INFO("{user} has {card} and {pin:>12}", "ada", steno_secret(card), steno_secret(pin));
  STENO_INFO("{} {} {} {}", steno_secret(steno_text(card, 4)), steno_secret(2.5), steno_secret(18000000000000000000u),
             steno_secret((const char*)NULL));
  STENO_INFO("{a} {b}", steno_secret(card), steno_text("known", 5));
  char large[4096];
  memset(large, 'x', sizeof large);
  STENO_INFO("{} {}", steno_secret(steno_text(large, sizeof large)), 7);  // the long way
  STENO_INFO("{:d}", steno_secret(pin));                                  // wrong: a secret shows as a string
}

void c_log_at_run_time(steno_logger* logger, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  steno_vlogf_to(logger, STENO_LEVEL_NOTICE, format, arguments);
  va_end(arguments);
  steno_logf(STENO_LEVEL_INFO, "from %s", __func__);
}

bool c_run_once(bool run) {
  if (run) STENO_ERROR("a statement in C that may never run");
  return run;
}
