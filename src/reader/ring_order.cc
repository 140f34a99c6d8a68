// The runs of each ring in order, and which of their records are there more than once in the file.
#include <algorithm>
#include <map>

#include "reader/log_file.h"

namespace steno::reader {

void LogFile::order_rings() {
  std::vector<std::map<std::uint32_t, RingEntry>> rings(sessions_.size());
  for (std::uint64_t i = 0; i < runs_.size(); ++i) {
    RingEntry& ring = rings[blocks_[runs_[i].block].session][runs_[i].ring];
    ring.ring = runs_[i].ring;
    ring.runs.push_back(i);
  }
  std::vector<std::uint32_t> claims;
  for (std::size_t s = 0; s < sessions_.size(); ++s) {
    for (auto& [number, ring] : rings[s]) {
      order_ring(ring);
      add_rivals(ring, &claims);
      sessions_[s]->rings.push_back(std::move(ring));
    }
  }
  check_claims(std::move(claims));
  for (const auto& session : sessions_) {
    for (const RingEntry& ring : session->rings) mark_repeated(*session, ring);
  }
}

// Runs come in file order, which is the ring's own but for damage.
void LogFile::order_ring(RingEntry& ring) const {
  const auto earlier = [this](std::uint64_t a, std::uint64_t b) { return runs_[a].first_seq < runs_[b].first_seq; };
  if (!std::is_sorted(ring.runs.begin(), ring.runs.end(), earlier)) {
    std::stable_sort(ring.runs.begin(), ring.runs.end(), earlier);
  }
}

// Adds the blocks of runs that claim the same records: only one that is sound may stand for them.
void LogFile::add_rivals(const RingEntry& ring, std::vector<std::uint32_t>* blocks) const {
  std::uint64_t covered = 0;
  std::size_t widest = 0;  // the run that reaches there
  for (std::size_t i = 0; i < ring.runs.size(); ++i) {
    const RunEntry& run = runs_[ring.runs[i]];
    if (covered > run.first_seq) {
      blocks->push_back(runs_[ring.runs[widest]].block);
      blocks->push_back(run.block);
    }
    if (run.seq_end() < covered) continue;
    covered = run.seq_end();
    widest = i;
  }
}

// Has these blocks checked, each once, if only an index vouches for them so far.
void LogFile::check_claims(std::vector<std::uint32_t> blocks) const {
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  std::vector<const BlockEntry*> entries;
  for (const std::uint32_t block : blocks) entries.push_back(&blocks_[block]);
  check_blocks(std::move(entries), nullptr);
}

// A scribe that died between writing a block and releasing it leaves records that are written once more
// (ring.md §4.2): the sequence numbers tell. What is damaged stands for nothing.
void LogFile::mark_repeated(Session& session, const RingEntry& ring) {
  std::uint64_t covered = 0;
  for (const std::uint64_t i : ring.runs) {
    RunEntry& run = runs_[i];
    const bool damaged = is_damaged(blocks_[run.block]);
    if (!damaged && covered > run.first_seq) {
      run.repeated = static_cast<std::uint32_t>(std::min<std::uint64_t>(covered - run.first_seq, run.records));
    }
    session.records += run.records - run.repeated;
    session.repeated += run.repeated;
    if (!damaged) covered = std::max(covered, run.seq_end());
  }
}

}  // namespace steno::reader
