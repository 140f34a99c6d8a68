#include "input/following.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef STATX_BTIME  // musl has statx() from 1.2.5 on
#include <linux/stat.h>
#endif

#include <algorithm>

#include "base/clock.h"
#include "input/inputs.h"
#include "output/screen.h"

namespace steno::cli {
namespace {

constexpr std::uint32_t kBatch = 1024;
constexpr std::int64_t kSecondNs = 1'000'000'000;

// When it was made, in ns; 0: the file system does not know.
std::int64_t born_at(const std::string& path) {
  struct statx found {};
  if (::syscall(SYS_statx, AT_FDCWD, path.c_str(), 0, STATX_BTIME, &found) != 0) return 0;
  if ((found.stx_mask & STATX_BTIME) == 0) return 0;
  return found.stx_btime.tv_sec * std::int64_t{1'000'000'000} + found.stx_btime.tv_nsec;
}

}  // namespace

Following::Following(const std::vector<std::string>& names, reader::LogSet* logs, ExitCode* code)
    : secrets_(logs->ordinals().secrets) {
  for (const std::string& name : names) {
    if (!is_pattern(name)) {
      follow(name, logs, code);
      continue;
    }
    patterns_.push_back(name);
    const std::vector<std::string> matches = matches_of(name);
    if (matches.empty()) complain(name + ": no file matches this pattern; waiting for one");
    for (const std::string& path : matches) follow(path, logs, code);
  }
  note_files();
}

// False if the file cannot be followed.
bool Following::follow(const std::string& path, reader::LogSet* logs, ExitCode* code) {
  if (!paths_.insert(path).second) return false;
  auto follower = std::make_unique<follow::Follower>(path);
  std::vector<std::string> problems;
  const Status status = follower->open(logs, &problems);
  for (const std::string& problem : problems) complain(problem);
  if (!status.ok() && status.code() != StatusCode::kNotFound) {
    complain(status.message());
    raise_to(code, kExitUnreadable);
    return false;
  }
  if (!status.ok()) {
    lacks_files_ = true;
    complain(status.message() + "; waiting for it");
  }
  followers_.push_back(std::move(follower));
  return true;
}

void Following::explain_silence() const {
  if (followers_.empty() || lacks_files_) return;
  if (std::any_of(followers_.begin(), followers_.end(), [](const auto& one) { return one->is_written(); })) return;
  if (followers_.size() == 1) return complain(followers_[0]->path() + ": no process is seen to write it now; waiting");
  complain("no process is seen to write any of these files now; waiting");
}

void Following::note_files() {
  if (patterns_.empty()) return;
  for (const std::string& path : paths_) {
    struct stat st {};
    if (::stat(path.c_str(), &st) == 0) files_.emplace(st.st_dev, st.st_ino, born_at(path));
  }
}

bool Following::is_new_file(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return false;
  if (files_.emplace(st.st_dev, st.st_ino, born_at(path)).second) return true;
  paths_.insert(path);
  return false;
}

void Following::follow_new_matches(const MakeFormat& make_format, const reader::RowFilter* filter, Output* output,
                                   ExitCode* code) {
  patterns_read_ = monotonic_now();
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns_) {
    for (const std::string& path : matches_of(pattern)) {
      if (paths_.count(path) == 0 && is_new_file(path)) paths.push_back(path);
    }
  }
  note_files();
  for (const std::string& path : paths) {
    reader::LogSet logs(secrets_);
    if (!follow(path, &logs, code) || logs.files().empty()) continue;
    PrintOptions print;
    print.read.filter = filter;
    print.begins = false;
    Printing printing(
        logs, print, [&] { return make_format(path); }, nullptr, output);
    if (!printing.run() || !output->flush()) return;
    report_failures(logs, printing.failures(), all_times(), code);
  }
}

const std::vector<std::uint8_t>& Following::wanted(const reader::DecodedBlock& block, const reader::RowFilter& filter) {
  const auto [found, is_new] = wanted_.try_emplace(&block.entry());
  if (is_new) {
    found->second.assign(block.records(), 1);
    // All columns of these blocks have been decoded already, so damage in them has been reported.
    if (!filter.select(block, found->second).ok()) std::fill(found->second.begin(), found->second.end(), 0);
  }
  return found->second;
}

bool Following::print(const reader::Slice& slice, const reader::RowFilter* filter, lines::RateLimit& limit,
                      LineFormat& format, Output& output) {
  const std::uint8_t* keep = filter != nullptr ? wanted(*slice.block, *filter).data() : nullptr;
  reader::Slice part = slice;
  for (std::uint32_t i = slice.begin; i < slice.end; i = part.end) {
    part.begin = i;
    part.end = i + 1;
    if (keep != nullptr && keep[i] == 0) continue;
    if (limit.limits()) {  // record by record
      std::string counted;
      const bool taken = limit.takes(*slice.block->group(i).site, slice.block->wall(i), &counted);
      put(output.buffer(), counted);
      if (taken) format.append({&part, 1}, output.buffer());
      if (!output.tick()) return false;
      continue;
    }
    while (part.end < slice.end && part.end - i < kBatch && (keep == nullptr || keep[part.end] != 0)) ++part.end;
    format.append({&part, 1}, output.buffer());
    if (!output.tick()) return false;
  }
  return true;
}

void Following::report_damage(const follow::Follower& follower, ExitCode* code) {
  if (!follower.passed_over() || !reported_.insert(&follower).second) return;
  report_skipped(follower.path(), code);
}

void Following::run(const MakeFormat& make_format, const reader::RowFilter* filter, lines::RateLimit* limit,
                    Output* output, ExitCode* code) {
  std::int64_t held_since = 0;    // when the limit first held something back; 0: it holds nothing
  prctl(PR_SET_TIMERSLACK, 1UL);  // 50 us is the default
  while (!end_asked() && output->good()) {
    std::int64_t pause = INT64_MAX;
    if (!patterns_.empty()) {
      if (monotonic_now() - patterns_read_ >= kPatternNs) follow_new_matches(make_format, filter, output, code);
      pause = kPatternNs;
    }
    for (const auto& follower : followers_) {
      // Anew for each look: what it remembers of sites and threads is of one look.
      wanted_.clear();
      std::unique_ptr<LineFormat> format;
      follower->poll([&](const reader::Slice& slice) {
        if (format == nullptr) format = make_format(follower->path());
        return print(slice, filter, *limit, *format, *output);
      });
      report_damage(*follower, code);
      pause = std::min(pause, follower->pause());
    }
    if (!limit->holds()) {
      held_since = 0;
    } else if (held_since == 0) {
      held_since = monotonic_now();
    } else if (monotonic_now() - held_since >= kSecondNs) {  // nothing has come since that would end the second
      put(output->buffer(), limit->counted());
    }
    if (limit->holds()) pause = std::min(pause, kSecondNs);
    if (!output->flush() || (pause != 0 && !output->wait(pause))) break;
  }
  if (output->good()) put(output->buffer(), limit->counted());
}

}  // namespace steno::cli
