// Writes one session's blocks to a file: repeats its declarations now and then, and adds index blocks (file.md §10,
// §11).
//
//   writer.begin(session_id, tag);                 its session block is in the next bytes
//   writer.write(file, blocks, input);             again and again
//   writer.finish(file);                           then the end block, with file.write()
#pragma once

#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "format/block.h"
#include "format/data_writer.h"
#include "logfile/block_index.h"
#include "logfile/declarations.h"
#include "logfile/output_file.h"
#include "steno/status.h"

namespace steno::logfile {

// Not thread-safe. Memory: that of BlockIndex and Declarations.
class SessionWriter {
 public:
  // Begins a new session, or carries one on, in a new place.
  void begin(std::uint64_t session_id, format::SessionTag tag);
  // Writes whole blocks, then copies of declarations and an index block if they are due. `input` is what the data block
  // among them was made of; nullptr: there is no data block. The status is that of `blocks`; if the rest could not be
  // written, the file keeps it for retry().
  Status write(OutputFile& file, const ByteBuffer& blocks, const format::BlockInput* input);
  // Before the end block: what is worth saying again, and an index of the rest.
  void finish(OutputFile& file);
  // Returns whether an index block was written since the last call: data blocks after it must stand without those
  // before it.
  bool take_stretch_end() { return std::exchange(stretch_ended_, false); }

 private:
  void say_again(OutputFile& file, bool session_ends);
  void write_index(OutputFile& file, std::uint64_t least);

  BlockIndex index_;
  Declarations declarations_;
  format::SessionTag tag_;
  ByteBuffer out_;
  bool stretch_ended_ = false;
};

}  // namespace steno::logfile
