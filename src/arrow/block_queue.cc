#include "arrow/block_queue.h"

#include <algorithm>

#include "base/parallel.h"

namespace steno::arrow {

bool BlockQueue::is_wanted(const query::BlockRef& ref) const {
  const reader::LogFile& file = *logs_.files()[ref.file];
  const reader::BlockEntry& entry = file.blocks()[ref.block];
  return entry.records != 0 && bounds_.may_have(file, entry) && (!may_have_ || may_have_(file, entry));
}

// From the block that is next on, as much as is wanted and fits in, of as many files as have it: little at first, since
// few readers want the first rows alone, and more each time. Files are read at the same time.
Status BlockQueue::fetch_ahead() {
  constexpr std::size_t kFilesAtOnce = 32;
  files_.clear();
  std::uint64_t bytes = 0;
  std::size_t at = next_;
  for (; at < blocks_.size(); ++at) {
    const reader::LogFile& file = *logs_.files()[blocks_[at].file];
    if (!file.is_remote()) break;
    const reader::BlockEntry& entry = file.blocks()[blocks_[at].block];
    if (!is_wanted(blocks_[at]) || (is_told_ && is_told_(file, entry))) continue;
    if (bytes != 0 && bytes + entry.total_size() > ahead_) break;
    if (files_.empty() || files_.back().file != blocks_[at].file) {
      if (files_.size() == kFilesAtOnce) break;
      files_.emplace_back().file = blocks_[at].file;
    }
    files_.back().wanted.push_back(&entry);
    bytes += entry.total_size();
  }
  fetched_ = std::max(at, next_ + 1);
  if (files_.empty()) return {};
  ahead_ = std::min(2 * ahead_, kMostAhead);
  in_parallel(files_.size(), 1, static_cast<unsigned>(files_.size()),
              [&](unsigned, std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                  files_[i].status = files_[i].blocks.read(*logs_.files()[files_[i].file], files_[i].wanted);
              });
  for (Ahead& file : files_) {
    if (!file.status.ok()) return file.status;
  }
  return {};
}

const reader::BlockPrefetch* BlockQueue::prefetch_of(std::uint32_t file) const {
  for (const Ahead& ahead : files_) {
    if (ahead.file == file) return &ahead.blocks;
  }
  return nullptr;
}

bool BlockQueue::peek(query::BlockRef* ref) {
  while (next_ != wanted_ && next_ < blocks_.size() && !is_wanted(blocks_[next_])) ++next_;
  wanted_ = next_;
  if (!failure_.ok() || next_ == blocks_.size()) return false;
  *ref = blocks_[next_];
  return true;
}

bool BlockQueue::next(query::BlockRef* ref, query::BlockView* view) {
  while (peek(ref)) {
    if (next_ >= fetched_) {
      if (failure_ = fetch_ahead(); !failure_.ok()) return false;
    }
    ++next_;
    const reader::LogFile& file = *logs_.files()[ref->file];
    if (view->open(file, file.blocks()[ref->block], prefetch_of(ref->file)).code() != StatusCode::kIoError) return true;
    failure_ = view->status();
  }
  return false;
}

}  // namespace steno::arrow
