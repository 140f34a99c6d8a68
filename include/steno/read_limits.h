// Limits for what reading a log may cost, whatever its bytes say. For <steno/reader.h> and <steno/c_reader.h>.
#pragma once

#include <cstdint>

namespace steno {

// A log that exceeds a limit is not refused: the part beyond it is skipped, and LogReader::losses() names the limit. No
// log written by steno reaches the defaults; without them, a hostile file of a few kilobytes could demand any amount.
//
// The file format has limits of its own (spec/types.md): a format has at most 256 fields, a width or precision is at
// most 4,096, and a message is at most 16 MiB.
struct ReadLimits {
  // Bytes of one decoded block; 0: no values are decoded.
  std::uint64_t decoded_bytes = std::uint64_t{1} << 29;
  // Bytes of all blocks that are decoded at the same time; reading by time holds those that overlap. The limit also
  // holds for the packed sessions of each file, which are held as long as it is open; they leave blocks the rest, and
  // at least half. 0: 1 GiB plus 64 bytes per byte of the files.
  std::uint64_t memory = 0;
  // For a file that is read by copy and has no index, or a damaged one: how many bytes may be copied at once to scan it
  // from its beginning. A longer part is mapped instead.
  std::uint64_t copied_bytes = std::uint64_t{1} << 30;
  // Statements in the dictionary of one session. Records of further ones are shown without their text.
  std::uint32_t statements = 1u << 20;
  // Arguments of one statement, including fields of the context. Records of a statement with more are shown without
  // text.
  std::uint32_t fields = 1u << 16;
};

}  // namespace steno
