#include "staging/foreign_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/file_ranges.h"
#include "ring/ring_access.h"
#include "staging/foreign_file.h"

namespace steno::staging {
namespace {

constexpr int kReadAttempts = 1000;

bool is_possible(const ring::Extent& extent) {
  return std::has_single_bit(extent.capacity) && extent.capacity >= ring::kMinCapacity &&
         extent.capacity <= ring::kMaxCapacity && extent.base % 8 == 0;
}

}  // namespace

ForeignRing& ForeignRing::operator=(ForeignRing&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(kind_, other.kind_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_size_, other.mapped_size_);
  std::swap(directory_fd_, other.directory_fd_);
  std::swap(owner_, other.owner_);
  return *this;
}

ForeignRing::~ForeignRing() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

int ForeignRing::open_file(int flags) const {
  return open_staging_file(directory_fd_, owner_, ("ring-" + std::to_string(id_)).c_str(), flags);
}

// Maps exactly the current extent of the data, so that nothing beyond the end of the file is touched. The file has the
// data before the header names their extent.
bool ForeignRing::follow_extent(const ring::Extent& extent) const {
  const std::size_t size = ring::kHeaderBytes + extent.capacity;
  if (mapped_size_ == ring::kHeaderBytes || mapped_size_ == size) return true;
  void* memory = MAP_FAILED;
  if (size < mapped_size_) {
    memory = mremap(mapped_, mapped_size_, size, 0);
  } else {
    const int fd = open_file(O_RDONLY);
    struct stat st {};
    const bool there = fd >= 0 && fstat(fd, &st) == 0 && static_cast<std::uint64_t>(st.st_size) >= size;
    if (fd >= 0) close(fd);
    if (there) memory = mremap(mapped_, mapped_size_, size, MREMAP_MAYMOVE);
  }
  if (memory == MAP_FAILED) return false;
  mapped_ = static_cast<ring::RingHeader*>(memory);
  mapped_size_ = size;
  return true;
}

bool ForeignRing::read(RingFacts* facts) const {
  if (mapped_ != nullptr) {
    facts->session_id = ring::load_ring_session(mapped_);
    if (!ring::load_release(mapped_, &facts->release, &facts->owner)) return false;
    // A session that has just reached this ring: whose numbers these are is not known.
    if (ring::load_ring_session(mapped_) != facts->session_id) return false;
    facts->tail = ring::load_tail(mapped_);
    facts->head = ring::load_head(mapped_);
    facts->dropped = ring::load_dropped(mapped_);
    facts->dropping_since = ring::dropping_since(mapped_);
    facts->left = ring::load_left(mapped_);
    facts->taken = ring::load_taken(mapped_);
    facts->extent = ring::load_extent(mapped_);
    return is_possible(facts->extent) && follow_extent(facts->extent);
  }
  // Three copies, one after another, do as the loads above: which release it is, the release, whether it still is.
  const int fd = open_file(O_RDONLY);
  if (fd < 0) return false;
  ring::RingHeader before{};
  ring::RingHeader header{};
  ring::RingHeader after{};
  bool one_moment = false;
  bool there = read_at(fd, 0, sizeof(ring::RingHeader), &before);
  for (int attempt = 0; attempt < kReadAttempts && there && !one_moment; ++attempt) {
    there = read_at(fd, 0, sizeof(ring::RingHeader), &header) && read_at(fd, 0, sizeof(ring::RingHeader), &after);
    one_moment = before.releases == after.releases && before.session_id == after.session_id;
    if (!one_moment) before = after;
  }
  // This reads the extent after the tail, as load_extent() does.
  there = there &&
          read_at(fd, offsetof(ring::RingHeader, capacity), sizeof facts->extent.capacity, &facts->extent.capacity) &&
          read_at(fd, offsetof(ring::RingHeader, base), sizeof facts->extent.base, &facts->extent.base);
  close(fd);
  if (!there || !one_moment) return false;
  facts->session_id = after.session_id;
  facts->release = header.released[before.releases % 2];
  ring::copy_slots(header, facts->release, &facts->owner);
  facts->tail = after.tail;
  facts->head = after.head;
  facts->dropped = after.dropped;
  facts->dropping_since = after.dropping_since;
  facts->left = after.left;
  facts->taken = after.taken;
  return is_possible(facts->extent);
}

std::uint64_t ForeignRing::tail(std::uint64_t last) const {
  if (mapped_ != nullptr) return ring::load_tail(mapped_);
  const int fd = open_file(O_RDONLY);
  std::uint64_t tail = last;
  if (fd < 0) return last;
  if (!read_at(fd, offsetof(ring::RingHeader, tail), sizeof tail, &tail)) tail = last;
  close(fd);
  return tail;
}

bool ForeignRing::copy(const ring::Extent& extent, std::uint64_t position, std::size_t size, std::byte* to) const {
  const std::uint64_t offset = extent.address(position);
  const std::size_t first = std::min<std::uint64_t>(size, extent.capacity - offset);
  if (mapped_size_ > ring::kHeaderBytes) {
    if (extent.capacity > mapped_size_ - ring::kHeaderBytes) return false;  // it has shrunk, with that there
    const auto* data = reinterpret_cast<const std::byte*>(mapped_) + ring::kHeaderBytes;
    std::memcpy(to, data + offset, first);
    std::memcpy(to + first, data, size - first);
    return true;
  }
  const int fd = open_file(O_RDONLY);
  if (fd < 0) return false;
  const bool copied =
      read_at(fd, ring::kHeaderBytes + offset, first, to) && read_at(fd, ring::kHeaderBytes, size - first, to + first);
  close(fd);
  return copied;
}

}  // namespace steno::staging
