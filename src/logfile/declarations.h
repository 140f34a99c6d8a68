// The declarations of a session in its file (session block, dictionary entries, clock points), and when to repeat it,
// so that damage of one page, and nearly any larger damage, does not reach all copies (file.md §11).
//
//   if (file.write(out).ok()) declarations.wrote(out, end);       after each write
//   declarations.append_due(end, tag, &copies);                    then write these, if there are any
//
// Memory: the dictionary entries of the session's sites and loggers, kMostThreads of threads, kMostPoints clock points.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/clock_block.h"

namespace steno::logfile {

class Declarations {
 public:
  static constexpr std::uint64_t kPage = 4096;
  // Everything is repeated after this many bytes of the file, and before the end of a session after this many; but
  // copies take at most one byte in kShare.
  static constexpr std::uint64_t kEvery = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kAtEnd = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kShare = 64;
  static constexpr std::size_t kMostThreads = 4096;  // the latest; the others are said twice
  static constexpr std::size_t kMostPoints = 64;     // the first ones and the latest; the others are said twice

  // Begins a new session in a new place.
  void begin() { *this = {}; }
  // These whole blocks were written and end at `end` of the file.
  void wrote(const ByteBuffer& blocks, std::uint64_t end);
  // Appends the declarations that are due for repetition, as blocks to be written at `at`.
  void append_due(std::uint64_t at, format::SessionTag tag, bool session_ends, ByteBuffer* out);

 private:
  // The declarations of one write, which have no copy yet.
  struct Once {
    std::uint64_t page_end = 0;  // after the last page that has a part of it
    bool at_once = false;        // it lies in several pages, of which any may be damaged
    bool session = false;
    ByteBuffer entries;
    ByteBuffer strings;  // parts of dictionaries; said again like this, and not later
    std::vector<format::ClockPoint> points;
  };

  void take_dictionary(const std::uint8_t* payload, std::size_t size);
  void take_points(const std::vector<format::ClockPoint>& points);
  std::uint64_t size() const;
  void append(const Once& what, format::SessionTag tag, ByteBuffer* out) const;
  void append_all(format::SessionTag tag, ByteBuffer* out) const;

  ByteBuffer session_;                            // payload
  ByteBuffer entries_;                            // of sites and loggers
  std::map<std::uint64_t, std::string> threads_;  // the latest entry of each, by index
  std::size_t thread_bytes_ = 0;
  std::vector<format::ClockPoint> points_;
  std::vector<Once> once_;
  std::uint64_t all_at_ = 0;  // where everything was said last
};

}  // namespace steno::logfile
