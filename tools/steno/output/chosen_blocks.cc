#include "output/chosen_blocks.h"

#include <algorithm>
#include <tuple>

#include "reader/decoded_block.h"

namespace steno::cli {
namespace {

// Decodes of a block what its records `which` need.
Status decode_for(const reader::LogFile& file, const reader::BlockEntry& entry, std::span<const query::RecordRef> refs,
                  std::span<const std::size_t> which, reader::DecodedBlock* block) {
  if (const Status status = block->decode_clocks(file, entry); !status.ok()) return status;
  if (const Status status = block->decode_order(); !status.ok()) return status;
  std::vector<std::uint8_t> wanted(block->groups().size());
  for (const std::size_t i : which) wanted[block->group_index(refs[i].record)] = 1;
  return block->decode_columns(wanted);
}

}  // namespace

const reader::RunEntry& run_of(const reader::LogFile& file, const reader::BlockEntry& entry, std::uint32_t record) {
  const auto runs = std::span<const reader::RunEntry>(file.runs()).subspan(entry.first_run, entry.runs);
  return *std::prev(std::upper_bound(runs.begin(), runs.end(), record,
                                     [](std::uint32_t r, const reader::RunEntry& one) { return r < one.start; }));
}

void visit_chosen(const reader::LogSet& logs, std::span<const query::RecordRef> refs, const VisitChosen& visit,
                  std::vector<reader::DecodeFailure>* failures) {
  std::vector<std::size_t> order(refs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(refs[a].file, refs[a].block) < std::tie(refs[b].file, refs[b].block);
  });
  reader::DecodedBlock block;
  for (std::size_t first = 0; first < order.size();) {
    const query::RecordRef& ref = refs[order[first]];
    std::size_t end = first;
    while (end < order.size() && refs[order[end]].file == ref.file && refs[order[end]].block == ref.block) ++end;
    const auto which = std::span(order).subspan(first, end - first);
    first = end;
    const reader::LogFile& file = *logs.files()[ref.file];
    const reader::BlockEntry& entry = file.blocks()[ref.block];
    if (const Status status = decode_for(file, entry, refs, which, &block); !status.ok()) {
      if (auto failure = reader::failure_of(file, entry, status)) failures->push_back(std::move(*failure));
      continue;
    }
    for (const std::size_t i : which) {
      const std::uint32_t record = refs[i].record;
      const reader::RunEntry& run = run_of(file, entry, record);
      const reader::Thread* thread = block.session().dictionary.thread(run.thread, entry.offset);
      visit(i, reader::Slice{&block, thread, record, record + 1});
    }
  }
}

}  // namespace steno::cli
