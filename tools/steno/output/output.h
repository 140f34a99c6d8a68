// Standard output in big chunks.
#pragma once

#include "base/bytes.h"
#include "output/lines_names.h"

namespace steno::cli {

// Collects bytes and writes them with write(2). A reader that goes away (`| head`) is no error: good() turns false and
// what follows is thrown away. The same holds for a reader that takes nothing for 0.1 s once a signal has asked for the
// end (end_asked()). Standard output goes through the pager, where there is one (pager.h). Not thread-safe.
class Output {
 public:
  static constexpr std::size_t kChunk = std::size_t{1} << 18;

  explicit Output(int fd);

  // Append here, then call tick().
  ByteBuffer& buffer() { return buffer_; }
  // Writes other bytes, at once. Requires that the buffer is flushed.
  bool write(const ByteBuffer& bytes);
  // Writes what has gathered once it is a chunk. False: nobody reads any more; stop.
  bool tick() { return buffer_.size() < kChunk ? good_ : flush(); }
  bool flush();

  // Waits for so many ns. False: nobody reads any more, which is seen at once, also when there is nothing to write.
  bool wait(std::int64_t ns);

  bool good() const { return good_; }
  // errno of a write that failed for another reason than a reader that left; 0: none.
  int error() const { return error_; }
  bool is_terminal() const { return terminal_; }

 private:
  int fd_;
  bool good_ = true;
  bool terminal_;
  int error_ = 0;
  ByteBuffer buffer_;
};

}  // namespace steno::cli
