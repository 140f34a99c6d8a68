// Mapped files for io.github.steno.Native. A JDK from 18 on makes the first buffer that it maps by reflection, which
// takes a program that starts some 30 ms.
#include <fcntl.h>
#include <jni.h>
#include <sys/mman.h>
#include <unistd.h>

#include "java_text.h"

extern "C" {

// The first bytes of a file that has them, until the process ends; null: they cannot be mapped.
JNIEXPORT jobject JNICALL Java_io_github_steno_Native_map(JNIEnv* env, jclass, jbyteArray path, jlong size) {
  const int fd = open(steno::jvm::text_of(env, path).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return nullptr;
  void* const memory = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return memory == MAP_FAILED ? nullptr : env->NewDirectByteBuffer(memory, size);
}

}  // extern "C"
