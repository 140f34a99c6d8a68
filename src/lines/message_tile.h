// Messages that have the same steps, some at a time, step after step: what is done in a step is looked at once for all
// of them, and no message waits for the one before it to end. Each has a place of its own, as large as the longest one
// may need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lines/message_steps.h"

namespace steno::lines {

struct MessageTile {
  static constexpr std::size_t kMost = 64;         // messages
  static constexpr std::size_t kMostPlace = 1024;  // bytes: longer messages are printed one by one

  // Prints `size` messages, each at its end, which it moves. From each there is room for StepMaker::place() bytes,
  // which is not 0.
  void print(std::span<const MessageStep> steps);

  std::size_t size = 0;
  std::uint64_t left_out = 0;   // bits of messages that are for the printer after all
  std::uint32_t rows[kMost];    // of the columns
  std::uint32_t values[kMost];  // of the columns of a shape
  char* ends[kMost];
};

}  // namespace steno::lines
