// A ring file of another process (ring.md §4). Its header may change at any time, and say anything.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "ring/layout.h"

namespace steno::live {

// What a ring says of itself, release and owner being those of one moment, and the rest of a later one.
struct RingFacts {
  std::uint64_t session_id = 0;
  ring::Release release{};
  ring::OwnerSlots owner{};
  std::uint64_t tail = 0;
  std::uint64_t head = 0;
  std::uint64_t dropped = 0;
  std::uint64_t dropping_since = 0;
  std::uint64_t left = 0;
};

// One's own ring is mapped. Another user's is not, because he may cut it short, which ends whoever touches the mapping:
// each look opens the file and copies what it wants. Movable, not thread-safe.
class ForeignRing {
 public:
  // Takes a mapping of the whole file, and unmaps it at last.
  ForeignRing(std::uint32_t id, std::uint64_t capacity, ring::RingHeader* mapped)
      : id_(id), capacity_(capacity), mapped_(mapped) {}
  // `directory_fd` must stay open as long as this is used.
  ForeignRing(std::uint32_t id, std::uint64_t capacity, int directory_fd, uid_t owner)
      : id_(id), capacity_(capacity), directory_fd_(directory_fd), owner_(owner) {}
  ForeignRing(ForeignRing&& other) noexcept { *this = static_cast<ForeignRing&&>(other); }
  ForeignRing& operator=(ForeignRing&& other) noexcept;
  ~ForeignRing();

  std::uint32_t id() const { return id_; }
  std::uint64_t capacity() const { return capacity_; }
  // The mapped one, else null; to be written only where the staging is owned.
  ring::RingHeader* header() const { return mapped_; }

  // False: the consumer came in between each time, as only a hostile one does, or the file is gone.
  [[nodiscard]] bool read(RingFacts* facts) const;
  // As it is now. Where it cannot be read, that of the last time: nothing has moved.
  std::uint64_t tail(std::uint64_t last) const;
  // `size` bytes from position `position` on, `size` at most the capacity. False: they cannot be read.
  [[nodiscard]] bool copy(std::uint64_t position, std::size_t size, std::byte* to) const;

 private:
  int open_file() const;

  std::uint32_t id_ = 0;
  std::uint64_t capacity_ = 0;
  ring::RingHeader* mapped_ = nullptr;
  int directory_fd_ = -1;
  uid_t owner_ = 0;
};

}  // namespace steno::live
