#include "reader/last_records.h"

#include <algorithm>

namespace steno::reader {
namespace {

struct Start {  // of a block
  std::int64_t key;
  std::uint64_t records;
};

std::vector<std::vector<std::uint8_t>> marks(const LogSet& logs, std::uint8_t value) {
  std::vector<std::vector<std::uint8_t>> blocks;
  for (const auto& file : logs.files()) blocks.emplace_back(file->blocks().size(), value);
  return blocks;
}

std::vector<Start> starts_of(const LogSet& logs) {
  std::vector<Start> starts;
  for (const auto& file : logs.files()) {
    for (const BlockEntry& block : file->blocks()) {
      Start start{file->sessions()[block.session]->clock.merge_key(block.min_clock), 0};
      for (std::uint64_t r = block.first_run; r < block.first_run + block.runs; ++r) {
        const RunEntry& run = file->runs()[r];
        start.records += run.records - std::min(run.repeated, run.records);
      }
      starts.push_back(start);
    }
  }
  return starts;
}

// A record counts as no earlier than those before it in its ring, so one may be after the last that its block has.
void mark_reaching(const LogFile& file, std::int64_t key, std::vector<std::uint8_t>* blocks) {
  for (const auto& session : file.sessions()) {
    for (const RingEntry& ring : session->rings) {
      std::int64_t latest = INT64_MIN;
      for (const std::uint64_t r : ring.runs) {
        const std::uint32_t block = file.runs()[r].block;
        latest = std::max(latest, session->clock.merge_key(file.blocks()[block].max_clock));
        if (latest >= key) (*blocks)[block] = 1;
      }
    }
  }
}

LastRecords find_sorted(const LogSet& logs, std::uint64_t records) {
  std::vector<Start> starts = starts_of(logs);
  std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.key > b.key; });
  LastRecords last;
  std::uint64_t found = 0;
  // All records of a block that begins at a key are at or above it.
  for (std::size_t i = 0; i < starts.size() && found < records; ++i) {
    found += starts[i].records;
    if (found >= records) last.key = starts[i].key;
  }
  last.all = !last.key;
  last.blocks = marks(logs, last.all ? 1 : 0);
  if (last.all) return last;
  for (std::size_t f = 0; f < logs.files().size(); ++f) mark_reaching(*logs.files()[f], *last.key, &last.blocks[f]);
  return last;
}

LastRecords find_unsorted(const LogSet& logs, std::uint64_t records) {
  LastRecords last;
  last.blocks = marks(logs, 0);
  std::uint64_t found = 0;
  for (std::size_t f = logs.files().size(); f-- != 0;) {
    const LogFile& file = *logs.files()[f];
    for (std::uint64_t r = file.runs().size(); r-- != 0;) {
      const RunEntry& run = file.runs()[r];
      last.blocks[f][run.block] = 1;
      found += run.records - std::min(run.repeated, run.records);
      if (found < records) continue;
      last.all = false;
      last.file = f;
      last.run = r;
      return last;
    }
  }
  return last;
}

}  // namespace

LastRecords find_last_records(const LogSet& logs, bool sorted, std::uint64_t records) {
  return sorted ? find_sorted(logs, records) : find_unsorted(logs, records);
}

}  // namespace steno::reader
