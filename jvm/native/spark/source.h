// Logs that Java fetches: from any filesystem of Hadoop.
#pragma once

#include <jni.h>
#include <steno/c_reader.h>

namespace steno::spark {

// Reads by the method read() of an io.github.steno.spark.Source, which the result keeps. `name` is copied when the
// source is opened.
steno_source source_of(JNIEnv* env, jobject source, const char* name, jlong bytes);

}  // namespace steno::spark
