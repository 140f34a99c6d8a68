#include "reader/slab_planner.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/parallel.h"
#include "reader/session_order.h"
#include "wire/record.h"

namespace steno::reader {

namespace {

// from + (to - from) * share / of, whatever the range. Requires from <= to, share < of.
std::int64_t part_way(std::int64_t from, std::int64_t to, std::uint64_t share, std::uint64_t of) {
  const std::uint64_t span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  const auto part = static_cast<unsigned __int128>(span) * share / of;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(part));
}

}  // namespace

SlabPlanner::SlabPlanner(const LogSet& logs, BlockPool& pool) : SlabPlanner(logs, pool, nullptr) {}

SlabPlanner::SlabPlanner(const LogSet& logs, BlockPool& pool, const LastRecords& only)
    : SlabPlanner(logs, pool, &only) {}

SlabPlanner::SlabPlanner(const LogSet& logs, BlockPool& pool, const LastRecords* only)
    : logs_(logs), pool_(pool), options_(pool.options()) {
  choose_blocks(only);
  if (!options_.sort) {
    if (only != nullptr) {
      file_at_ = only->file;
      run_at_ = only->run;
    }
    return;
  }
  std::uint32_t session_rank = 0;
  for (const auto& [f, session, before] : sessions_in_order(logs_)) {
    const LogFile& file = *logs_.files()[f];
    for (const RingEntry& ring : session->rings) {
      if (ring.ring < wire::kFirstRecorderRing) {
        add_source(f, *session, ring.runs, session_rank);
        continue;
      }
      std::map<std::uint32_t, std::vector<std::uint64_t>> by_thread;
      for (const std::uint64_t run : ring.runs) by_thread[file.runs()[run].thread].push_back(run);
      for (auto& [thread, runs] : by_thread)
        add_source(f, *session, runs_of_threads_.emplace_back(std::move(runs)), session_rank);
    }
    ++session_rank;
  }
  for (std::size_t f = 0; f < logs_.files().size(); ++f) {
    const LogFile& file = *logs_.files()[f];
    for (std::size_t b = 0; b < file.blocks().size(); ++b) {
      const BlockEntry& block = file.blocks()[b];
      if (!wanted(f, b)) continue;
      const ClockMap& clock = file.sessions()[block.session]->clock;
      starts_.push_back({clock.merge_key(block.min_clock), clock.merge_key(block.max_clock), block.records});
    }
  }
  std::sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) { return a.key < b.key; });
  for (std::uint32_t i = 0; i < sources_.size(); ++i) wait_for_run(i);
  if (only == nullptr || !only->key) return;
  Slab before;
  deal_below(*only->key, &before);
}

SlabPlanner::~SlabPlanner() = default;

void SlabPlanner::add_source(std::size_t file, const Session& session, const std::vector<std::uint64_t>& runs,
                             std::uint32_t rank) {
  Source source;
  source.file = logs_.files()[file].get();
  source.session = &session;
  source.runs = &runs;
  source.session_rank = rank;
  source.file_index = file;
  sources_.push_back(std::move(source));
}

std::uint64_t SlabPlanner::records() const {
  std::uint64_t records = 0;
  for (std::size_t f = 0; f < chosen_.size(); ++f) {
    for (std::size_t b = 0; b < chosen_[f].size(); ++b) {
      if (wanted(f, b)) records += logs_.files()[f]->blocks()[b].records;
    }
  }
  return records;
}

bool SlabPlanner::next(Slab* slab) {
  *slab = Slab();
  return options_.sort ? next_sorted(slab) : next_unsorted(slab);
}

// Which blocks can have a record that is wanted; asked of the filter by all threads.
void SlabPlanner::choose_blocks(const LastRecords* only) {
  const Level least = options_.decode.min_level;
  const auto below = ((1u << static_cast<unsigned>(least)) - 1) | (least != Level::kTrace ? Site::kNoLevelBit : 0);
  for (std::size_t f = 0; f < logs_.files().size(); ++f) {
    const auto& file = logs_.files()[f];
    std::vector<std::uint8_t>& chosen = chosen_.emplace_back(file->blocks().size());
    const bool ask = options_.filter != nullptr && !options_.keep_all && chosen.size() > 64;
    in_parallel(chosen.size(), 16, ask ? options_.jobs : 1, [&, this](unsigned, std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        if (only != nullptr && only->blocks[f][b] == 0) continue;
        const BlockEntry& block = file->blocks()[b];
        chosen[b] = options_.keep_all || ((block.levels & ~below) != 0 &&
                                          (options_.filter == nullptr || options_.filter->may_match(*file, block)));
      }
    });
  }
}

const RunEntry& SlabPlanner::run_of(const Source& source) const {
  return source.file->runs()[(*source.runs)[source.run]];
}

std::shared_ptr<SharedBlock> SlabPlanner::hold(const LogFile& file, const BlockEntry& entry) {
  std::weak_ptr<SharedBlock>& known = open_[&entry];
  if (auto block = known.lock()) return block;
  auto block = pool_.open(file, entry);
  known = block;
  return block;
}

// With thousands of rings, what is next in each is far from what is next in the others.
[[gnu::always_inline]] inline void SlabPlanner::fetch_ahead(std::size_t i) const {
  constexpr std::size_t kFarAhead = 8;
  if (i + kFarAhead >= active_.size()) return;
  const Source& source = sources_[active_[i + kFarAhead]];
  __builtin_prefetch(source.ticks + source.at);
}

// No record of the source that has not been dealt out has a key below this.
std::int64_t SlabPlanner::least_key(const Source& source) const {
  const std::uint64_t ticks =
      source.block != nullptr ? source.ticks[source.at] : source.file->blocks()[run_of(source).block].min_clock;
  return source.session->clock.merge_key(std::max(source.floor, ticks));
}

// Moves the source on to its next run that is wanted, if there is one.
void SlabPlanner::wait_for_run(std::uint32_t index) {
  Source& source = sources_[index];
  source.block.reset();
  for (; source.run < source.runs->size(); ++source.run) {
    const RunEntry& run = run_of(source);
    if (run.repeated >= run.records) continue;
    if (!wanted(source.file_index, run.block)) {
      source.unread.push_back((*source.runs)[source.run]);
      continue;
    }
    waiting_.push_back({least_key(source), index});
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    return;
  }
}

// A record counts as no earlier than those before it in its ring, those in blocks that are passed over too. Looked up
// where the next block's own bounds do not say that it makes no difference.
void SlabPlanner::raise_floor(Source& source, std::uint64_t next_min) {
  for (const std::uint64_t r : source.unread) {
    const RunEntry& run = source.file->runs()[r];
    const BlockEntry& entry = source.file->blocks()[run.block];
    if (entry.max_clock <= std::max(next_min, source.floor)) continue;
    const auto block = hold(*source.file, entry);
    if (!block->decode_clocks()) continue;
    source.floor = std::max(source.floor, block->sort_ticks()[run.start + run.records - std::size_t{1}]);
  }
  source.unread.clear();
}

// Opens the run that the source waits for. Blocks that cannot be decoded are as if they were not there.
void SlabPlanner::open_run(std::uint32_t index) {
  Source& source = sources_[index];
  const RunEntry& run = run_of(source);
  const BlockEntry& entry = source.file->blocks()[run.block];
  auto block = hold(*source.file, entry);
  if (!block->decode_clocks()) {
    ++source.run;
    return wait_for_run(index);
  }
  raise_floor(source, entry.min_clock);
  source.block = std::move(block);
  source.ticks = source.block->sort_ticks().data();
  source.thread = source.session->dictionary.thread(run.thread, entry.offset);
  source.at = run.start + run.repeated;
  source.end = run.start + run.records;
  active_.push_back(index);
}

// Opens every run that can have records below the key.
void SlabPlanner::open_up_to(const Key& key) {
  while (!waiting_.empty() && (!key || waiting_.front().key < *key)) {
    const std::uint32_t index = waiting_.front().source;
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    waiting_.pop_back();
    open_run(index);
  }
}

// Chooses the key below which the next slab's records are, above `least`; none: all that is left.
SlabPlanner::Key SlabPlanner::choose_cut(std::int64_t least) {
  if (least == INT64_MAX) return {};
  const std::uint64_t target = options_.slab_records;
  std::uint64_t records = 0;
  for (const std::uint32_t index : active_) records += sources_[index].end - sources_[index].at;
  // By the bounds of the blocks: those that begin below the cut are counted as if their records were spread evenly.
  Key cut;
  std::size_t next = started_;
  for (; next < starts_.size() && !cut; ++next) {
    const Start& start = starts_[next];
    if (records >= target && start.key > least) {
      cut = start.key;
    } else if (start.records > 2 * target && start.last > start.key) {
      cut = part_way(start.key, start.last, target - std::min(records, target), start.records);
    }
    records += start.records;
  }
  if (cut && *cut <= least) cut = least + 1;
  if (!cut && records > 2 * target) cut = INT64_MAX;
  if (!cut) return cut;
  open_up_to(cut);
  for (int round = 0; round < 8; ++round) {
    const std::uint64_t count = count_below(cut);
    if (count <= 2 * target) break;
    const std::int64_t shorter = part_way(least, *cut, target, count);
    if (shorter >= *cut) break;
    cut = std::max(shorter, least + 1);
    if (cut == least + 1) break;
  }
  return cut;
}

// The first of a clock's ticks whose key is not below; the end of the range: none.
SlabPlanner::Bound SlabPlanner::bound_of(const Session& session, const Key& key) {
  if (!key) return {};
  if (bound_session_ == &session && bound_key_ == key) return bound_;
  bound_session_ = &session;
  bound_key_ = key;
  bound_ = {};
  std::uint64_t low = session.min_clock;
  std::uint64_t high = session.max_clock;
  if (low > high || session.clock.merge_key(high) < *key) return {};
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (session.clock.merge_key(middle) < *key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return bound_ = low;
}

// The first record of the source's run that is not below. Looked for near where the source stands.
std::uint32_t SlabPlanner::end_below(const Source& source, const Bound& bound) const {
  if (!bound) return source.end;
  if (source.floor >= *bound) return source.at;
  const std::uint64_t* ticks = source.ticks;
  std::uint32_t low = source.at;  // all before are below
  std::uint32_t step = 8;
  while (low < source.end && source.end - low > step && ticks[low + step] < *bound) {
    low += step + 1;
    step *= 2;
  }
  const std::uint32_t high = source.end - low > step ? low + step : source.end;
  return static_cast<std::uint32_t>(std::lower_bound(ticks + low, ticks + high, *bound) - ticks);
}

std::uint64_t SlabPlanner::count_below(const Key& key) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    fetch_ahead(i);
    Source& source = sources_[active_[i]];
    source.tried_end = end_below(source, bound_of(*source.session, key));
    count += source.tried_end - source.at;
  }
  tried_ = key;
  return count;
}

// Gives records up to `end` of the source's run to the slab.
void SlabPlanner::deal(Source& source, std::uint32_t index, std::uint32_t end, Slab* slab) {
  if (source.at == end) return;
  slab->segments.push_back(
      {source.block.get(), source.thread, source.at, end, source.session_rank, index, source.floor});
  slab->records += end - source.at;
  if (slab->blocks.empty() || slab->blocks.back() != source.block) slab->blocks.push_back(source.block);
  source.floor = std::max(source.floor, source.ticks[end - std::size_t{1}]);
  source.at = end;
}

// Gives all that is below the cut and has not been dealt out to the slab.
void SlabPlanner::deal_below(const Key& cut, Slab* slab) {
  open_up_to(cut);
  std::vector<std::uint32_t> still_active;
  // Sources whose run ends below the cut may have another one there.
  while (!active_.empty()) {
    std::vector<std::uint32_t> now;
    now.swap(active_);
    for (const std::uint32_t index : now) {
      Source& source = sources_[index];
      const bool tried = source.tried_end != kNotTried && tried_ == cut;
      const std::uint32_t end = tried ? source.tried_end : end_below(source, bound_of(*source.session, cut));
      source.tried_end = kNotTried;
      deal(source, index, end, slab);
      if (source.at != source.end) {
        still_active.push_back(index);
        continue;
      }
      ++source.run;
      wait_for_run(index);
    }
    open_up_to(cut);
  }
  active_.swap(still_active);
  if (!std::is_sorted(active_.begin(), active_.end())) std::sort(active_.begin(), active_.end());
  while (started_ < starts_.size() && (!cut || starts_[started_].key < *cut)) ++started_;
}

bool SlabPlanner::next_sorted(Slab* slab) {
  while (active_.empty() && !waiting_.empty()) {
    const Key first = waiting_.front().key;
    open_up_to(*first == INT64_MAX ? Key() : Key(*first + 1));
  }
  if (active_.empty()) return false;
  std::int64_t least = waiting_.empty() ? INT64_MAX : waiting_.front().key;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    fetch_ahead(i);
    least = std::min(least, least_key(sources_[active_[i]]));
  }
  tried_ = {};
  deal_below(choose_cut(least), slab);
  const auto before = [](const Segment& a, const Segment& b) { return a.source < b.source; };
  if (!std::is_sorted(slab->segments.begin(), slab->segments.end(), before)) {
    std::stable_sort(slab->segments.begin(), slab->segments.end(), before);
  }
  forget_closed();
  return true;
}

// Entries of blocks that nobody holds any more.
void SlabPlanner::forget_closed() {
  if (open_.size() < 2 * open_after_last_) return;
  std::erase_if(open_, [](const auto& entry) { return entry.second.expired(); });
  open_after_last_ = std::max<std::size_t>(open_.size(), 64);
}

bool SlabPlanner::next_unsorted(Slab* slab) {
  for (; file_at_ < logs_.files().size(); ++file_at_, run_at_ = 0) {
    const LogFile& file = *logs_.files()[file_at_];
    for (; run_at_ < file.runs().size(); ++run_at_, record_at_ = 0) {
      const RunEntry& run = file.runs()[run_at_];
      if (run.repeated >= run.records || !wanted(file_at_, run.block)) continue;
      if (slab->records >= options_.slab_records) return true;
      const BlockEntry& entry = file.blocks()[run.block];
      if (last_ == nullptr || &last_->entry() != &entry) last_ = hold(file, entry);
      if (slab->blocks.empty() || slab->blocks.back() != last_) slab->blocks.push_back(last_);
      const std::uint32_t begin = run.start + run.repeated + record_at_;
      const std::uint32_t most = 2 * options_.slab_records;
      const std::uint32_t end = std::min(begin + most, run.start + run.records);
      const Thread* thread = file.sessions()[entry.session]->dictionary.thread(run.thread, entry.offset);
      slab->segments.push_back({slab->blocks.back().get(), thread, begin, end, 0, 0, 0});
      slab->records += end - begin;
      if (end != run.start + run.records) {
        record_at_ += end - begin;
        return true;
      }
    }
  }
  forget_closed();
  last_.reset();
  return !slab->segments.empty();
}

}  // namespace steno::reader
