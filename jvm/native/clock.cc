// The counter for io.github.steno.machine.Native (ring.md §2: clock_kind).
#include <jni.h>

#include <array>
#include <bit>
#include <cstdint>

#include "base/clock.h"
#include "drain/process_clock.h"
#include "java_text.h"
#include "staging/doorbell.h"

using steno::ClockKind;

namespace {

// Reads the counter that best_clock() chooses on this machine. Callers have asked clockKind() before.
std::int64_t read_ticks() {
#if defined(__x86_64__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return static_cast<std::int64_t>(steno::counter_now());
#endif
}

}  // namespace

extern "C" {

// The foreign-function API calls it without a transition of the thread's state: it must not block.
JNIEXPORT std::int64_t steno_jvm_ticks() {
  return read_ticks();
}

JNIEXPORT jlong JNICALL Java_io_github_steno_machine_Native_ticks(JNIEnv*, jclass) {
  return read_ticks();
}

JNIEXPORT jint JNICALL Java_io_github_steno_machine_Native_clockKind(JNIEnv*, jclass) {
  return static_cast<jint>(steno::best_clock());
}

// A clock point as a slot of the session file has it: ticks, wall clock, the bits of ns per tick, and the uncertainty.
// The rate is that of the user's doorbell in the root, if one is known there.
JNIEXPORT void JNICALL Java_io_github_steno_machine_Native_readClock(JNIEnv* env, jclass, jlongArray point,
                                                                     jbyteArray root) {
  steno::staging::Doorbell* const bell = steno::staging::open_doorbell(steno::jvm::text_of(env, root));
  const double rate = steno::drain::process_clock(bell).ns_per_tick();
  steno::staging::close_doorbell(bell);
  const steno::ClockReading reading = steno::read_both(rate);
  const std::array<jlong, 4> values = {static_cast<jlong>(reading.ticks), reading.wall_ns, std::bit_cast<jlong>(rate),
                                       reading.uncertainty_ns};
  env->SetLongArrayRegion(point, 0, values.size(), values.data());
}

// The C library computes the offset, because Java's own way reads the rules of all zones first.
JNIEXPORT jint JNICALL Java_io_github_steno_machine_Native_utcOffset(JNIEnv*, jclass, jlong wall_ns) {
  return steno::utc_offset(wall_ns);
}

}  // extern "C"
