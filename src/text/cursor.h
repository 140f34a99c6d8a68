// Writing at the end of a byte buffer through a pointer that stays in a register: make room for the most that can come,
// then write and advance `p`. It is handed from call to call, for what is written through a char* may be anything, and
// the compiler would load a member again after each store.
//
//   Cursor out(buffer);
//   char* p = out.begin();
//   p = out.ensure(p, 40);
//   p = write_decimal(n, p);
//   out.settle(p);
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/copy_steps.h"

namespace steno::text {

// Any bytes, with the room.
inline char* put(char* p, std::string_view text) {
  std::memcpy(p, text.data(), text.size());
  return p + text.size();
}

class Cursor {
 public:
  // The bytes that it makes room for at a time.
  static constexpr std::size_t kChunk = 8192;

  explicit Cursor(ByteBuffer& out) : out_(out) {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Where to continue after the contents of the buffer, with room for n bytes.
  char* begin(std::size_t n = 0) {
    begin_ = reinterpret_cast<char*>(out_.reserve(n + kChunk));
    end_ = begin_ + n + kChunk;
    return begin_;
  }
  // Room for n bytes at p.
  char* ensure(char* p, std::size_t n) { return static_cast<std::size_t>(end_ - p) >= n ? p : refill(p, n); }
  // The bytes up to p are in the buffer, to which others may now append; begin() then.
  ByteBuffer& settle(const char* p) {
    out_.commit(static_cast<std::size_t>(p - begin_));
    begin_ += p - begin_;
    return out_;
  }

  // The size of the buffer and what was written up to p.
  std::size_t size(const char* p) const { return out_.size() + static_cast<std::size_t>(p - begin_); }
  // The bytes written there.
  const char* at(std::size_t offset) const { return reinterpret_cast<const char*>(out_.data()) + offset; }

 private:
  [[gnu::noinline]] char* refill(char* p, std::size_t n) {
    settle(p);
    return begin(n);
  }

  ByteBuffer& out_;
  char* begin_ = nullptr;  // where the buffer ends
  char* end_ = nullptr;    // of the room
};

}  // namespace steno::text
