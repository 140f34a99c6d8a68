// Finds the index blocks of a file (file.md §10): which parts of it need not be walked through.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/index_block.h"
#include "reader/file_bytes.h"

namespace steno::reader {

// A part of a file that begins and ends between blocks. With an index: its entries are the blocks of the part, as they
// were written. Without: nothing is known.
struct FilePart {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::optional<format::IndexBlock> index;
  format::SessionTag tag;  // of the session that the index is of
};

// The parts of `file`, in order, one after the other. An index counts only if it says itself where it lies, its
// checksum holds, and the session block it names is there with its id: text that was logged cannot pose as one, since
// that id is not known to who has it logged.
//
// Cost: touches (or loads) the index blocks and looks for each that is not followed by another through kFar bytes
// before it.
std::vector<FilePart> find_parts(const FileBytes& file);

}  // namespace steno::reader
