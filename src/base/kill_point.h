#pragma once

/// A numbered place at which a test may have the process killed: between any two steps of the protocols of
/// `spec/ring.md §4-5`. In the library this is nothing. In the variant that test/crash links, where STENO_KILL_POINTS
/// is defined, the environment says what a visit does:
///
///     STENO_KILL_AT=name[:nth]   SIGKILL for the whole process at the nth visit (1 if not said) of that point
///     STENO_KILL_LOG=file        append the name, once for each process and name
///     STENO_DELAY_POINTS=n       wait at one visit in n, mostly for microseconds, at times for milliseconds: so
///                                that races are common which need another thread between two steps
///
/// STENO_DELAY_POINT() only waits: for steps between which a death changes nothing, but another thread may.
///
/// Names are string literals, `file.what_was_just_done`, each used in one place; the test finds them in the sources.
#ifdef STENO_KILL_POINTS
#define STENO_KILL_POINT(name) ::steno::base::kill_point(name)
#define STENO_DELAY_POINT() ::steno::base::delay_point()

namespace steno::base {
void kill_point(const char* name) noexcept;
void delay_point() noexcept;
}  // namespace steno::base
#else
#define STENO_KILL_POINT(name) ((void)0)
#define STENO_DELAY_POINT() ((void)0)
#endif
