// Every macro of <steno/c.h> in surroundings that are none too friendly.
#define DEBUG 1
#define INFO 2
#define printf my_printf
#define ERROR(...) error(__VA_ARGS__)
#include <steno/c.h>

#include <wchar.h>

enum color { RED, GREEN };
struct point {
  int x, y;
  const char* name;
};
void statements(steno_logger* logger, struct point* p, int n);

static inline int one_of_a_header(int i) {
  STENO_DEBUG("inline {}", i);
  return i;
}

void statements(steno_logger* logger, struct point* p, int n) {
  const char array[] = "array";
  volatile int changes = n;
  const enum color color = GREEN;
  static long double wide = 1;
  int i = 0;
  if (n > 1)
    STENO_INFO("a statement");
  else
    STENO_INFO("another");
  for (i = 0; i < n; ++i) STENO_LOG(TRACE, "{} {}", p[i].x, p[i].name);
  switch (n) {
    case 0:
      STENO_DEBUG("{} {} {}", array, changes, color);
      break;
    default:
      STENO_NOTICE("{}", p != NULL);
  }
  STENO_INFO("{} {} {}", i++, n ? "yes" : "no", (p->x > 1) && n);
  STENO_INFO(
      "two"
      " parts: {}"
      "!",
      wide);
  STENO_WARN("{}", steno_text(array, 2));
  STENO_ERROR("{}", (void*)p);
  if (!STENO_TRY_INFO("{}", n) || !STENO_TRY_LOGF_TO(logger, WARN, "%s", p->name)) return;
  STENO_CRITICAL("{0} {0}", one_of_a_header(n));
  STENO_TRACEF("%d", p->y);
  STENO_DEBUGF("%-*s", n, array);
  STENO_INFOF("%.*s %5.2f", 3, p->name, 1.5);
  STENO_NOTICEF("%ls", L"wide");
  STENO_WARNF("%p", (void*)p);
  STENO_ERRORF("%Lf %lld %zu", wide, 1LL, sizeof *p);
  STENO_CRITICALF("100%%");
  STENO_LOG_TO(logger, WARN, "to {}", 1);
  STENO_LOG_TO(n ? logger : NULL, INFO, "to");
  STENO_LOGF_TO(logger, ERROR, "%s", array);
  STENO_LOGF(INFO, "%s", p->name);
  {
    STENO_CONTEXT("n", n);
    STENO_CONTEXT("color", color);
    STENO_CONTEXT("name", p->name);
    STENO_CONTEXT("changes", changes);
    steno_context_clear(steno_context_set("array", steno_text(array, 2)));
  }
  steno_logf(STENO_LEVEL_INFO, "%d", n);
  steno_logf_to(logger, STENO_LEVEL_INFO, "%s", array);
}
