// /api/verify: what `steno verify` would say of the files, as they are now.
#include <algorithm>

#include "input/session_text.h"
#include "output/verdict.h"
#include "reader/loss_text.h"
#include "web/answers.h"

namespace steno::cli::web {
namespace {

constexpr std::size_t kMostGaps = 200;

// Reads the blocks that an index told of, so that the time line knows which are damaged.
void meet_damage(const Asked& asked) {
  for (const auto& file : asked.logs().files()) {
    for (const reader::BlockEntry& block : file->blocks()) {
      if (asked.meter() != nullptr) asked.meter()->check();
      (void)file->open_block(block);
    }
  }
}

}  // namespace

void answer_verify(const Asked& asked, Json* out) {
  // Opened anew: `logs()` were opened by their indices, and this checks each byte.
  reader::OpenOptions check = reader::kCheckAll;
  check.meter = asked.meter();
  reader::LogSet logs(reader::Secrets::kShown, check);  // prints none
  std::vector<std::string> gaps;
  open_silently(asked.log().names(), &logs, &gaps);
  std::uint64_t found = gaps.size();
  const bool opened = gaps.empty();
  if (!opened && gaps.size() > kMostGaps) gaps.resize(kMostGaps);
  Verdict verdict;
  bool is_damaged = false;
  for (const auto& file : logs.files()) {
    if (asked.meter() != nullptr) asked.meter()->check();
    reader::LossOptions options;
    options.meter = asked.meter();
    const reader::LossReport report = reader::find_losses(*file, options);
    verdict.add(report, clock_uncertainty(*file));
    found += report.losses.size();
    is_damaged |= std::any_of(report.losses.begin(), report.losses.end(),
                              [](const reader::Loss& loss) { return loss.cause == reader::LossCause::kDamage; });
    for (const reader::Loss& loss : report.losses) {
      if (gaps.size() == kMostGaps) break;
      gaps.push_back((logs.files().size() > 1 ? file->path() + ": " : "") + reader::describe(*file, loss));
    }
  }
  if (is_damaged) meet_damage(asked);
  out->begin('{');
  out->name("complete").boolean(opened && verdict.complete() && !logs.files().empty());
  out->name("damaged").boolean(is_damaged);
  out->name("lost").number(verdict.lost());
  out->name("exact").boolean(opened && verdict.exact());
  out->name("text").text(logs.files().empty() ? "no file can be read" : verdict.text(logs.files()));
  out->name("gaps").begin('[');
  for (const std::string& gap : gaps) out->text(gap);
  out->end(']').name("more").number(found - gaps.size());
  out->end('}');
}

}  // namespace steno::cli::web
