// Locks of staging for io.github.steno.machine.Native: those of open file descriptions (ring.md §1.5), which outlive
// that a scribe in the same process opens and closes the file. Java's do not.
#include <fcntl.h>
#include <jni.h>
#include <unistd.h>

#include <cerrno>

#include "java_text.h"
#include "staging/held_locks.h"

namespace {

// A descriptor of a file that is locked by `lock`; or -errno.
template <typename Lock>
jint open_locked(JNIEnv* env, jbyteArray path, Lock&& lock) {
  const int fd = open(steno::jvm::text_of(env, path).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return -errno;
  if (lock(fd)) return fd;
  const int error = errno;
  close(fd);
  return -error;
}

}  // namespace

extern "C" {

// A descriptor that holds the exclusive lock on a file, as soon as nobody else does; or -errno.
JNIEXPORT jint JNICALL Java_io_github_steno_machine_Native_lock(JNIEnv* env, jclass, jbyteArray path) {
  return open_locked(env, path, steno::staging::lock);
}

// One that holds a lock, if nobody else has one that excludes it; or -errno: -EWOULDBLOCK if somebody has.
JNIEXPORT jint JNICALL Java_io_github_steno_machine_Native_tryLock(JNIEnv* env, jclass, jbyteArray path,
                                                                   jboolean shared) {
  static_assert(EWOULDBLOCK == 11);  // Native.HELD
  const auto kind = shared != JNI_FALSE ? steno::staging::LockKind::kShared : steno::staging::LockKind::kExclusive;
  return open_locked(env, path, [kind](int fd) { return steno::staging::try_lock(fd, kind); });
}

JNIEXPORT void JNICALL Java_io_github_steno_machine_Native_unlock(JNIEnv*, jclass, jint fd) {
  steno::staging::unlock(fd);
  close(fd);
}

}  // extern "C"
