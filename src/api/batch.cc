#include "steno/batch.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <functional>
#include <new>
#include <utility>

#include "api/log_reader_impl.h"
#include "arrow/batch_export.h"
#include "arrow/batch_join.h"
#include "arrow/batch_pool.h"
#include "arrow/batch_source.h"
#include "arrow/profile.h"

namespace steno {
namespace {

BatchColumn view_of(const arrow::ColumnData& data, const char* format) {
  BatchColumn column;
  column.format = format;
  column.length = data.length;
  column.nulls = data.nulls;
  if (!data.validity.empty()) column.validity = data.validity.data();
  column.values = data.values.data();
  if (!data.offsets.empty()) column.offsets = reinterpret_cast<const std::int32_t*>(data.offsets.data());
  return column;
}

// Behind ArrowArrayStream::private_data.
struct StreamState {
  std::shared_ptr<const void> log;  // keeps what `source` reads
  std::unique_ptr<arrow::BatchSource> source;
  std::shared_ptr<const arrow::Fields> fields;          // of the source
  std::shared_ptr<const arrow::Fields> profile_fields;  // of the stream
  std::function<bool(const BatchProgress&)> progress;
  std::uint32_t min_rows = 1;
  std::uint32_t max_rows = 1;
  std::shared_ptr<arrow::BatchPool> pool = std::make_shared<arrow::BatchPool>();
  std::shared_ptr<arrow::BatchData> batch;
  bool is_pending = false;  // `batch` has not been handed out
  arrow::BatchJoin join;
  std::function<void(const std::vector<reader::DecodeFailure>&)> add_failures;
  std::string error;
};

// The caller does not want more.
struct Canceled {};

// A ByteSource fails. get_next() gives EIO, and get_last_error() the status's message.
struct SourceFailure {
  Status status;
};

// False: there are no more batches.
bool advance(StreamState& state) {
  if (state.batch == nullptr) state.batch = state.pool->take();
  for (;;) {
    const auto step = state.source->step(&state.batch);
    if (!state.source->status().ok()) throw SourceFailure{state.source->status()};
    if (state.progress && !state.progress(state.source->progress())) throw Canceled();
    if (step != BatchCursor::Step::kNothing) return step == BatchCursor::Step::kBatch;
  }
}

// The next batches as one, with enough rows; nullptr: there are no more.
std::shared_ptr<arrow::BatchData> next_joined(StreamState& state) {
  std::shared_ptr<arrow::BatchData> joined;
  while (!state.join.has_batch() || state.join.rows() < state.min_rows) {
    if (!state.is_pending && !advance(state)) break;
    state.is_pending = true;
    if (!state.join.has_batch()) {
      if (state.batch->rows >= state.min_rows) {
        state.is_pending = false;
        joined = std::exchange(state.batch, nullptr);
        break;
      }
      state.join.start(state.pool->take(), *state.batch, std::size_t{state.min_rows} + state.max_rows);
    } else if (!state.join.fits(*state.batch)) {
      break;
    }
    state.join.append(*state.batch);
    state.is_pending = false;
  }
  if (joined == nullptr) joined = state.join.finish();
  if (joined != nullptr && state.profile_fields != state.fields) {
    arrow::convert(*state.fields, state.profile_fields, joined.get());
  }
  return joined;
}

// Runs what may run out of memory; no exception crosses the C interface.
template <class F>
int run_guarded(ArrowArrayStream* stream, F f) {
  auto& state = *static_cast<StreamState*>(stream->private_data);
  try {
    state.error.clear();
    f(state);
    return 0;
  } catch (const Canceled&) {
    state.error = "stopped by its reader";
    return ECANCELED;
  } catch (const SourceFailure& failure) {
    state.error = failure.status.message();
    return EIO;
  } catch (const std::bad_alloc&) {
    state.error = "out of memory";  // short enough to need none
    return ENOMEM;
  } catch (const std::exception& problem) {
    state.error = problem.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return run_guarded(stream, [out](StreamState& state) { arrow::export_schema(*state.profile_fields, out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  *out = {};
  return run_guarded(stream, [out](StreamState& state) {
    const std::shared_ptr<arrow::BatchData> batch = next_joined(state);
    if (batch == nullptr) return state.add_failures(state.source->failures());
    arrow::export_array(batch, out);
  });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const std::string& error = static_cast<StreamState*>(stream->private_data)->error;
  return error.empty() ? nullptr : error.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  auto* state = static_cast<StreamState*>(stream->private_data);
  try {
    state->add_failures(state->source->failures());
  } catch (const std::exception&) {  // without memory they go unreported
  }
  delete state;
  stream->release = nullptr;
}

}  // namespace

Batch::Batch(std::shared_ptr<arrow::BatchData> data) : data_(std::move(data)) {
  const std::vector<arrow::Field>& fields = data_->fields->fields;
  dictionaries_.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const arrow::ColumnData& column = data_->columns[i];
    columns_.push_back(view_of(column, fields[i].dictionary ? "i" : fields[i].format));
    columns_.back().name = fields[i].name;
    if (!fields[i].dictionary) continue;
    dictionaries_.push_back(view_of(*column.dictionary, fields[i].format));
    columns_.back().dictionary = &dictionaries_.back();
  }
}

std::size_t Batch::rows() const {
  return data_->rows;
}
const std::vector<BatchColumn>& Batch::columns() const {
  return columns_;
}
std::int64_t Batch::min_time_ns() const {
  return data_->min_time;
}
std::int64_t Batch::max_time_ns() const {
  return data_->max_time;
}
std::size_t Batch::session() const {
  return data_->session;
}
SiteFacts Batch::site() const {
  return data_->site != nullptr ? api::facts_of(data_->site->info()) : SiteFacts();
}

const BatchColumn* Batch::find(std::string_view name) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [name](const BatchColumn& column) { return column.name == name; });
  return found != columns_.end() ? &*found : nullptr;
}

void Batch::export_arrow(ArrowSchema* schema, ArrowArray* array) const {
  if (array != nullptr) {
    data_->exported = true;
    arrow::export_array(data_, array);
  }
  if (schema == nullptr) return;
  try {
    arrow::export_schema(*data_->fields, schema);
  } catch (...) {
    if (array != nullptr) array->release(array);
    throw;
  }
}

std::size_t Batch::choice() const {
  return data_->choice;
}
std::size_t Batch::schema() const {
  return data_->fields->number;
}

struct BatchCursor::State {
  State() = default;
  ~State() {
    try {
      if (source != nullptr) add_failures(source->failures());
    } catch (const std::exception&) {  // without memory they go unreported
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<const void> log;  // keeps what `source` reads
  std::unique_ptr<arrow::BatchSource> source;
  std::shared_ptr<arrow::BatchData> batch;
  std::function<void(const std::vector<reader::DecodeFailure>&)> add_failures;
};

BatchCursor::BatchCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
BatchCursor::BatchCursor(BatchCursor&& other) noexcept = default;
BatchCursor& BatchCursor::operator=(BatchCursor&& other) noexcept = default;
BatchCursor::~BatchCursor() = default;

Status BatchCursor::status() const {
  return state_->source->status();
}

BatchCursor::Step BatchCursor::next() {
  const Step step = state_->source->step(&state_->batch);
  if (step == Step::kEnd) state_->add_failures(state_->source->failures());
  return step;
}

Batch BatchCursor::batch() const {
  return Batch(state_->batch);
}

bool BatchCursor::export_schema(std::size_t choice, ArrowSchema* out) const {
  const auto fields = state_->source->fields_of_choice(choice);
  if (fields != nullptr) arrow::export_schema(*fields, out);
  return fields != nullptr;
}

Result<BatchCursor> LogReader::batches(const BatchOptions& options) {
  auto source = arrow::BatchSource::make(impl_->logs, options, arrow::BatchSource::Use::kBatches);
  if (!source.ok()) return source.status();
  auto state = std::make_unique<BatchCursor::State>();
  state->log = impl_;
  state->add_failures = [impl = impl_.get()](const auto& failures) { impl->add_failures(failures); };
  state->source = std::move(source).value();
  return BatchCursor(std::move(state));
}

Status LogReader::visit_batches(const BatchOptions& options, BatchVisitor visitor, void* context) {
  auto source = arrow::BatchSource::make(impl_->logs, options, arrow::BatchSource::Use::kBatches);
  if (!source.ok()) return source.status();
  std::shared_ptr<arrow::BatchData> data;
  while (source.value()->next(&data)) {
    if (!visitor(context, Batch(data))) break;
  }
  impl_->add_failures(source.value()->failures());
  return source.value()->status();
}

Result<BatchEstimate> LogReader::estimate(const BatchOptions& options) const {
  auto source = arrow::BatchSource::make(impl_->logs, options, arrow::BatchSource::Use::kStream);
  if (!source.ok()) return source.status();
  return source.value()->estimate();
}

Status LogReader::stream(const BatchOptions& options, ArrowArrayStream* out) {
  *out = {};
  auto source = arrow::BatchSource::make(impl_->logs, options, arrow::BatchSource::Use::kStream);
  if (!source.ok()) return source.status();
  auto fields = source.value()->one_schema();
  if (!fields.ok()) return fields.status();
  auto state = std::make_unique<StreamState>();
  state->log = impl_;
  state->add_failures = [impl = impl_.get()](const auto& failures) { impl->add_failures(failures); };
  state->source = std::move(source).value();
  state->fields = std::move(fields).value();
  state->profile_fields = arrow::fields_of_profile(options.profile, state->fields);
  state->min_rows = options.min_rows;
  state->max_rows = options.max_rows;
  state->progress = options.progress;
  out->get_schema = &get_schema;
  out->get_next = &get_next;
  out->get_last_error = &get_last_error;
  out->release = &release_stream;
  out->private_data = state.release();
  return {};
}

}  // namespace steno
