// Makes a function's static object while the program or library is loaded.
//
// Otherwise the first thread that needs it creates it; if another thread forks meanwhile, the object never becomes
// ready in the child, and threads that need it there wait for ever. Every such object that a logging process may need
// has this line after its function; the test script.check_early finds those without it.
#pragma once

#define STENO_MAKE_EARLY_NAMED(number, call)                            \
  __attribute__((constructor(101))) static void make_early_##number() { \
    (void)(call);                                                       \
  }
#define STENO_MAKE_EARLY_NUMBERED(number, call) STENO_MAKE_EARLY_NAMED(number, call)
// In the namespace where `call` can be written.
#define STENO_MAKE_EARLY(call) STENO_MAKE_EARLY_NUMBERED(__COUNTER__, call)
