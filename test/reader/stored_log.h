// A log in a store that is not a file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "steno/byte_source.h"

namespace steno::test {

// Fails from the given call on.
class StoredLog final : public ByteSource {
 public:
  explicit StoredLog(std::string bytes, std::size_t sound_calls = SIZE_MAX)
      : bytes_(std::move(bytes)), sound_calls_(sound_calls) {}

  std::string name() const override { return "store/log"; }
  std::uint64_t size() const override { return bytes_.size(); }
  Status read(const Range* ranges, std::size_t count) override {
    if (calls++ >= sound_calls_) return {StatusCode::kIoError, "the store is gone"};
    for (std::size_t i = 0; i < count; ++i) std::memcpy(ranges[i].to, &bytes_.at(ranges[i].offset), ranges[i].size);
    return {};
  }

  std::atomic<std::size_t> calls{0};

 private:
  const std::string bytes_;
  const std::size_t sound_calls_;
};

}  // namespace steno::test
