#include "arrow/block_queue.h"

#include <algorithm>

namespace steno::arrow {

bool BlockQueue::is_wanted(const query::BlockRef& ref) const {
  const reader::LogFile& file = *logs_.files()[ref.file];
  const reader::BlockEntry& entry = file.blocks()[ref.block];
  return entry.records != 0 && bounds_.may_have(file, entry);
}

// From the block that is next on, as much of its file as is wanted and fits in: little at first, since few readers want
// the first rows alone, and more each time.
Status BlockQueue::fetch_ahead() {
  const reader::LogFile& file = *logs_.files()[blocks_[next_].file];
  if (!file.is_remote()) return {};
  std::vector<const reader::BlockEntry*> wanted;
  std::uint64_t bytes = 0;
  std::size_t at = next_;
  for (; at < blocks_.size() && blocks_[at].file == blocks_[next_].file; ++at) {
    if (!is_wanted(blocks_[at])) continue;
    const reader::BlockEntry& entry = file.blocks()[blocks_[at].block];
    if (!wanted.empty() && bytes + entry.total_size() > ahead_) break;
    wanted.push_back(&entry);
    bytes += entry.total_size();
  }
  fetched_ = at;
  ahead_ = std::min(2 * ahead_, kMostAhead);
  return prefetch_.read(file, wanted);
}

bool BlockQueue::next(query::BlockRef* ref, query::BlockView* view) {
  while (failure_.ok() && next_ < blocks_.size()) {
    if (!is_wanted(blocks_[next_])) {
      ++next_;
      continue;
    }
    if (next_ >= fetched_) {
      if (failure_ = fetch_ahead(); !failure_.ok()) return false;
    }
    *ref = blocks_[next_++];
    const reader::LogFile& file = *logs_.files()[ref->file];
    if (view->open(file, file.blocks()[ref->block], &prefetch_).code() != StatusCode::kIoError) return true;
    failure_ = view->status();
  }
  return false;
}

}  // namespace steno::arrow
