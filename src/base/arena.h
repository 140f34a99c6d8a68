// Memory for arrays that come and go together: those of a block that is decoded.
#pragma once

#include <cstddef>
#include <vector>

namespace steno {

// Hands out memory that is given back all at once, and keeps it for the next ones: its pages stay, and where the system
// has huge ones, large arrays lie in these. Never zeroed. Not thread-safe.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { release(); }

  // n bytes, aligned to kAlign, until reset(). Throws std::bad_alloc.
  void* allocate(std::size_t n);
  // Nobody uses any more what was handed out.
  void reset() {
    chunk_ = 0;
    used_ = 0;
    before_ = 0;
  }
  // Resets it and gives the memory back.
  void release();

  // The bytes that it keeps, about: memory that was never handed out takes none.
  std::size_t bytes_held() const { return touched_; }

  static constexpr std::size_t kAlign = 64;

 private:
  struct Chunk {
    std::byte* data;
    std::size_t size;
  };
  void add_chunk(std::size_t least);

  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;   // the one in use
  std::size_t used_ = 0;    // of it
  std::size_t before_ = 0;  // bytes of the chunks before it
  std::size_t touched_ = 0;
};

}  // namespace steno
