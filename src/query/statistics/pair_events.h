// The records that `pair` looks at, in an order that brings those of one key together, and as many of them at a time
// as there is room for.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steno/detail/arg_type.h"

namespace steno::query {

// A key's value in 128 bits: a number, or the hash of a text (which two of 2^64 texts might share). The upper half is
// spread evenly over all of its values, so that a range of it holds as many keys as any other of that width.
struct KeyBits {
  std::uint64_t high;
  std::uint64_t low;

  static KeyBits of_text(std::string_view text);
  static KeyBits of_number(ArgType type, std::uint64_t value);
  friend auto operator<=>(const KeyBits&, const KeyBits&) = default;
};
// Numbers in an order that does not depend on how keys are spread: -1 after the positive ones.
bool before_as_number(const KeyBits& a, const KeyBits& b);

struct Event {
  KeyBits key;
  std::int64_t time;
  std::uint32_t side;       // 0: the first statement
  std::uint32_t group = 0;  // of its side
  friend auto operator<=>(const Event&, const Event&) = default;
};

// One pass fills it with the least events that are not before `from`. If they do not all fit, those before some cut
// stay, and the next pass begins there.
class EventRoom {
 public:
  // Room for so many events; at least kBatch * 4 for each worker.
  EventRoom(std::size_t room, unsigned workers);

  // `expected`: how many are still to come, to place the cut where the room is likely just enough.
  void begin_pass(std::uint64_t expected);
  // By one worker at a time for each number.
  void add(unsigned worker, const Event& event) {
    Batch& batch = batches_[worker];
    if ((from_ && event < *from_) || (batch.cut && !(event < *batch.cut))) return;
    batch.events.push_back(event);
    if (batch.events.size() == kBatch) flush(batch);
  }
  // The pass's events, sorted. They stay until the next pass.
  std::span<const Event> end_pass();
  // How many events a pass is likely to take.
  std::size_t likely() const { return room_ / 20 * 19; }
  // There are more: another pass is needed.
  bool more() const { return cut_.has_value(); }
  // True: more events are alike than a pass can hold.
  bool stuck() const { return stuck_; }

  static constexpr std::size_t kBatch = 256;

 private:
  struct alignas(64) Batch {
    std::vector<Event> events;
    std::optional<Event> cut;  // as of the last flush
  };
  void flush(Batch& batch);
  void lower_cut();

  const std::size_t room_;
  const unsigned workers_;
  std::unique_ptr<Event[]> events_;
  std::size_t used_ = 0;
  std::mutex mutex_;
  bool stuck_ = false;
  bool even_ = true;  // keys are as frequent as one another, as far as the last pass tells; else the pass finds the cut
  std::optional<Event> from_;
  std::optional<Event> cut_;
  std::vector<Batch> batches_;
};

}  // namespace steno::query
