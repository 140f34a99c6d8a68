#pragma once

/// A numbered place at which a test may have the process killed: between any two steps of the protocols of
/// `spec/ring.md §4-5`. In the library this is nothing. In the variant that test/crash links, where STENO_KILL_POINTS
/// is defined, the environment says what a visit does:
///
///     STENO_KILL_AT=name[:nth]   SIGKILL for the whole process at the nth visit (1 if not said) of that point
///     STENO_KILL_LOG=file        append the name, once for each process and name
///
/// Names are string literals, `file.what_was_just_done`, each used in one place; the test finds them in the sources.
#ifdef STENO_KILL_POINTS
#define STENO_KILL_POINT(name) ::steno::base::kill_point(name)

namespace steno::base {
void kill_point(const char* name) noexcept;
}
#else
#define STENO_KILL_POINT(name) ((void)0)
#endif
