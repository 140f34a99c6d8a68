#include "reader/shared_block.h"

#include <algorithm>

#include "reader/corrupt.h"

namespace steno::reader {

SharedBlock::SharedBlock(BlockPool& pool, const LogFile& file, const BlockEntry& entry)
    : pool_(pool), file_(file), entry_(entry), decoded_(pool.take()) {}

SharedBlock::~SharedBlock() {
  pool_.give_back(std::move(decoded_), counted_);
}

bool SharedBlock::decode_clocks() {
  return advance(State::kClocks);
}
bool SharedBlock::prepare() {
  return advance(State::kReady);
}
bool SharedBlock::load_columns() {
  return advance(State::kColumns);
}

bool SharedBlock::advance(State to) {
  const std::lock_guard lock(mutex_);
  while (state_ < to) {
    const auto next = static_cast<State>(static_cast<int>(state_) + 1);
    const std::uint64_t left = pool_.bytes_left(next);
    decoded_->set_most_bytes(left);
    const Status status = left != 0 ? step(next) : beyond_limit("memory");
    pool_.count(&counted_, decoded_->bytes_held());
    state_ = status.ok() ? next : State::kFailed;
    if (!status.ok()) pool_.add_failure(file_, entry_, status);
  }
  return state_ != State::kFailed;
}

Status SharedBlock::step(State to) {
  const ReadOptions& options = pool_.options();
  if (to == State::kClocks) {
    const Status status = decoded_->decode_clocks(file_, entry_);
    if (status.ok()) straighten();
    return status;
  }
  if (to == State::kReady) {
    if (Status status = decoded_->decode_order(); !status.ok()) return status;
    return select();
  }
  if (!options.keep_all) return {};
  return decoded_->decode_columns(std::vector<std::uint8_t>(decoded_->groups().size(), 1),
                                  options.decode.packed_strings);
}

// Finds out which records are wanted, and decodes the columns of their groups.
Status SharedBlock::select() {
  const ReadOptions& options = pool_.options();
  const std::vector<DecodedGroup>& groups = decoded_->groups();
  const std::span<const std::uint32_t> order = decoded_->order();
  std::vector<std::uint8_t> wanted(groups.size(), 1);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].site->reaches(options.decode.min_level)) wanted[g] = 0;
  }
  if (options.filter != nullptr || std::find(wanted.begin(), wanted.end(), 0) != wanted.end()) {
    keep_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) keep_[i] = wanted[order[i]];
    if (options.filter != nullptr) {
      if (Status status = options.filter->select(*decoded_, keep_); !status.ok()) return status;
    }
    std::fill(wanted.begin(), wanted.end(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) wanted[order[i]] |= keep_[i];
    none_wanted_ = std::find(wanted.begin(), wanted.end(), 1) == wanted.end();
  }
  if (options.keep_all) return {};
  if (!options.decode.values) std::fill(wanted.begin(), wanted.end(), 0);
  return decoded_->decode_columns(wanted, options.decode.packed_strings);
}

// Clocks of a ring go back only where a program's own clock does.
void SharedBlock::straighten() {
  sort_ticks_ = decoded_->all_ticks();
  const auto runs = std::span(file_.runs()).subspan(entry_.first_run, entry_.runs);
  for (const RunEntry& run : runs) {
    const auto ticks = decoded_->all_ticks().subspan(run.start + run.repeated, run.records - run.repeated);
    if (std::is_sorted(ticks.begin(), ticks.end())) continue;
    if (own_sort_ticks_.empty()) {
      own_sort_ticks_.assign(decoded_->all_ticks().begin(), decoded_->all_ticks().end());
      sort_ticks_ = own_sort_ticks_;
    }
    const auto first = own_sort_ticks_.begin() + run.start + run.repeated;
    for (auto at = first + 1; at < own_sort_ticks_.begin() + run.start + run.records; ++at) {
      *at = std::max(*at, *(at - 1));
    }
  }
}

std::unique_ptr<DecodedBlock> BlockPool::take() {
  const std::lock_guard lock(mutex_);
  ++held_;
  if (spare_.empty()) return std::make_unique<DecodedBlock>();
  auto block = std::move(spare_.back());
  spare_.pop_back();
  return block;
}

// Clocks of all blocks of a time come first: half is left to what makes records of some.
std::uint64_t BlockPool::bytes_left(SharedBlock::State step) const {
  const std::uint64_t most = options_.most_bytes / (step == SharedBlock::State::kClocks ? 2 : 1);
  return most - std::min(bytes_.load(std::memory_order_relaxed), most);
}

void BlockPool::count(std::uint64_t* counted, std::uint64_t bytes) {
  bytes_.fetch_add(bytes - *counted, std::memory_order_relaxed);
  *counted = bytes;
}

void BlockPool::give_back(std::unique_ptr<DecodedBlock> block, std::uint64_t counted) {
  bytes_.fetch_sub(counted, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  --held_;
  const std::uint64_t most = std::min(DecodedBlock::kMostKept, options_.most_bytes / 64);
  if (spare_.size() < kMostSpare && block->bytes_held() <= most) spare_.push_back(std::move(block));
}

void BlockPool::add_failure(const LogFile& file, const BlockEntry& entry, const Status& status) {
  auto failure = failure_of(file, entry, status);
  if (!failure) return;
  const std::lock_guard lock(mutex_);
  failures_.push_back(std::move(*failure));
}

std::size_t BlockPool::blocks_held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::vector<DecodeFailure> BlockPool::failures(const LogSet& logs) const {
  const std::lock_guard lock(mutex_);
  std::vector<DecodeFailure> sorted = failures_;
  const auto rank = [&logs](const DecodeFailure& failure) {
    std::size_t i = 0;
    while (logs.files()[i].get() != failure.file) ++i;
    return std::pair(i, failure.damage.offset);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const DecodeFailure& a, const DecodeFailure& b) { return rank(a) < rank(b); });
  // A reader that reads a part of the log again meets the same failures again: each is kept once.
  const auto same = [&](const DecodeFailure& a, const DecodeFailure& b) { return rank(a) == rank(b); };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  return sorted;
}

}  // namespace steno::reader
