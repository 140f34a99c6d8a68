#include "long_lived.h"

#include <steno/reader.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace steno::crash {
namespace {

constexpr std::uint64_t kRun = 1;
constexpr std::uint64_t kSecond = 1'000'000;

std::uint64_t resident_kib(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  in >> pages >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

std::uint64_t open_descriptors(pid_t pid) {
  std::error_code gone;
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(pid) + "/fd", gone);
  return gone ? 0 : static_cast<std::uint64_t>(std::distance(begin(files), end(files)));
}

std::uint64_t median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

LongLived::LongLived(const std::string& checker_program, std::uint64_t seconds)
    : seconds_(seconds), begin_(std::chrono::steady_clock::now()), counts_(arena_.counts_path(kRun)) {
  const std::uint64_t slice = std::clamp<std::uint64_t>(seconds * kSecond / 30, 2 * kSecond, 20 * kSecond);
  checker_.emplace(arena_.start_checker(checker_program, kRun,
                                        {{"threads", 3},
                                         {"ms", seconds * 1000},
                                         {"pace", 1},
                                         {"ring", 65536},
                                         {"flush_us", kSecond},
                                         {"rotate_us", slice},
                                         {"restart_us", slice / 2 + 1234}}));
}

void LongLived::sample() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_sample_ < std::chrono::milliseconds(500)) return;
  last_sample_ = now;
  const double part = std::chrono::duration<double>(now - begin_).count() / static_cast<double>(seconds_);
  const std::uint64_t rss = resident_kib(checker_->pid());
  const std::uint64_t descriptors = open_descriptors(checker_->pid());
  // On a busy machine one turn may be longer than that. The first sample after the beginning counts then.
  if (part > 0.1 && (part < 0.35 || descriptors_early_.empty())) {
    report_.rss_early_kib = std::max(report_.rss_early_kib, rss);
    descriptors_early_.push_back(descriptors);
  } else if (part > 0.75) {
    report_.rss_late_kib = std::max(report_.rss_late_kib, rss);
    descriptors_late_.push_back(descriptors);
  }
}

std::optional<std::string> LongLived::turn() {
  sample();
  return take_pieces();
}

// Pieces that the checker has left for good: the scribe has opened the next one.
std::optional<std::string> LongLived::take_pieces() {
  for (const std::uint32_t complete = counts_.read().reopened; pieces_ < complete; ++pieces_) {
    if (auto problem = take(arena_.log() + "." + std::to_string(kRun) + "." + std::to_string(pieces_))) return problem;
  }
  return std::nullopt;
}

std::optional<std::string> LongLived::take(const std::string& file) {
  auto reader = LogReader::open({file});
  if (!reader.ok()) return reader.status().message();
  std::string message;
  reader->for_each([&](const Record& record) {
    message.clear();
    record.append_message(&message);
    ledger_.add({record.thread(), record.logger(), record.level(), message});
  });
  for (const LossFacts& loss : reader->losses()) {
    if (loss.text.find("dropped") == std::string::npos) return file + ": " + loss.text;
  }
  if (!ledger_.complete()) return "the long-lived one: " + ledger_.problems();
  std::filesystem::remove(file);
  return std::nullopt;
}

std::optional<std::string> LongLived::finish() {
  const End end = checker_->wait(static_cast<int>(seconds_) + 60);
  if (!end.ok()) return "the long-lived one ends with " + end.text() + ": " + read_text(arena_.said_path("checker"));
  if (auto problem = take_pieces()) return problem;
  for (const std::string& file : arena_.log_files()) {
    if (file == arena_.log()) continue;
    if (auto problem = take(file)) return problem;
  }
  // Renamed, and its end came before it noticed.
  if (std::filesystem::exists(arena_.log())) {
    if (auto problem = take(arena_.log())) return problem;
  }
  const Counts counts = counts_.read();
  ledger_.check(kRun, counts, true);
  if (!ledger_.complete()) return "the long-lived one: " + ledger_.problems();
  report_.records = ledger_.records();
  report_.dropped = ledger_.dropped(kRun);
  report_.restarts = counts.restarts;
  report_.rotations = counts.rotations;
  report_.descriptors_early = median(descriptors_early_);
  report_.descriptors_late = median(descriptors_late_);
  if (const std::string left = arena_.leftovers(); !left.empty()) return "the long-lived one leaves " + left;
  return std::nullopt;
}

}  // namespace steno::crash
