// Open logs for io.github.steno.spark.Native: what <steno/c_reader.h> says of them.
#include <jni.h>
#include <steno/c_reader.h>

#include <new>
#include <string>
#include <vector>

#include "beginning.h"
#include "packed.h"
#include "source.h"
#include "texts.h"

namespace {

using steno::spark::fail;
using steno::spark::guarded;
using steno::spark::Packed;

steno_reader* reader_of(jlong handle) {
  return reinterpret_cast<steno_reader*>(handle);
}

// Sources that make(i) makes. If one cannot be made, those before it are released.
template <class Make>
std::vector<steno_source> sources_of(std::size_t count, const Make& make) {
  std::vector<steno_source> made;
  made.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) made.push_back(make(i));
  } catch (...) {
    for (const steno_source& one : made) one.release(one.context);
    throw;
  }
  return made;
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_io_github_steno_spark_Native_open(JNIEnv* env, jclass, jobjectArray paths) {
  return guarded<jlong>(env, 0, [&]() -> jlong {
    const std::vector<std::string> texts = steno::spark::texts_of(env, paths);
    const std::vector<const char*> pointers = steno::spark::pointers_to(texts);
    steno_error error{};
    steno_reader* const reader = steno_reader_open(pointers.data(), pointers.size(), &error);
    if (reader == nullptr) fail(env, error);
    return reinterpret_cast<jlong>(reader);
  });
}

JNIEXPORT jlong JNICALL Java_io_github_steno_spark_Native_openSources(JNIEnv* env, jclass, jobjectArray names,
                                                                      jlongArray sizes, jobjectArray sources) {
  return guarded<jlong>(env, 0, [&]() -> jlong {
    const std::vector<std::string> texts = steno::spark::texts_of(env, names);
    std::vector<jlong> bytes(texts.size());
    env->GetLongArrayRegion(sizes, 0, static_cast<jsize>(bytes.size()), bytes.data());
    const std::vector<steno_source> made = sources_of(texts.size(), [&](std::size_t i) {
      jobject const source = env->GetObjectArrayElement(sources, static_cast<jsize>(i));
      const steno_source one = steno::spark::source_of(env, source, texts[i].c_str(), bytes[i]);
      env->DeleteLocalRef(source);
      return one;
    });
    steno_error error{};
    steno_reader* const reader = steno_reader_open_sources(made.data(), made.size(), nullptr, &error);
    if (reader == nullptr) fail(env, error);
    return reinterpret_cast<jlong>(reader);
  });
}

JNIEXPORT jlong JNICALL Java_io_github_steno_spark_Native_openBeginnings(JNIEnv* env, jclass, jobjectArray paths,
                                                                         jlongArray sizes) {
  return guarded<jlong>(env, 0, [&]() -> jlong {
    const std::vector<std::string> texts = steno::spark::texts_of(env, paths);
    std::vector<jlong> bytes(texts.size());
    env->GetLongArrayRegion(sizes, 0, static_cast<jsize>(bytes.size()), bytes.data());
    const std::vector<steno_source> made = sources_of(texts.size(), [&](std::size_t i) {
      return steno::spark::beginning_of(texts[i], static_cast<std::uint64_t>(bytes[i]));
    });
    steno_reader_options options;
    STENO_READER_OPTIONS(&options);
    options.copied_bytes = UINT64_MAX;  // of a file that is written there is no index
    steno_error error{};
    steno_reader* const reader = steno_reader_open_sources(made.data(), made.size(), &options, &error);
    if (reader == nullptr) fail(env, error);
    return reinterpret_cast<jlong>(reader);
  });
}

JNIEXPORT void JNICALL Java_io_github_steno_spark_Native_close(JNIEnv*, jclass, jlong reader) {
  steno_reader_close(reader_of(reader));
}

// Packs the text, file, line, stable id and types of each statement.
JNIEXPORT jbyteArray JNICALL Java_io_github_steno_spark_Native_sites(JNIEnv* env, jclass, jlong reader) {
  return guarded<jbyteArray>(env, nullptr, [&] {
    Packed packed;
    steno_site_facts site{};
    for (std::size_t i = 0; steno_reader_site(reader_of(reader), i, &site, sizeof site); ++i) {
      packed.text(site.format);
      packed.text(site.file);
      packed.number(site.line);
      packed.number(static_cast<std::int64_t>(site.stable_id));
      packed.text(site.types);
    }
    return packed.to_java(env);
  });
}

// Packs the path, id, number of records of each session, and whether it has ended.
JNIEXPORT jbyteArray JNICALL Java_io_github_steno_spark_Native_sessions(JNIEnv* env, jclass, jlong reader) {
  return guarded<jbyteArray>(env, nullptr, [&] {
    Packed packed;
    steno_session_facts session{};
    for (std::size_t i = 0; steno_reader_session(reader_of(reader), i, &session, sizeof session); ++i) {
      packed.text(session.path);
      packed.number(static_cast<std::int64_t>(session.session_id));
      packed.number(static_cast<std::int64_t>(session.records));
      packed.number(session.ended ? 1 : 0);
    }
    return packed.to_java(env);
  });
}

// Packs the path and the sentence of each loss, of all or of those that are known.
JNIEXPORT jbyteArray JNICALL Java_io_github_steno_spark_Native_losses(JNIEnv* env, jclass, jlong reader, jboolean all) {
  return guarded<jbyteArray>(env, nullptr, [&] {
    const auto next_loss = all != JNI_FALSE ? &steno_reader_loss : &steno_reader_known_loss;
    Packed packed;
    steno_loss loss{};
    for (std::size_t i = 0; next_loss(reader_of(reader), i, &loss, sizeof loss); ++i) {
      packed.text(loss.path);
      packed.text(loss.text);
    }
    return packed.to_java(env);
  });
}

}  // extern "C"
