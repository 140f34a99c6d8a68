// Streams for code that prints to a std::ostream; their text is on the stack:
//
//   STENO_STREAM(INFO, "took " << ms << " ms for " << request);   // one message, formatted by operator<<
//
//   steno::StackStream<> out;                                     // where a function takes a stream
//   tree.print(out);
//   STENO_DEBUG("tree {text}", out.text());
//
// The text is one string argument: the values are not columns, are formatted in the call, and cost what operator<<
// costs. For one value in a statement use steno::formatted() (steno/std_types.h). Like any string, a text that is too
// long for a record is truncated and ends in `…[+N bytes]`.
#pragma once

#include <climits>
#include <cstddef>
#include <cstring>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <utility>

#include "steno/detail/config.h"
#include "steno/log.h"

#include "steno/detail/begin.h"

namespace steno {
namespace detail {

STENO_DETAIL_BEGIN_QUIET
// Stores characters in the given room, and in heap memory when that is full.
class StackBuffer : public std::streambuf {
 public:
  StackBuffer(char* room, std::size_t size) { setp(room, room + size); }
  std::string_view text() const { return {pbase(), static_cast<std::size_t>(pptr() - pbase())}; }

 private:
  int_type overflow(int_type c) override {
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
      const char character = traits_type::to_char_type(c);
      xsputn(&character, 1);
    }
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    if (size <= 0) return 0;
    if (size > epptr() - pptr()) grow(static_cast<std::size_t>(size));
    std::memcpy(pptr(), data, static_cast<std::size_t>(size));
    advance(size);
    return size;
  }
  void grow(std::size_t more) {
    const std::size_t used = text().size();
    const auto room = static_cast<std::size_t>(epptr() - pbase());
    const std::size_t size = used + more > 2 * room ? used + more : 2 * room;
    std::unique_ptr<char[]> larger(new char[size]);
    std::memcpy(larger.get(), pbase(), used);
    setp(larger.get(), larger.get() + size);
    advance(static_cast<std::streamsize>(used));
    heap_ = std::move(larger);
  }
  void advance(std::streamsize size) {
    for (; size > INT_MAX; size -= INT_MAX) pbump(INT_MAX);
    pbump(static_cast<int>(size));
  }

  std::unique_ptr<char[]> heap_ = {};
};

// A base class, so that it is constructed before the stream and destroyed after it.
template <std::size_t kSize>
struct StackRoom {
  char room_[kSize];
  StackBuffer buffer_{room_, kSize};
};

}  // namespace detail

// A stream into a buffer of `kSize` bytes (1 or more) within the object. A longer text moves to the heap. If there is
// no memory, the stream becomes bad() and keeps its text. For one thread at a time; not for signal handlers.
template <std::size_t kSize = 1024>
class StackStream : private detail::StackRoom<kSize>, public std::ostream {
  static_assert(kSize != 0, "steno: a stream without room");

 public:
  StackStream() : std::ostream(&this->buffer_) {}
  // This object as a std::ostream; works for temporaries too.
  std::ostream& stream() { return *this; }
  // The text so far. The view is valid until more is printed or the object is destroyed.
  std::string_view text() const { return this->buffer_.text(); }
};

namespace detail {

// `out`: a StackStream<>, which the operators << return as what they know of it.
inline std::string_view streamed_text(std::ostream& out) {
  return static_cast<StackStream<>&>(out).text();
}

STENO_DETAIL_END_QUIET
}  // namespace detail
}  // namespace steno

// Everything after the level is printed to a std::ostream: STENO_STREAM(WARN, "left: " << n). A disabled statement
// evaluates nothing.
#define STENO_STREAM(level, ...)                         \
  STENO_DETAIL_LOG(STENO_DETAIL_BRACE, #level, "{text}", \
                   ::steno::detail::streamed_text(::steno::StackStream<>().stream() << __VA_ARGS__))
// Does what STENO_STREAM does, to a steno::Logger.
#define STENO_STREAM_TO(logger, level, ...)                         \
  STENO_DETAIL_LOG_TO(STENO_DETAIL_BRACE, logger, #level, "{text}", \
                      ::steno::detail::streamed_text(::steno::StackStream<>().stream() << __VA_ARGS__))

#include "steno/detail/end.h"
