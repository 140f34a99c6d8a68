#include "context.h"

static void log_in_function(int i) {
  STENO_CONTEXT("step", i);
  STENO_INFO("in a function");
}

void c_log_in_context(void) {
  STENO_INFO("before");
  {
    const char* const user = "ada";
    STENO_CONTEXT("request", (unsigned short)7);
    STENO_CONTEXT("user", user);
    STENO_INFO("within");
    log_in_function(1);
    log_in_function(-2);
    {
      STENO_CONTEXT("user", steno_text("bobby", 3));
      STENO_INFO("hidden");
    }
    STENO_INFO("as before");
  }
  STENO_INFO("after");
}

void c_log_in_each_type(void) {
  const char* const none = NULL;
  const bool yes = true;
  const steno_context_scope scope = steno_context_set("b", yes);
  (void)steno_context_set("c", 'a');
  (void)steno_context_set("i", -1);
  (void)steno_context_set("l", INT64_MIN);
  (void)steno_context_set("u", UINT64_MAX);
  (void)steno_context_set("f", 0.5f);
  (void)steno_context_set("d", -2.25);
  (void)steno_context_set("s", "text");
  (void)steno_context_set("n", none);
  (void)steno_context_set("?0", 1);  // taken
  (void)steno_context_set("", 1);
  STENO_INFO("each type");
  steno_context_clear(scope);
  STENO_INFO("none");
}
