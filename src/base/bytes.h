// Explicit little-endian bytes: growing buffers, varints, bounds-checked reading. Nothing here casts structs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace steno {

static_assert(std::endian::native == std::endian::little, "steno's bytes are little-endian; port load/store first");

template <class T>
inline T load(const void* p) {
  static_assert(std::is_trivially_copyable_v<T>);
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
inline void store(void* p, T v) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(p, &v, sizeof v);
}

constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

constexpr std::size_t round_up(std::size_t n, std::size_t to) {
  return (n + to - 1) / to * to;
}

// A byte buffer that grows and is reused: clear() keeps its memory, grow() does not zero. Not thread-safe.
class ByteBuffer {
 public:
  std::uint8_t* data() { return bytes_.get(); }
  const std::uint8_t* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  // Cuts back to n bytes, n <= size().
  void truncate(std::size_t n) { size_ = n; }

  // Makes room for n more bytes and returns where they start; they are not initialised and not counted yet.
  std::uint8_t* reserve(std::size_t n) {
    if (capacity_ - size_ < n) enlarge(n);
    return bytes_.get() + size_;
  }
  // Counts n bytes that were written after reserve().
  void commit(std::size_t n) { size_ += n; }
  // reserve() and commit().
  std::uint8_t* grow(std::size_t n) {
    std::uint8_t* p = reserve(n);
    size_ += n;
    return p;
  }

  template <class T>
  void put(T v) {
    store(grow(sizeof v), v);
  }
  void put_bytes(const void* p, std::size_t n) {
    if (n != 0) std::memcpy(grow(n), p, n);
  }
  void put_varint(std::uint64_t v) {
    std::uint8_t* p = reserve(10);
    std::size_t n = 0;
    while (v >= 0x80) {
      p[n++] = static_cast<std::uint8_t>(v | 0x80);
      v >>= 7;
    }
    p[n++] = static_cast<std::uint8_t>(v);
    size_ += n;
  }
  void put_signed_varint(std::int64_t v) { put_varint(zigzag(v)); }
  void put_string(std::string_view s) {
    put_varint(s.size());
    put_bytes(s.data(), s.size());
  }
  void pad_to(std::size_t multiple) {
    const std::size_t n = round_up(size_, multiple) - size_;
    if (n != 0) std::memset(grow(n), 0, n);
  }

 private:
  void enlarge(std::size_t n) {
    std::size_t capacity = capacity_ < 512 ? 1024 : capacity_ * 2;
    while (capacity - size_ < n) capacity *= 2;
    std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[capacity]);
    if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Reads untrusted bytes in order. After the first read past the end (or a varint that is too long) everything
// reads as zero or empty and ok() is false: check once, at the end. Views the bytes, owns nothing.
class ByteReader {
 public:
  ByteReader() = default;
  ByteReader(const void* p, std::size_t n)
      : begin_(static_cast<const std::uint8_t*>(p)), p_(begin_), end_(begin_ + n) {}

  bool ok() const { return ok_; }
  bool at_end() const { return p_ == end_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - p_); }
  std::size_t position() const { return static_cast<std::size_t>(p_ - begin_); }

  template <class T>
  T get() {
    const void* p = take(sizeof(T));
    return p != nullptr ? load<T>(p) : T{};
  }
  std::uint64_t get_varint() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (p_ == end_) break;
      const std::uint8_t byte = *p_++;
      if (shift == 63 && byte > 1) break;
      v |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return v;
    }
    fail();
    return 0;
  }
  std::int64_t get_signed_varint() { return unzigzag(get_varint()); }
  std::string_view get_string() {
    const std::uint64_t n = get_varint();
    const auto* p = reinterpret_cast<const char*>(take(n));
    return p != nullptr ? std::string_view(p, n) : std::string_view();
  }
  // The next n bytes, or nullptr.
  const std::uint8_t* take(std::uint64_t n) {
    if (!ok_ || n > remaining()) {
      fail();
      return nullptr;
    }
    const std::uint8_t* p = p_;
    p_ += n;
    return p;
  }

 private:
  void fail() {
    ok_ = false;
    p_ = end_;
  }

  const std::uint8_t* begin_ = nullptr;
  const std::uint8_t* p_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool ok_ = true;
};

}  // namespace steno
