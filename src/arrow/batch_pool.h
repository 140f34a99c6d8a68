// Memory of batches that a stream has handed out, for its next ones.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "arrow/batch_data.h"

namespace steno::arrow {

// A consumer that takes one batch after another then needs two, and the kernel makes and clears no new pages for each.
// Thread-safe: consumers release batches in any thread, also after the stream.
class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  BatchPool() { free_.reserve(kMostFree); }

  // A batch whose columns may have memory, and anything in it. It comes back when nobody has it any more.
  std::shared_ptr<BatchData> take();

 private:
  static constexpr std::size_t kMostFree = 8;
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;  // of one that is kept

  void give(std::unique_ptr<BatchData> batch);

  std::mutex mutex_;
  std::vector<std::unique_ptr<BatchData>> free_;
};

}  // namespace steno::arrow
