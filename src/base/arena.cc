#include "base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "base/bytes.h"

namespace steno {
namespace {

constexpr std::size_t kLeastChunk = std::size_t{1} << 16;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::align_val_t alignment_of(std::size_t chunk) {
  return std::align_val_t{chunk % kHugePage == 0 ? kHugePage : Arena::kAlign};
}

}  // namespace

void* Arena::allocate(std::size_t n) {
  n = round_up(n, kAlign);
  while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < n) {
    before_ += chunks_[chunk_++].size;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) add_chunk(n);
  std::byte* const p = chunks_[chunk_].data + used_;
  used_ += n;
  touched_ = std::max(touched_, before_ + used_);
  return p;
}

// A new chunk is at least as large as all before together: there are few, and most of their memory is used.
void Arena::add_chunk(std::size_t least) {
  std::size_t size = std::max({least, before_, kLeastChunk});
  if (size >= kHugePage) size = round_up(size, kHugePage);
  chunks_.reserve(chunks_.size() + 1);
  auto* const data = static_cast<std::byte*>(::operator new(size, alignment_of(size)));
  if (size >= kHugePage) (void)::madvise(data, size, MADV_HUGEPAGE);  // advice: without, its pages are small
  chunks_.push_back({data, size});
}

void Arena::release() {
  for (const Chunk& chunk : chunks_) ::operator delete(chunk.data, alignment_of(chunk.size));
  chunks_.clear();
  touched_ = 0;
  reset();
}

}  // namespace steno
