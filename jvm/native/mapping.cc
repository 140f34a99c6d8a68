// Mapped files for io.github.steno.machine.Native. A JDK from 18 on makes the first buffer that it maps by reflection,
// which takes a program that starts some 30 ms.
#include <fcntl.h>
#include <jni.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>

#include "java_text.h"
#include "unload.h"

namespace {

jobject refuse(JNIEnv* env, int error) {
  const jclass thrown = env->FindClass("java/io/IOException");
  if (thrown != nullptr) env->ThrowNew(thrown, std::generic_category().message(error).c_str());
  return nullptr;
}

}  // namespace

extern "C" {

// The first bytes of a file that has them, until the library is unloaded. Throws an IOException that says why they
// cannot be mapped.
JNIEXPORT jobject JNICALL Java_io_github_steno_machine_Native_map(JNIEnv* env, jclass, jbyteArray path, jlong size) {
  const int fd = open(steno::jvm::text_of(env, path).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return refuse(env, errno);
  void* const memory = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  close(fd);
  if (memory == MAP_FAILED) return refuse(env, error);
  jobject const buffer = env->NewDirectByteBuffer(memory, size);
  if (buffer == nullptr) {
    munmap(memory, static_cast<std::size_t>(size));  // an error is thrown already
    return nullptr;
  }
  try {
    steno::jvm::at_unload([memory, size] { munmap(memory, static_cast<std::size_t>(size)); });
  } catch (const std::exception&) {
    // It stays mapped.
  }
  return buffer;
}

}  // extern "C"
