// Texts and failures between Java and the reader. Texts are arrays of bytes: those of a log may be no UTF-8.
#pragma once

#include <jni.h>

#include <steno/c_error.h>

#include <string>
#include <string_view>
#include <vector>

namespace steno::spark {

inline std::string text_of(JNIEnv* env, jbyteArray bytes) {
  if (bytes == nullptr) return {};
  std::string text(static_cast<std::size_t>(env->GetArrayLength(bytes)), '\0');
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()), reinterpret_cast<jbyte*>(text.data()));
  return text;
}

inline std::vector<std::string> texts_of(JNIEnv* env, jobjectArray arrays) {
  std::vector<std::string> texts;
  const jsize count = arrays == nullptr ? 0 : env->GetArrayLength(arrays);
  for (jsize i = 0; i < count; ++i) {
    auto* const one = static_cast<jbyteArray>(env->GetObjectArrayElement(arrays, i));
    texts.push_back(text_of(env, one));
    env->DeleteLocalRef(one);
  }
  return texts;
}

inline std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

// Throws a StenoException, unless something is thrown already.
inline void fail(JNIEnv* env, steno_code code, std::string_view text) {
  if (env->ExceptionCheck()) return;
  const jclass thrown = env->FindClass("io/github/steno/spark/StenoException");
  if (thrown == nullptr) return;
  const jmethodID make = env->GetMethodID(thrown, "<init>", "(I[B)V");
  const auto size = static_cast<jsize>(text.size());
  jbyteArray const bytes = make == nullptr ? nullptr : env->NewByteArray(size);
  if (bytes == nullptr) return;
  env->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(text.data()));
  jobject const made = env->NewObject(thrown, make, static_cast<jint>(code), bytes);
  if (made != nullptr) env->Throw(static_cast<jthrowable>(made));
}

inline void fail(JNIEnv* env, const steno_error& error) {
  fail(env, error.code, std::string_view(error.text));
}

// Runs `work`, whose C++ exceptions become Java's. Returns `failed` then.
template <class Result, class Work>
Result guarded(JNIEnv* env, Result failed, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    fail(env, STENO_EXHAUSTED, "no memory");
  } catch (const std::exception& problem) {
    fail(env, STENO_IO_ERROR, problem.what());
  }
  return failed;
}

}  // namespace steno::spark
