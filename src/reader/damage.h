// The parts of a file that a reader could not use.
#pragma once

#include <cstdint>
#include <string>

namespace steno::reader {

enum class DamageKind {
  kBytes,     // bytes that are no valid block: flipped, overwritten, foreign
  kTornTail,  // the file ends inside a block: a write that was cut short, or is still going on
  kCutShort,  // the beginning of a block, and other blocks after it: a write that was cut short by a crash
  kZeros,     // a hole: only zeros, as a power loss leaves them
  kContent,   // a block whose checksum holds, but whose content cannot be used
  kNewer,     // a session written by a newer version of steno; nothing after it is read
};

struct Damage {
  DamageKind kind = DamageKind::kBytes;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string reason;  // a clause for people: "checksum does not match"
  int tag = -1;        // kTornTail, kCutShort: the session it was of, by its block's tag; -1: unknown
};

}  // namespace steno::reader
