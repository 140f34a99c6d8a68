#include "output/chosen_lines.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "output/chosen_blocks.h"

namespace steno::cli {
namespace {

constexpr std::size_t kStretch = 1 << 16;  // records whose lines are held

// The lines of some records, in their order; those of one block are made together.
class Stretch {
 public:
  Stretch(const reader::LogSet& logs, LineFormat& format) : logs_(logs), format_(format) {}

  void print(std::span<const query::RecordRef> refs, std::vector<reader::DecodeFailure>* failures) {
    lines_.assign(refs.size(), {});
    visit_chosen(
        logs_, refs,
        [&](std::size_t i, const reader::Slice& slice) {
          text_.clear();
          format_.append({&slice, 1}, text_);
          lines_[i].assign(reinterpret_cast<const char*>(text_.data()), text_.size());
        },
        failures);
  }
  const std::string& line(std::size_t i) const { return lines_[i]; }

 private:
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
