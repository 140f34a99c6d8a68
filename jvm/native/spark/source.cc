#include "source.h"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

namespace steno::spark {
namespace {

struct JavaSource {
  JavaVM* machine;
  jobject source;  // a global reference
  jmethodID read;
};

// A thread of the reader is one of Java's from its first call on, and ends as one.
class Attachment {
 public:
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  ~Attachment() {
    if (attached_ != nullptr) attached_->DetachCurrentThread();
  }

  // nullptr: Java has ended, or has no memory.
  JNIEnv* environment(JavaVM* machine) {
    void* env = nullptr;
    if (machine->GetEnv(&env, JNI_VERSION_1_8) == JNI_OK) return static_cast<JNIEnv*>(env);
    if (machine->AttachCurrentThreadAsDaemon(&env, nullptr) != JNI_OK) return nullptr;
    attached_ = machine;
    return static_cast<JNIEnv*>(env);
  }

 private:
  JavaVM* attached_ = nullptr;
};

thread_local Attachment attachment;

steno_code fail_read(steno_error* error, const char* why) {
  std::snprintf(error->text, sizeof error->text, "%s", why);
  return STENO_IO_ERROR;
}

// Takes what Java has thrown, whose text becomes the reason.
steno_code fail_thrown(JNIEnv* env, steno_error* error) {
  jthrowable const thrown = env->ExceptionOccurred();
  env->ExceptionClear();
  const jmethodID describe = env->GetMethodID(env->GetObjectClass(thrown), "toString", "()Ljava/lang/String;");
  auto* const said = describe == nullptr ? nullptr : static_cast<jstring>(env->CallObjectMethod(thrown, describe));
  if (env->ExceptionCheck() || said == nullptr) {
    env->ExceptionClear();
    return fail_read(error, "cannot be read");
  }
  const char* const text = env->GetStringUTFChars(said, nullptr);
  const steno_code code = fail_read(error, text != nullptr ? text : "cannot be read");
  if (text != nullptr) env->ReleaseStringUTFChars(said, text);
  return code;
}

steno_code read_all(JNIEnv* env, const JavaSource& java, const steno_range* ranges, std::size_t count,
                    steno_error* error) {
  std::vector<jlong> numbers;
  numbers.reserve(3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<jlong>(ranges[i].offset));
    numbers.push_back(static_cast<jlong>(ranges[i].size));
    numbers.push_back(reinterpret_cast<jlong>(ranges[i].to));
  }
  jlongArray const wanted = env->NewLongArray(static_cast<jsize>(numbers.size()));
  if (wanted == nullptr) return fail_thrown(env, error);
  env->SetLongArrayRegion(wanted, 0, static_cast<jsize>(numbers.size()), numbers.data());
  env->CallVoidMethod(java.source, java.read, wanted);
  return env->ExceptionCheck() ? fail_thrown(env, error) : STENO_OK;
}

steno_code read(void* context, const steno_range* ranges, std::size_t count, steno_error* error) {
  const auto& java = *static_cast<const JavaSource*>(context);
  JNIEnv* const env = attachment.environment(java.machine);
  if (env == nullptr) return fail_read(error, "Java has ended");
  if (env->PushLocalFrame(16) != 0) return fail_thrown(env, error);
  steno_code code = STENO_IO_ERROR;
  try {
    code = read_all(env, java, ranges, count, error);
  } catch (const std::exception& problem) {
    code = fail_read(error, problem.what());
  }
  env->PopLocalFrame(nullptr);
  return code;
}

void release(void* context) {
  auto* const java = static_cast<JavaSource*>(context);
  if (JNIEnv* const env = attachment.environment(java->machine)) env->DeleteGlobalRef(java->source);
  delete java;
}

}  // namespace

steno_source source_of(JNIEnv* env, jobject source, const char* name, jlong bytes) {
  const jmethodID method = env->GetMethodID(env->GetObjectClass(source), "read", "([J)V");
  JavaVM* machine = nullptr;
  jobject const kept = method == nullptr ? nullptr : env->NewGlobalRef(source);
  if (kept == nullptr || env->GetJavaVM(&machine) != JNI_OK) throw std::runtime_error("no source of Java");
  steno_source made{};
  made.size = sizeof made;
  made.name = name;
  made.bytes = static_cast<std::uint64_t>(bytes);
  made.context = new JavaSource{machine, kept, method};
  made.read = &read;
  made.release = &release;
  return made;
}

}  // namespace steno::spark
