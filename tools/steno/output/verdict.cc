#include "output/verdict.h"

#include <algorithm>

#include "input/session_text.h"
#include "output/table.h"
#include "reader/loss_text.h"

namespace steno::cli {
namespace {

constexpr std::uint32_t kReportedClockError = 1000;  // ns

// A number is exact, or marked as a bound.
std::string lost_text(const reader::LossReport& report) {
  if (report.exact) return reader::with_commas(report.lost) + " lost";
  return report.lost == 0 ? "loss unknown" : "at least " + reader::with_commas(report.lost) + " lost";
}

}  // namespace

std::string verdict_text(const reader::LossReport& report, std::uint32_t clock) {
  std::string text = report.complete() ? "complete" : "incomplete";
  text += report.complete() && report.in_other_file != 0 ? " as far as this file goes: " : ": ";
  text += reader::counted(report.records, "record", "records") + ", " +
          reader::counted(report.threads, "thread", "threads") + ", " +
          reader::counted(report.sessions, "session", "sessions") + ", ";
  text += lost_text(report);
  if (report.unprintable != 0) text += " (" + reader::with_commas(report.unprintable) + " without their text)";
  if (report.overwritten != 0)
    text += " (" + reader::with_commas(report.overwritten) + " left out by flight recorders)";
  if (report.repeated != 0) text += " (" + reader::counted(report.repeated, "copy", "copies") + " skipped)";
  if (report.cut_short != 0)
    text += " (" + reader::counted(report.cut_short, "write", "writes") + " interrupted and repeated)";
  if (report.running != 0) text += " so far; " + reader::counted(report.running, "session goes", "sessions go") + " on";
  if (report.died != 0) text += "; " + reader::counted(report.died, "process died", "processes died");
  if (report.in_other_file != 0)
    text += "; " + reader::counted(report.in_other_file, "record before these was", "records before these were") +
            " written to another file (removed, moved, or not given)";
  if (is_more_than_stated(clock)) {
    text += std::string("; times may be off by more than ") + kMostStated + ": the clock was set";
  } else if (clock > kReportedClockError) {
    text += "; times are within " + duration_text(clock) + " of the clock";
  }
  return text;
}

void Verdict::add(const reader::LossReport& report, std::uint32_t clock) {
  sum_.records += report.records;
  sum_.threads += report.threads;
  sum_.sessions += report.sessions;
  sum_.lost += report.lost;
  sum_.exact = sum_.exact && report.exact;
  sum_.unprintable += report.unprintable;
  sum_.overwritten += report.overwritten;
  sum_.repeated += report.repeated;
  sum_.cut_short += report.cut_short;
  sum_.running += report.running;
  sum_.died += report.died;
  sum_.in_other_file += report.in_other_file;
  if (!report.complete()) sum_.losses.emplace_back();
  clock_ = std::max(clock_, clock);
}

std::string Verdict::text(reader::Files files) const {
  if (files.size() == 1) return verdict_text(sum_, clock_);
  reader::LossReport all = sum_;
  const reader::Writers writers = reader::count_writers(files);  // a session may have a part in each file
  all.sessions = writers.sessions;
  all.threads = writers.threads;
  std::string text = verdict_text(all, clock_);
  text.insert(text.find(": ") + 2, reader::with_commas(files.size()) + " files, ");
  return text;
}

}  // namespace steno::cli
