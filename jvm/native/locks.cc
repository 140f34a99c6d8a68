// Locks of staging for io.github.steno.Native: those of open file descriptions (ring.md §1.5), which outlive that a
// scribe in the same process opens and closes the file. Java's do not.
#include <fcntl.h>
#include <jni.h>
#include <unistd.h>

#include <cerrno>

#include "java_text.h"
#include "staging/held_locks.h"

extern "C" {

// A descriptor that holds the exclusive lock on a file, as soon as nobody else does; or -errno.
JNIEXPORT jint JNICALL Java_io_github_steno_Native_lock(JNIEnv* env, jclass, jbyteArray path) {
  const int fd = open(steno::jvm::text_of(env, path).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return -errno;
  if (steno::staging::lock(fd)) return fd;
  const int error = errno;
  close(fd);
  return -error;
}

JNIEXPORT void JNICALL Java_io_github_steno_Native_unlock(JNIEnv*, jclass, jint fd) {
  steno::staging::unlock(fd);
  close(fd);
}

}  // extern "C"
