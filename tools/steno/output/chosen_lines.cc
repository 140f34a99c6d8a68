#include "output/chosen_lines.h"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "reader/decoded_block.h"

namespace steno::cli {
namespace {

constexpr std::size_t kStretch = 1 << 16;  // records whose lines are held

const reader::Thread& thread_of(const reader::LogFile& file, const reader::BlockEntry& entry,
                                const reader::Session& session, std::uint32_t record) {
  const auto runs = std::span<const reader::RunEntry>(file.runs()).subspan(entry.first_run, entry.runs);
  auto run = std::upper_bound(runs.begin(), runs.end(), record,
                              [](std::uint32_t r, const reader::RunEntry& one) { return r < one.start; });
  return *session.dictionary.thread(std::prev(run)->thread, entry.offset);
}

// The lines of some records, in their order; those of one block are made together.
class Stretch {
 public:
  Stretch(const reader::LogSet& logs, LineFormat& format) : logs_(logs), format_(format) {}

  void print(std::span<const query::RecordRef> refs, std::vector<reader::DecodeFailure>* failures) {
    lines_.assign(refs.size(), {});
    std::vector<std::size_t> order(refs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(refs[a].file, refs[a].block) < std::tie(refs[b].file, refs[b].block);
    });
    for (std::size_t first = 0; first < order.size();) {
      const query::RecordRef& ref = refs[order[first]];
      std::size_t end = first;
      while (end < order.size() && refs[order[end]].file == ref.file && refs[order[end]].block == ref.block) ++end;
      print_block(ref, refs, std::span(order).subspan(first, end - first), failures);
      first = end;
    }
  }
  const std::string& line(std::size_t i) const { return lines_[i]; }

 private:
  void print_block(const query::RecordRef& ref, std::span<const query::RecordRef> refs,
                   std::span<const std::size_t> which, std::vector<reader::DecodeFailure>* failures) {
    const reader::LogFile& file = *logs_.files()[ref.file];
    const reader::BlockEntry& entry = file.blocks()[ref.block];
    reader::DecodedBlock block;
    if (const Status status = block.decode(file, entry, {}); !status.ok()) {
      if (auto failure = reader::failure_of(file, entry, status)) failures->push_back(std::move(*failure));
      return;
    }
    for (const std::size_t i : which) {
      const std::uint32_t record = refs[i].record;
      const reader::Slice slice{&block, &thread_of(file, entry, block.session(), record), record, record + 1};
      text_.clear();
      format_.append({&slice, 1}, text_);
      lines_[i].assign(reinterpret_cast<const char*>(text_.data()), text_.size());
    }
  }

  const reader::LogSet& logs_;
  LineFormat& format_;
  std::vector<std::string> lines_;
  ByteBuffer text_;
};

}  // namespace

void print_chosen(const reader::LogSet& logs, query::ChosenRecords* chosen, bool gaps, LineFormat& format,
                  Output* output) {
  const std::span<const query::RecordRef> refs = chosen->records;
  format.begin(output->buffer());
  Stretch stretch(logs, format);
  for (std::size_t first = 0; first < refs.size(); first += kStretch) {
    const auto some = refs.subspan(first, std::min(kStretch, refs.size() - first));
    stretch.print(some, &chosen->failures);
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (gaps && first + i != 0 && refs[first + i].rank != refs[first + i - 1].rank) {
        format.append_gap(output->buffer());
      }
      put(output->buffer(), stretch.line(i));
      if (output->buffer().size() >= Output::kChunk && !output->flush()) return;
    }
  }
}

}  // namespace steno::cli
