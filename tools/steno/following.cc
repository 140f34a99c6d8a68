#include "following.h"

#include <sys/prctl.h>

#include <algorithm>
#include <ctime>

#include "inputs.h"
#include "screen.h"

namespace steno::cli {
namespace {

constexpr std::uint32_t kBatch = 1024;

}  // namespace

Following::Following(const std::vector<std::string>& paths, reader::LogSet* logs, ExitCode* code) {
  for (const std::string& path : paths) {
    auto follower = std::make_unique<api::Follower>(path);
    std::vector<std::string> problems;
    const Status status = follower->open(logs, &problems);
    for (const std::string& problem : problems) complain(problem);
    if (!status.ok() && status.code() != StatusCode::kNotFound) {
      complain(status.message());
      raise_to(code, kExitUnreadable);
      continue;
    }
    if (!status.ok()) complain(status.message() + "; waiting for it");
    followers_.push_back(std::move(follower));
  }
}

const std::vector<std::uint8_t>& Following::wanted(const reader::DecodedBlock& block, const reader::RowFilter& filter) {
  const auto [found, is_new] = wanted_.try_emplace(&block.entry());
  if (is_new) {
    found->second.assign(block.records(), 1);
    filter.select(block, found->second);
  }
  return found->second;
}

bool Following::print(const reader::Slice& slice, const reader::RowFilter* filter, LineFormat& format, Output& output) {
  const std::uint8_t* keep = filter != nullptr ? wanted(*slice.block, *filter).data() : nullptr;
  reader::Slice part = slice;
  for (std::uint32_t i = slice.begin; i < slice.end; i = part.end) {
    part.begin = i;
    part.end = i + 1;
    if (keep != nullptr && keep[i] == 0) continue;
    while (part.end < slice.end && part.end - i < kBatch && (keep == nullptr || keep[part.end] != 0)) ++part.end;
    format.append({&part, 1}, output.buffer());
    if (!output.tick()) return false;
  }
  return true;
}

void Following::tell_of_damage(const api::Follower& follower, ExitCode* code) {
  if (!follower.passed_over() || !told_.insert(&follower).second) return;
  complain(follower.path() + ": something in it cannot be read and was passed over; 'steno verify' tells what");
  raise_to(code, kExitIncomplete);
}

void Following::run(const Printing::MakeFormat& make_format, const reader::RowFilter* filter, Output* output,
                    ExitCode* code) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // 50 us is the default
  while (!end_asked() && output->good()) {
    std::int64_t pause = INT64_MAX;
    for (const auto& follower : followers_) {
      // Anew for each look: what it remembers of sites and threads is of one look.
      wanted_.clear();
      std::unique_ptr<LineFormat> format;
      follower->poll([&](const reader::Slice& slice) {
        if (format == nullptr) format = make_format();
        return print(slice, filter, *format, *output);
      });
      tell_of_damage(*follower, code);
      pause = std::min(pause, follower->pause());
    }
    if (!output->flush()) break;
    const timespec time = {0, static_cast<long>(pause)};
    if (pause != 0) clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  }
}

}  // namespace steno::cli
