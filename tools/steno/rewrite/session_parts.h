// The sessions that are copied, as the files have them, and the records of them that are chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reader/decoded_block.h"
#include "reader/log_set.h"
#include "rewrite/copy.h"

namespace steno::cli {

// A session as one of the files has it.
struct Part {
  const reader::LogFile* file = nullptr;
  const reader::Session* session = nullptr;
  std::vector<const reader::BlockEntry*> blocks;
};

// The sessions of the new file, in the order in which they began: records of one time stay in the order that readers of
// the old files give them. With `by_id` those of one id are one.
std::vector<std::vector<Part>> sessions_of(const reader::LogSet& logs, bool by_id);

// Reads blocks and says which of their records are chosen, those that are there twice left out.
class ChosenBlocks {
 public:
  ChosenBlocks(const CopyRules& rules, Copied* copied) : rules_(rules), copied_(*copied) {}

  // visit(block, keep) for each block that has any record to keep.
  template <class Visit>
  Status each(const Part& part, bool values, const Visit& visit) {
    for (const reader::BlockEntry* entry : part.blocks) {
      const Status status = read(part, *entry, values);
      if (!status.ok()) {
        note_failure(*part.file, *entry, status);
        continue;
      }
      if (Status written = visit(block_, keep_); !written.ok()) return written;
    }
    return {};
  }

 private:
  Status read(const Part& part, const reader::BlockEntry& entry, bool values);
  void note_failure(const reader::LogFile& file, const reader::BlockEntry& entry, const Status& status);

  const CopyRules& rules_;
  Copied& copied_;
  reader::DecodedBlock block_;
  std::vector<std::uint8_t> keep_;
  std::vector<std::uint8_t> wanted_;
};

// Calls visit(run, i) for the records of a block that are not in an earlier run as well.
template <class Visit>
void each_record(const reader::DecodedBlock& block, const Visit& visit) {
  const reader::BlockEntry& entry = block.entry();
  const auto runs = std::span(block.file().runs()).subspan(entry.first_run, entry.runs);
  for (const reader::RunEntry& run : runs) {
    for (std::uint32_t i = run.start + run.repeated; i < run.start + run.records; ++i) visit(run, i);
  }
}

}  // namespace steno::cli
