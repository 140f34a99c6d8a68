// Remembers which blocks a session wrote and where, for the index blocks (file.md §10) that it leaves now and then.
//
//   index.begin(session_id);
//   if (file.write(out).ok()) index.wrote(out, input, file.end());      after each write
//   if (index.due(BlockIndex::kEvery)) { index.append(file.end(), tag, &out); ... }
//
// An index covers only a contiguous part of the file. If another process wrote in between, or a write had to be
// repeated, a new index starts after that, and readers scan the part without one.
//
// Memory: some 60 bytes a block, 32 a run and 8 a statement of a block, of kEvery bytes of file at most, and half a
// KiB. Not thread-safe.
#pragma once

#include <cstdint>

#include "format/index_block.h"

namespace steno::logfile {

class BlockIndex {
 public:
  static constexpr std::uint64_t kEvery = std::uint64_t{64} << 20;  // bytes of file between index blocks
  static constexpr std::uint64_t kAtEnd = std::uint64_t{1} << 20;   // what is worth one when a session ends

  // Begins a new session in a new place; its session block is in the next bytes that are written.
  void begin(std::uint64_t session_id);
  // These whole blocks were written and end at `end` of the file; `input` is what the data block among them was made
  // of, if there is one.
  void wrote(const ByteBuffer& blocks, const format::BlockInput* input, std::uint64_t end);
  // Returns whether `bytes` of the file have been written since the last index block.
  bool due(std::uint64_t bytes) const { return known_session_ && end_ - index_.begin >= bytes; }
  // Appends an index block that is to be written at `offset`, if there is something for it; begins the next one there.
  void append(std::uint64_t offset, format::SessionTag tag, ByteBuffer* out);

 private:
  void restart(std::uint64_t begin);
  static void fill_data_entry(const format::BlockInput& input, const std::uint8_t* payload, format::IndexEntry* entry);
  void add_sites(const format::BlockInput& input, format::IndexEntry* entry);

  format::IndexBlock index_;
  std::uint64_t end_ = 0;       // after the last block
  bool known_session_ = false;  // index_.session_offset is right
};

}  // namespace steno::logfile
