// Texts of Java that are paths: bytes of UTF-8 without a NUL.
#pragma once

#include <jni.h>

#include <string>

namespace steno::jvm {

inline std::string text_of(JNIEnv* env, jbyteArray bytes) {
  std::string text(static_cast<std::size_t>(env->GetArrayLength(bytes)), '\0');
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()), reinterpret_cast<jbyte*>(text.data()));
  return text;
}

}  // namespace steno::jvm
