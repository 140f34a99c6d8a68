// Facts of a log on their way to Java: numbers and texts one after the other, as io.github.steno.spark.Packed reads
// them.
#pragma once

#include <jni.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace steno::spark {

class Packed {
 public:
  void number(std::int64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof bytes);
  }
  void text(std::string_view text) {
    number(static_cast<std::int64_t>(text.size()));
    bytes_.append(text);
  }
  void text(const char* text) { this->text(text != nullptr ? std::string_view(text) : std::string_view()); }

  // nullptr: Java has no memory, which it throws.
  jbyteArray to_java(JNIEnv* env) const {
    if (bytes_.size() > INT32_MAX) {
      if (const jclass thrown = env->FindClass("java/lang/OutOfMemoryError")) env->ThrowNew(thrown, "a log's facts");
      return nullptr;
    }
    const auto size = static_cast<jsize>(bytes_.size());
    jbyteArray made = env->NewByteArray(size);
    if (made != nullptr) env->SetByteArrayRegion(made, 0, size, reinterpret_cast<const jbyte*>(bytes_.data()));
    return made;
  }

 private:
  std::string bytes_;
};

}  // namespace steno::spark
