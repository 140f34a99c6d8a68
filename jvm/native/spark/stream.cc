// Batches for io.github.steno.spark.Native: those of an Arrow stream, whose buffers Java reads where they lie.
#include <jni.h>
#include <steno/c_reader.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "packed.h"
#include "texts.h"

namespace {

using steno::spark::fail;
using steno::spark::guarded;
using steno::spark::Packed;

struct Stream {
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (arrow.release != nullptr) arrow.release(&arrow);
  }

  ArrowArrayStream arrow{};
  steno_stream_progress progress{};
};

struct Batch {
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    if (arrow.release != nullptr) arrow.release(&arrow);
  }

  ArrowArray arrow{};
};

Stream* stream_of(jlong handle) {
  return reinterpret_cast<Stream*>(handle);
}

bool keep_progress(void* stream, const steno_stream_progress* progress) {
  static_cast<Stream*>(stream)->progress = *progress;
  return true;
}

// `code`: of a call of the stream that failed.
void fail_stream(JNIEnv* env, Stream& stream, int code) {
  const char* const why = stream.arrow.get_last_error(&stream.arrow);
  fail(env, code == ENOMEM ? STENO_EXHAUSTED : STENO_IO_ERROR, why != nullptr ? why : std::strerror(code));
}

// Returns what a schema has under a key; empty: nothing.
std::string_view text_under(const ArrowSchema& schema, const char* key) {
  const char* text = nullptr;
  const std::int64_t size = steno_schema_text(&schema, key, &text);
  return size < 0 ? std::string_view() : std::string_view(text, static_cast<std::size_t>(size));
}

constexpr jsize kPerColumn = 5;

// The arguments of Native.stream(), as options of the reader, which view them.
class Asked {
 public:
  // May leave an exception of Java behind.
  Asked(JNIEnv* env, jbyteArray statement, jobjectArray columns, jbyteArray where, jlongArray numbers)
      : statement_(steno::spark::text_of(env, statement)),
        where_(steno::spark::text_of(env, where)),
        names_(steno::spark::texts_of(env, columns)),
        pointers_(steno::spark::pointers_to(names_)) {
    jlong given[8] = {};
    env->GetLongArrayRegion(numbers, 0, 8, given);
    STENO_STREAM_OPTIONS(&options);
    if (!statement_.empty()) options.statement = statement_.c_str();
    if (!where_.empty()) options.where = where_.c_str();
    if (!names_.empty()) options.columns = pointers_.data();
    options.column_count = names_.size();
    options.stable_id = static_cast<std::uint64_t>(given[0]);
    options.since_ns = given[1];
    options.until_ns = given[2];
    options.part = static_cast<std::uint32_t>(given[3]);
    options.parts = static_cast<std::uint32_t>(given[4]);
    options.min_rows = static_cast<std::uint32_t>(given[5]);
    options.max_rows = static_cast<std::uint32_t>(given[6]);
    options.profile = static_cast<steno_profile>(given[7]);
  }

  steno_stream_options options;

 private:
  const std::string statement_;
  const std::string where_;
  const std::vector<std::string> names_;
  const std::vector<const char*> pointers_;
};

}  // namespace

extern "C" {

// `numbers`: the stable id, since, until, part, parts, the fewest and the most rows, the profile. Empty texts: none.
JNIEXPORT jlong JNICALL Java_io_github_steno_spark_Native_stream(JNIEnv* env, jclass, jlong reader,
                                                                 jbyteArray statement, jobjectArray columns,
                                                                 jbyteArray where, jlongArray numbers) {
  return guarded<jlong>(env, 0, [&]() -> jlong {
    Asked asked(env, statement, columns, where, numbers);
    if (env->ExceptionCheck()) return 0;
    auto stream = std::make_unique<Stream>();
    asked.options.progress = &keep_progress;
    asked.options.progress_context = stream.get();
    steno_error error{};
    auto* const opened = reinterpret_cast<steno_reader*>(reader);
    if (steno_reader_stream(opened, &asked.options, &stream->arrow, &error) != STENO_OK) {
      stream->arrow.release = nullptr;
      fail(env, error);
      return 0;
    }
    return reinterpret_cast<jlong>(stream.release());
  });
}

// Stores how many bytes the blocks have that a stream reads at most, of all parts, and those of them that have to be
// opened for it.
JNIEXPORT void JNICALL Java_io_github_steno_spark_Native_estimate(JNIEnv* env, jclass, jlong reader,
                                                                  jbyteArray statement, jobjectArray columns,
                                                                  jbyteArray where, jlongArray numbers,
                                                                  jlongArray bytes) {
  guarded<jlong>(env, 0, [&]() -> jlong {
    Asked asked(env, statement, columns, where, numbers);
    if (env->ExceptionCheck()) return 0;
    steno_estimate estimate{};
    steno_error error{};
    auto* const opened = reinterpret_cast<steno_reader*>(reader);
    if (steno_reader_estimate(opened, &asked.options, &estimate, sizeof estimate, &error) != STENO_OK) {
      fail(env, error);
      return 0;
    }
    const jlong told[] = {static_cast<jlong>(estimate.bytes), static_cast<jlong>(estimate.opened_bytes)};
    env->SetLongArrayRegion(bytes, 0, 2, told);
    return 0;
  });
}

// Packs the format of the statement, and the name and the format of Arrow of each column, with the name that it has as
// an argument (empty: it is none).
JNIEXPORT jbyteArray JNICALL Java_io_github_steno_spark_Native_schema(JNIEnv* env, jclass, jlong handle) {
  return guarded<jbyteArray>(env, nullptr, [&]() -> jbyteArray {
    Stream& stream = *stream_of(handle);
    ArrowSchema schema{};
    if (const int code = stream.arrow.get_schema(&stream.arrow, &schema); code != 0) {
      fail_stream(env, stream, code);
      return nullptr;
    }
    Packed packed;
    packed.text(text_under(schema, "steno.format"));
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& column = *schema.children[i];
      packed.text(column.name);
      packed.text(column.dictionary != nullptr ? column.dictionary->format : column.format);
      const std::string_view own = text_under(column, "steno.name");
      const std::string_view name = own.empty() ? std::string_view(column.name) : own;
      packed.text(text_under(column, "steno.type").empty() ? std::string_view() : name);
    }
    schema.release(&schema);
    return packed.to_java(env);
  });
}

// The next batch, 0 at the end. Into `facts`: the number of its rows, then of each column the first value's number, the
// nulls (-1: not counted), and the addresses of bits of validity (0: all are there), of values or offsets, and of the
// texts that offsets point into.
JNIEXPORT jlong JNICALL Java_io_github_steno_spark_Native_next(JNIEnv* env, jclass, jlong handle, jlongArray facts) {
  return guarded<jlong>(env, 0, [&]() -> jlong {
    Stream& stream = *stream_of(handle);
    auto batch = std::make_unique<Batch>();
    if (const int code = stream.arrow.get_next(&stream.arrow, &batch->arrow); code != 0) {
      batch->arrow.release = nullptr;
      fail_stream(env, stream, code);
      return 0;
    }
    if (batch->arrow.release == nullptr) return 0;
    std::vector<jlong> told = {batch->arrow.length};
    for (std::int64_t i = 0; i < batch->arrow.n_children; ++i) {
      const ArrowArray& column = *batch->arrow.children[i];
      told.push_back(column.offset + batch->arrow.offset);
      told.push_back(column.null_count);
      for (std::int64_t buffer = 0; buffer < 3; ++buffer) {
        told.push_back(buffer < column.n_buffers ? reinterpret_cast<jlong>(column.buffers[buffer]) : 0);
      }
    }
    if (env->GetArrayLength(facts) != 1 + kPerColumn * batch->arrow.n_children) {
      fail(env, STENO_CORRUPT, "a batch has other columns than its stream");
      return 0;
    }
    env->SetLongArrayRegion(facts, 0, static_cast<jsize>(told.size()), told.data());
    return reinterpret_cast<jlong>(batch.release());
  });
}

JNIEXPORT void JNICALL Java_io_github_steno_spark_Native_release(JNIEnv*, jclass, jlong batch) {
  delete reinterpret_cast<Batch*>(batch);
}

// Stores how many blocks there were to look at, and how many of them were decoded.
JNIEXPORT void JNICALL Java_io_github_steno_spark_Native_progress(JNIEnv* env, jclass, jlong stream,
                                                                  jlongArray counts) {
  const steno_stream_progress& progress = stream_of(stream)->progress;
  const jlong told[] = {static_cast<jlong>(progress.blocks), static_cast<jlong>(progress.read)};
  env->SetLongArrayRegion(counts, 0, 2, told);
}

JNIEXPORT void JNICALL Java_io_github_steno_spark_Native_closeStream(JNIEnv*, jclass, jlong stream) {
  delete stream_of(stream);
}

}  // extern "C"
