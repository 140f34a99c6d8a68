#include "live/foreign_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "live/foreign_file.h"

namespace steno::live {
namespace {

constexpr int kReadAttempts = 1000;

}  // namespace

ForeignRing& ForeignRing::operator=(ForeignRing&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(capacity_, other.capacity_);
  std::swap(mapped_, other.mapped_);
  std::swap(directory_fd_, other.directory_fd_);
  std::swap(owner_, other.owner_);
  return *this;
}

ForeignRing::~ForeignRing() {
  if (mapped_ != nullptr) munmap(mapped_, ring::kHeaderBytes + capacity_);
}

int ForeignRing::open_file() const {
  return open_staging_file(directory_fd_, owner_, ("ring-" + std::to_string(id_)).c_str(), O_RDONLY);
}

bool ForeignRing::read(RingFacts* facts) const {
  if (mapped_ != nullptr) {
    facts->session_id = __atomic_load_n(&mapped_->session_id, __ATOMIC_ACQUIRE);
    if (!ring::load_release(mapped_, &facts->release, &facts->owner)) return false;
    // A session that has just reached this ring: whose numbers these are is not known.
    if (__atomic_load_n(&mapped_->session_id, __ATOMIC_ACQUIRE) != facts->session_id) return false;
    facts->tail = ring::load_tail(mapped_);
    facts->head = ring::load_head(mapped_);
    facts->dropped = __atomic_load_n(&mapped_->dropped, __ATOMIC_RELAXED);
    facts->dropping_since = __atomic_load_n(&mapped_->dropping_since, __ATOMIC_RELAXED);
    facts->left = __atomic_load_n(&mapped_->left, __ATOMIC_RELAXED);
    return true;
  }
  // Three copies, one after another, do as the loads above: which release it is, the release, whether it still is.
  const int fd = open_file();
  if (fd < 0) return false;
  ring::RingHeader before{};
  ring::RingHeader header{};
  ring::RingHeader after{};
  bool one_moment = false;
  bool there = read_at(fd, &before, sizeof(ring::RingHeader), 0);
  for (int attempt = 0; attempt < kReadAttempts && there && !one_moment; ++attempt) {
    there = read_at(fd, &header, sizeof(ring::RingHeader), 0) && read_at(fd, &after, sizeof(ring::RingHeader), 0);
    one_moment = before.releases == after.releases && before.session_id == after.session_id;
    if (!one_moment) before = after;
  }
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
  return true;
}

std::uint64_t ForeignRing::tail(std::uint64_t last) const {
  if (mapped_ != nullptr) return ring::load_tail(mapped_);
  const int fd = open_file();
  std::uint64_t tail = last;
  if (fd < 0) return last;
  if (!read_at(fd, &tail, sizeof tail, offsetof(ring::RingHeader, tail))) tail = last;
  close(fd);
  return tail;
}

bool ForeignRing::copy(std::uint64_t position, std::size_t size, std::byte* to) const {
  const std::uint64_t offset = position & (capacity_ - 1);
  const std::size_t first = std::min<std::uint64_t>(size, capacity_ - offset);
  if (mapped_ != nullptr) {
    const auto* data = reinterpret_cast<const std::byte*>(mapped_) + ring::kHeaderBytes;
    std::memcpy(to, data + offset, first);
    std::memcpy(to + first, data, size - first);
    return true;
  }
  const int fd = open_file();
  if (fd < 0) return false;
  const bool copied =
      read_at(fd, to, first, ring::kHeaderBytes + offset) && read_at(fd, to + first, size - first, ring::kHeaderBytes);
  close(fd);
  return copied;
}

}  // namespace steno::live
