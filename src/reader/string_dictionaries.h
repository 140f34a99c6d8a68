// The dictionaries that columns of one session share (file.md §12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/strings/codec.h"
#include "format/strings_block.h"

namespace steno::reader {

// Filled while the file is scanned; what a dictionary holds is read when somebody asks for it, and kept. Views the
// file. Memory: at most kMostEach times the bytes of its parts, and kMostBytes beyond.
class StringDictionaries final : public format::SharedDictionaries {
 public:
  static constexpr std::size_t kMostEach = 64;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  // Takes the parts in a strings block's untrusted payload. False: one is malformed; those before it are in.
  [[nodiscard]] bool add_block(std::span<const std::uint8_t> payload, std::uint64_t offset);
  std::span<const std::string_view> strings_of(std::uint64_t dictionary) const override;
  StringFacts facts_of(std::uint64_t dictionary) const override;

  // The offsets of the blocks that were added, payloads and all, in the order of their addition.
  struct Block {
    std::uint64_t offset = 0;
    std::span<const std::uint8_t> payload;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  struct Table {
    std::vector<std::string_view> strings;
    StringFacts facts;
    std::vector<std::unique_ptr<format::StringArena>> arenas;
  };

  void read(const format::StringsPart& part, Table* table) const;

  std::vector<Block> blocks_;
  std::unordered_map<std::uint64_t, std::vector<format::StringsPart>> parts_;
  std::size_t part_bytes_ = 0;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint64_t, Table> tables_;
  mutable std::size_t taken_ = 0;  // bytes of memory
};

}  // namespace steno::reader
