// Batches for C (steno/c_reader.h).
#include <cstring>
#include <string>
#include <string_view>

#include "capi/code.h"
#include "capi/reader.h"
#include "steno/batch.h"

namespace steno::capi {
namespace {

steno_stream_options stream_defaults() {
  const BatchOptions options;
  steno_stream_options c{};
  c.size = sizeof c;
  c.min_level = static_cast<steno_level>(options.min_level);
  c.since_ns = options.since_ns;
  c.until_ns = options.until_ns;
  c.max_rows = options.max_rows;
  c.part = options.part;
  c.parts = options.parts;
  c.min_rows = options.min_rows;
  c.profile = static_cast<steno_profile>(options.profile);
  return c;
}

BatchOptions translate(const steno_stream_options& c) {
  BatchOptions options;
  if (c.statement != nullptr) options.statement = c.statement;
  options.stable_id = c.stable_id;
  if (!options.statement.empty() || c.stable_id != 0) options.shape = BatchOptions::Shape::kStatement;
  for (std::size_t i = 0; i < c.column_count; ++i) options.columns.emplace_back(c.columns[i]);
  if (c.where != nullptr) options.where = c.where;
  options.min_level = static_cast<Level>(c.min_level);
  options.since_ns = c.since_ns;
  options.until_ns = c.until_ns;
  options.dictionary_strings = c.dictionary_strings;
  options.binary_strings = c.binary_strings;
  options.view_strings = c.view_strings;
  options.max_rows = c.max_rows;
  options.part = c.part;
  options.parts = c.parts;
  options.skip_missing = c.skip_missing;
  options.min_rows = c.min_rows;
  options.profile = static_cast<BatchOptions::Profile>(c.profile);
  if (c.progress != nullptr) {
    options.progress = [call = c.progress, context = c.progress_context](const BatchProgress& progress) {
      const steno_stream_progress of = {progress.blocks, progress.done, progress.read};
      return call(context, &of);
    };
  }
  return options;
}

// Walks through the metadata of a schema, whose numbers are in the machine's order.
class MetadataWalk {
 public:
  explicit MetadataWalk(const char* at) : at_(at) {}

  std::int32_t number() {
    std::int32_t value = 0;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string_view text() {
    const auto size = static_cast<std::size_t>(number());
    at_ += size;
    return {at_ - size, size};
  }

 private:
  const char* at_;
};

}  // namespace

Result<BatchOptions> batch_options(const steno_stream_options* given) {
  steno_stream_options known = stream_defaults();
  if (Status status = read_options(given, &known, "STENO_STREAM_OPTIONS"); !status.ok()) return status;
  if (known.profile > STENO_PROFILE_PARQUET) return Status(StatusCode::kInvalidArgument, "no such profile");
  return translate(known);
}

}  // namespace steno::capi

using namespace steno::capi;

extern "C" {

void steno_stream_options_init(steno_stream_options* options, size_t size) {
  options_init(stream_defaults(), options, size);
}

steno_code steno_reader_stream(steno_reader* reader, const steno_stream_options* options, ArrowArrayStream* out,
                               steno_error* error) {
  *out = {};
  return guarded(error, [&]() -> steno::Status {
    auto known = batch_options(options);
    return known.ok() ? reader->log.stream(*known, out) : known.status();
  });
}

steno_code steno_reader_estimate(steno_reader* reader, const steno_stream_options* options, steno_estimate* out,
                                 size_t size, steno_error* error) {
  return guarded(error, [&]() -> steno::Status {
    auto known = batch_options(options);
    if (!known.ok()) return known.status();
    const auto estimate = reader->log.estimate(*known);
    if (!estimate.ok()) return estimate.status();
    const steno_estimate c = {estimate->blocks, estimate->bytes, estimate->rows, estimate->opened_bytes};
    hand_out(c, out, size);
    return {};
  });
}

int64_t steno_schema_text(const ArrowSchema* schema, const char* key, const char** text) {
  if (schema->metadata == nullptr) return -1;
  MetadataWalk walk(schema->metadata);
  for (std::int32_t left = walk.number(); left > 0; --left) {
    const bool is_wanted = walk.text() == key;
    const std::string_view value = walk.text();
    if (!is_wanted) continue;
    *text = value.data();
    return static_cast<std::int64_t>(value.size());
  }
  return -1;
}

}  // extern "C"
