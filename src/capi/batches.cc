// Batches of several statements for C (steno/c_reader.h).
#include <memory>
#include <utility>
#include <vector>

#include "capi/code.h"
#include "capi/reader.h"
#include "steno/batch.h"

namespace {

struct ExportedSchema {
  ExportedSchema() = default;
  ExportedSchema(const ExportedSchema&) = delete;
  ExportedSchema& operator=(const ExportedSchema&) = delete;
  ~ExportedSchema() {
    if (schema.release != nullptr) schema.release(&schema);
  }
  ArrowSchema schema{};
};

}  // namespace

struct steno_batches {
  steno_batches(steno::BatchCursor made, std::size_t choices) : cursor(std::move(made)), of_choice(choices) {}
  steno_batches(const steno_batches&) = delete;
  steno_batches& operator=(const steno_batches&) = delete;
  ~steno_batches() { release_array(); }

  void release_array() {
    if (array.release != nullptr) array.release(&array);
  }

  steno::BatchCursor cursor;
  ArrowArray array{};                                      // of the last batch
  std::vector<std::unique_ptr<ExportedSchema>> schemas;    // by Batch::schema(), where one has come
  std::vector<std::unique_ptr<ExportedSchema>> of_choice;  // where one has been asked for
};

namespace {

// The place for it, with nothing in it yet.
ExportedSchema& place_of(std::size_t i, std::vector<std::unique_ptr<ExportedSchema>>* schemas) {
  if (schemas->size() <= i) schemas->resize(i + 1);
  if ((*schemas)[i] == nullptr) (*schemas)[i] = std::make_unique<ExportedSchema>();
  return *(*schemas)[i];
}

steno_batch export_batch(steno_batches* batches) {
  const steno::Batch batch = batches->cursor.batch();
  ExportedSchema& known = place_of(batch.schema(), &batches->schemas);
  batch.export_arrow(known.schema.release == nullptr ? &known.schema : nullptr, &batches->array);
  return {&known.schema, &batches->array, batch.schema(), batch.choice(), batch.session()};
}

}  // namespace

using namespace steno::capi;

extern "C" {

steno_batches* steno_reader_batches(steno_reader* reader, const steno_stream_options* options,
                                    const steno_batch_choice* choices, size_t count, steno_error* error) {
  std::unique_ptr<steno_batches> made;
  (void)guarded(error, [&]() -> steno::Status {
    auto known = batch_options(options);
    if (!known.ok()) return known.status();
    if (count == 0) return {steno::StatusCode::kInvalidArgument, "no statement is chosen"};
    known->shape = steno::BatchOptions::Shape::kStatement;
    for (std::size_t i = 0; i < count; ++i) {
      known->choices.push_back({choices[i].stable_id, choices[i].where != nullptr ? choices[i].where : ""});
    }
    auto cursor = reader->log.batches(*known);
    if (!cursor.ok()) return cursor.status();
    made = std::make_unique<steno_batches>(std::move(cursor).value(), count);
    return {};
  });
  return made.release();
}

const ArrowSchema* steno_batches_schema(steno_batches* batches, size_t choice) {
  return guarded_or(static_cast<const ArrowSchema*>(nullptr), [&]() -> const ArrowSchema* {
    if (choice >= batches->of_choice.size()) return nullptr;
    ExportedSchema& known = place_of(choice, &batches->of_choice);
    const bool is_there = known.schema.release != nullptr || batches->cursor.export_schema(choice, &known.schema);
    return is_there ? &known.schema : nullptr;
  });
}

int steno_batches_next(steno_batches* batches, steno_batch* batch, size_t size, steno_error* error) {
  using Step = steno::BatchCursor::Step;
  Step step = Step::kEnd;
  const steno_code code = guarded(error, [&]() -> steno::Status {
    batches->release_array();
    step = batches->cursor.next();
    if (step == Step::kEnd) return batches->cursor.status();
    if (step == Step::kBatch) hand_out(export_batch(batches), batch, size);
    return {};
  });
  if (code != STENO_OK) return -1;
  return step == Step::kBatch ? 1 : step == Step::kNothing ? STENO_BATCH_NOTHING : 0;
}

void steno_batches_close(steno_batches* batches) {
  delete batches;
}

}  // extern "C"
