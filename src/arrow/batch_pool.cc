#include "arrow/batch_pool.h"

#include <utility>

namespace steno::arrow {

std::shared_ptr<BatchData> BatchPool::take() {
  std::unique_ptr<BatchData> batch;
  {
    const std::lock_guard held(mutex_);
    if (!free_.empty()) {
      batch = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (batch == nullptr) batch = std::make_unique<BatchData>();
  return {batch.release(), [pool = weak_from_this()](BatchData* released) {
            std::unique_ptr<BatchData> own(released);
            if (const auto alive = pool.lock()) alive->give(std::move(own));
          }};
}

void BatchPool::give(std::unique_ptr<BatchData> batch) {
  std::size_t bytes = 0;
  for (ColumnData& column : batch->columns) {
    column.dictionary.reset();
    column.heaps.clear();
    bytes += column.validity.size() + column.values.size() + column.offsets.size();
  }
  if (bytes > kMostBytes) return;
  const std::lock_guard held(mutex_);
  if (free_.size() < kMostFree) free_.push_back(std::move(batch));
}

}  // namespace steno::arrow
