// Takes the scribe's place: a thread on the second CPU that lets every record of the default session go as soon as it
// sees it. What producers could log if nobody had to write, and yardsticks that do one simple thing with the bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>

namespace steno::bench {

class RingConsumer {
 public:
  // Is given the bytes of the rings as they lie there, each once, ring by ring.
  using Take = std::function<void(const char* data, std::size_t size)>;

  // `take` empty: the bytes are dropped unread.
  explicit RingConsumer(Take take = {});
  // Returns when the rings are empty.
  ~RingConsumer();
  RingConsumer(const RingConsumer&) = delete;
  RingConsumer& operator=(const RingConsumer&) = delete;

 private:
  void drain() const;

  Take take_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace steno::bench
