#include "reader/merge.h"

#include <algorithm>
#include <tuple>

namespace steno::reader {

Merge::Merge(const LogSet& logs, ReadOptions options) : logs_(logs), options_(options) {
  if (!options_.sort) return;
  std::uint32_t session_rank = 0;
  for (const auto& file : logs_.files()) add_sources(*file, &session_rank);
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    if (find_run(sources_[i])) heap_.push_back(head_of(sources_[i], i));
  }
  for (std::size_t i = heap_.size() / 2; i-- > 0;) sift_down(i);
}

Merge::~Merge() = default;

bool Merge::next(Slice* slice) {
  return options_.sort ? next_sorted(slice) : next_unsorted(slice);
}

void Merge::add_sources(const LogFile& file, std::uint32_t* session_rank) {
  for (const auto& session : file.sessions()) {
    for (const RingEntry& ring : session->rings) {
      Source source;
      source.file = &file;
      source.session = session.get();
      source.ring = &ring;
      source.session_rank = *session_rank;
      sources_.push_back(source);
    }
    ++*session_rank;
  }
}

inline bool Merge::before(const HeapEntry& a, const HeapEntry& b) {
  if (a.key != b.key) return a.key < b.key;
  return std::tie(a.session_rank, a.ticks, a.source) < std::tie(b.session_rank, b.ticks, b.source);
}

// Whether anything of a run is to be shown. Alike for all runs of a block, but for repeated ones.
bool Merge::shown(const LogFile& file, const RunEntry& run) const {
  const unsigned levels = file.blocks()[run.block].levels;
  return run.repeated < run.records && (levels >> static_cast<unsigned>(options_.decode.min_level)) != 0;
}

// Moves on to the first run at or behind the current one that is shown.
bool Merge::find_run(Source& source) const {
  const std::vector<std::uint64_t>& runs = source.ring->runs;
  while (source.run < runs.size() && !shown(*source.file, source.file->runs()[runs[source.run]])) ++source.run;
  source.block = nullptr;
  return source.run < runs.size();
}

// Where the source stands in the order; before its block is decoded, a lower bound of that.
inline Merge::HeapEntry Merge::head_of(const Source& source, std::uint32_t index) const {
  std::int64_t key;
  std::uint64_t ticks;
  if (source.block != nullptr) {
    key = source.block->key(source.at);
    ticks = source.block->ticks(source.at);
  } else {
    ticks = source.file->blocks()[source.file->runs()[source.ring->runs[source.run]].block].min_clock;
    key = source.session->clock.merge_key(ticks);
  }
  return {std::max(key, source.last_key), std::max(ticks, source.last_ticks), source.session_rank, index};
}

void Merge::sift_down(std::size_t i) {
  const HeapEntry entry = heap_[i];
  for (;;) {
    std::size_t child = 2 * i + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], entry)) break;
    heap_[i] = heap_[child];
    i = child;
  }
  heap_[i] = entry;
}

// The top source has shown all of its run: drops what is not needed any more and takes up the next run.
void Merge::leave_run(std::uint32_t index) {
  Source& source = sources_[index];
  release(source.file->blocks()[source.file->runs()[source.ring->runs[source.run]].block]);
  ++source.run;
  if (find_run(source)) {
    heap_[0] = head_of(source, index);
  } else {
    heap_[0] = heap_.back();
    heap_.pop_back();
  }
  if (!heap_.empty()) sift_down(0);
}

// Advances source.at over the records that come before `limit`, at least one.
void Merge::take_up_to(Source& source, const HeapEntry* limit, std::uint32_t index) {
  do {
    source.last_key = std::max(source.last_key, source.block->key(source.at));
    source.last_ticks = std::max(source.last_ticks, source.block->ticks(source.at));
    ++source.at;
  } while (source.at < source.end && (limit == nullptr || before(head_of(source, index), *limit)));
}

bool Merge::next_sorted(Slice* slice) {
  if (run_ended_) leave_run(heap_[0].source);
  run_ended_ = false;
  while (!heap_.empty()) {
    const std::uint32_t index = heap_[0].source;
    Source& source = sources_[index];
    if (source.block == nullptr) {
      const RunEntry& run = source.file->runs()[source.ring->runs[source.run]];
      source.block = hold(*source.file, source.file->blocks()[run.block]).block.get();
      if (source.block == nullptr) {
        leave_run(index);
        continue;
      }
      source.at = run.start + run.repeated;
      source.end = run.start + run.records;
      source.thread = thread_of(*source.file, run);
      heap_[0] = head_of(source, index);
      sift_down(0);
      continue;
    }
    const HeapEntry* limit = heap_.size() > 1 ? &heap_[1] : nullptr;
    if (heap_.size() > 2 && before(heap_[2], heap_[1])) limit = &heap_[2];
    const std::uint32_t begin = source.at;
    take_up_to(source, limit, index);
    *slice = {source.block, source.thread, begin, source.at};
    run_ended_ = source.at == source.end;
    if (!run_ended_) {
      heap_[0] = head_of(source, index);
      sift_down(0);
    }
    return true;
  }
  return false;
}

bool Merge::next_unsorted(Slice* slice) {
  for (; file_at_ < logs_.files().size(); ++file_at_, run_at_ = 0) {
    const LogFile& file = *logs_.files()[file_at_];
    if (run_ended_) release(file.blocks()[file.runs()[run_at_++].block]);
    run_ended_ = false;
    for (; run_at_ < file.runs().size(); ++run_at_) {
      const RunEntry& run = file.runs()[run_at_];
      if (!shown(file, run)) continue;
      const BlockEntry& entry = file.blocks()[run.block];
      const DecodedBlock* block = hold(file, entry).block.get();
      if (block == nullptr) {
        release(entry);
        continue;
      }
      *slice = {block, thread_of(file, run), run.start + run.repeated, run.start + run.records};
      run_ended_ = true;
      return true;
    }
  }
  return false;
}

const Thread* Merge::thread_of(const LogFile& file, const RunEntry& run) {
  const BlockEntry& entry = file.blocks()[run.block];
  return file.sessions()[entry.session]->dictionary.thread(run.thread, entry.offset);
}

Merge::Held& Merge::hold(const LogFile& file, const BlockEntry& entry) {
  const auto [found, added] = held_.try_emplace(&entry);
  Held& held = found->second;
  if (!added) return held;
  for (std::uint64_t i = entry.first_run; i < entry.first_run + entry.runs; ++i) {
    held.runs_left += shown(file, file.runs()[i]) ? 1 : 0;
  }
  if (spare_.empty()) spare_.push_back(std::make_unique<DecodedBlock>());
  if (Status status = spare_.back()->decode(file, entry, options_.decode); status.ok()) {
    held.block = std::move(spare_.back());
    spare_.pop_back();
  } else {
    const std::uint64_t begin = entry.offset - format::kBlockHeaderSize;
    failures_.push_back({&file,
                         {DamageKind::kContent, begin, format::kBlockHeaderSize + round_up(entry.length, 8),
                          status.message() + " (" + std::to_string(entry.records) + " records)"}});
  }
  return held;
}

void Merge::release(const BlockEntry& entry) {
  const auto found = held_.find(&entry);
  if (--found->second.runs_left != 0) return;
  if (found->second.block != nullptr) spare_.push_back(std::move(found->second.block));
  held_.erase(found);
}

}  // namespace steno::reader
