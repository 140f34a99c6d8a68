// What reading a log may cost, whatever its bytes say. For <steno/reader.h> and <steno/c_reader.h>.
#pragma once

#include <cstdint>

namespace steno {

// A log that wants more is not refused: the part that goes beyond is passed over, and LogReader::losses() names the
// limit. No log that steno wrote meets a default; a hostile file of some kilobytes can ask for any amount.
//
// Beyond these, by the format itself (spec/types.md): a format has at most 256 fields, a width or precision is at most
// 4,096, and a message ends at 16 MiB.
struct ReadLimits {
  // Of one block, decoded; 0: none of its values may be.
  std::uint64_t decoded_bytes = std::uint64_t{1} << 29;
  // Of all blocks that are held decoded at a time: reading by time holds those that overlap. 0: 1 GiB, and 64 bytes for
  // each byte of the files.
  std::uint64_t memory = 0;
  // Of a file that is read by copy: what may be copied at once to look through it from its beginning, where it has no
  // index, or a damaged one. A longer part is mapped instead.
  std::uint64_t copied_bytes = std::uint64_t{1} << 30;
  // Statements in the dictionary of one session. Records of further ones are shown without their text.
  std::uint32_t statements = 1u << 20;
  // Arguments of one statement, with the fields of its context. Records of one that has more are shown without text.
  std::uint32_t fields = 1u << 16;
};

}  // namespace steno
