// A ring file of another process (ring.md §4). Its header is untrusted and may change at any time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "ring/layout.h"

namespace steno::staging {

// The header fields of a ring. Release and owner are consistent with each other; the other fields are read later.
struct RingFacts {
  std::uint64_t session_id = 0;
  ring::Release release{};
  ring::OwnerSlots owner{};
  std::uint64_t tail = 0;
  std::uint64_t head = 0;
  std::uint64_t dropped = 0;
  std::uint64_t dropping_since = 0;
  std::uint64_t left = 0;
  std::uint64_t taken = 0;
  ring::Extent extent;  // where the bytes below the tail lie
};

// A process that touches a mapping of a file that has been truncated dies. So files of other users are not mapped: each
// look opens the file and copies what it needs. Of the user's own rings the header is mapped; of a ring that is drained
// also the data, because a producer gives back only released pages. Movable, not thread-safe.
class ForeignRing {
 public:
  // Takes a mapping of the file's first `mapped_size` bytes, if any, and unmaps it at last: of the header, or of the
  // data of its capacity too. `directory_fd` must stay open as long as this is used.
  ForeignRing(std::uint32_t id, std::uint32_t kind, int directory_fd, uid_t owner, ring::RingHeader* mapped,
              std::size_t mapped_size)
      : id_(id), kind_(kind), mapped_(mapped), mapped_size_(mapped_size), directory_fd_(directory_fd), owner_(owner) {}
  ForeignRing(ForeignRing&& other) noexcept { *this = static_cast<ForeignRing&&>(other); }
  ForeignRing& operator=(ForeignRing&& other) noexcept;
  ~ForeignRing();

  std::uint32_t id() const { return id_; }
  std::uint32_t kind() const { return kind_; }
  // The mapped one, else null; to be written only where the staging is owned.
  ring::RingHeader* header() const { return mapped_; }

  // False: the consumer came in between each time, as only a hostile one does, or the file is gone, or has not the
  // extent that it should have.
  [[nodiscard]] bool read(RingFacts* facts) const;
  // Returns the tail as it is now, or `last` where it cannot be read: nothing has moved.
  std::uint64_t tail(std::uint64_t last) const;
  // `size` bytes from position `position` on, `size` at most the capacity; as read() found the extent. False: they
  // cannot be read, or what was there is released and its pages are given back.
  [[nodiscard]] bool copy(const ring::Extent& extent, std::uint64_t position, std::size_t size, std::byte* to) const;

 private:
  int open_file(int flags) const;
  bool follow_extent(const ring::Extent& extent) const;

  std::uint32_t id_ = 0;
  std::uint32_t kind_ = ring::kOrdinaryRing;
  mutable ring::RingHeader* mapped_ = nullptr;
  mutable std::size_t mapped_size_ = 0;
  int directory_fd_ = -1;
  uid_t owner_ = 0;
};

}  // namespace steno::staging
