// Where the bytes of a log come from if not from a file of this machine: an object store, an archive, another program.
// For LogReader::open_sources() of <steno/reader.h>; <steno/c_reader.h> has the same for C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "steno/detail/library_modes.h"
#include "steno/status.h"

namespace steno {

// A log that somebody else fetches. A reader asks for the index at its end, then only for the blocks that a question
// needs, many in one call: what takes a round trip should be asked for at once. Whatever the bytes are, they are
// checked as those of a file; a block whose checksum does not hold is asked for once more.
class STENO_HAS_STRINGS ByteSource {
 public:
  // A part of the log, and where its bytes go.
  struct Range {
    std::uint64_t offset;
    std::uint64_t size;  // at most 8 MiB
    std::uint8_t* to;
  };

  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // For messages, and SessionFacts::path.
  virtual std::string name() const = 0;
  // In bytes; always the same.
  virtual std::uint64_t size() const = 0;
  // Fills all ranges; fails if one of them cannot be had as it was when size() was determined. Then the reading fails
  // with that status, whose code should be kIoError. Thread-safe: several threads call it at once. Must not throw.
  virtual Status read(const Range* ranges, std::size_t count) = 0;
};

}  // namespace steno
