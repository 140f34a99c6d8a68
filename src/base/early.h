// Makes a function's static object while the program or library is loaded.
//
// Else the first thread that needs it makes it; in the child of a fork that came meanwhile it is never ready, and
// whoever needs it there waits for ever. Every such object that a process which logs may need has this line after its
// function; the test script.check_early says if one has not.
#pragma once

#define STENO_MAKE_EARLY_NAMED(number, call)                            \
  __attribute__((constructor(101))) static void make_early_##number() { \
    (void)(call);                                                       \
  }
#define STENO_MAKE_EARLY_NUMBERED(number, call) STENO_MAKE_EARLY_NAMED(number, call)
// In the namespace where `call` can be written.
#define STENO_MAKE_EARLY(call) STENO_MAKE_EARLY_NUMBERED(__COUNTER__, call)
