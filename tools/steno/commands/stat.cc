// steno stat: which statements write the log, and how many bytes they take.
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <utility>

#include "command.h"
#include "input/file_bytes.h"
#include "input/inputs.h"
#include "input/session_text.h"
#include "lines/escape.h"
#include "options/jobs_option.h"
#include "options/option_checks.h"
#include "output/output.h"
#include "output/plot.h"
#include "output/progress.h"
#include "output/table.h"
#include "query/statistics/site_times.h"
#include "reader/statistics.h"
#include "ring/layout.h"

namespace steno::cli {
namespace {

std::string off_by(std::uint32_t uncertainty_ns) {
  if (is_more_than_stated(uncertainty_ns)) return std::string(">") + kMostStated;
  return "±" + duration_text(uncertainty_ns);
}

using reader::ColumnStat;
using reader::LogFile;
using reader::SiteStat;
using reader::Statistics;
using reader::with_commas;

using Times = std::unordered_map<std::uint64_t, query::SiteTimes>;

struct StatOptions {
  std::vector<std::string> paths;
  bool json = false;
  bool columns = false;
  bool per_file = false;
  std::size_t top = 20;
};

constexpr std::size_t kWide = 160;  // columns of a terminal that a line a statement takes

std::string text_of(const char* format, va_list args) {
  char text[512];
  const int n = std::vsnprintf(text, sizeof text, format, args);
  return {text, n > 0 ? std::min<std::size_t>(static_cast<std::size_t>(n), sizeof text - 1) : 0};
}

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::string text = text_of(format, args);
  va_end(args);
  return text;
}

[[gnu::format(printf, 2, 3)]] void print(ByteBuffer& out, const char* format, ...) {
  va_list args;
  va_start(args, format);
  put(out, text_of(format, args));
  va_end(args);
}

double ratio(double a, double b) {
  return b != 0 ? a / b : 0;
}
double ratio(std::uint64_t a, std::uint64_t b) {
  return ratio(static_cast<double>(a), static_cast<double>(b));
}

// Counts the rings of threads, without the session's own ring.
std::size_t rings_of(const reader::Session& session) {
  return static_cast<std::size_t>(
      std::count_if(session.rings.begin(), session.rings.end(),
                    [](const reader::RingEntry& entry) { return entry.ring < ring::kOwnRing; }));
}

const char* end_of(const reader::Session& session) {
  return !session.end ? "no" : session.end->died ? "died" : "yes";
}

// To the millisecond: more would not fit.
std::string millisecond_text(std::int64_t wall) {
  return reader::iso_time(wall).substr(0, 23) + "Z";
}

struct SessionLine {
  const reader::Session* session;  // the part that has its end, else the first
  std::uint64_t records;
  std::size_t rings;
  std::uint32_t uncertainty;
};

class TextReport {
 public:
  // `files`: what the statistics are of.
  TextReport(reader::Files files, const Statistics& stats, const Times& times, const StatOptions& options,
             Escape escape, std::size_t width, ByteBuffer& out)
      : files_(files), stats_(stats), times_(times), options_(options), escape_(escape), width_(width), out_(out) {
    for (const auto& file : files) {
      size_ += file->size();
      unknown_records_ += file->unknown_records();
    }
  }

  void run() {
    if (files_.size() == 1) put(out_, escaped(files_[0]->path(), escape_) + "\n");
    if (files_.size() > 1) put(out_, with_commas(files_.size()) + " files as one log; --per-file shows each\n");
    print(out_, "  size      %s bytes, %.2f a record\n", with_commas(size_).c_str(), ratio(size_, stats_.records));
    print(out_, "  records   %s in %s blocks, %s threads%s\n", with_commas(stats_.records).c_str(),
          with_commas(stats_.data_blocks).c_str(), with_commas(stats_.threads).c_str(), copies().c_str());
    if (unknown_records_ != 0) {
      print(out_, "  unknown   %s records of kinds unknown to this version, not counted above\n",
            with_commas(unknown_records_).c_str());
    }
    if (stats_.quick_blocks != 0) {
      print(out_, "  quick     %s of the blocks: the scribe fell behind and compressed them less\n",
            with_commas(stats_.quick_blocks).c_str());
    }
    if (stats_.has_time) {
      print(out_, "  time      %s to %s\n", reader::iso_time(stats_.first_wall).c_str(),
            reader::iso_time(stats_.last_wall).c_str());
      print(out_, "            %.3f s, %.1f records/s\n", stats_.seconds(),
            ratio(static_cast<double>(stats_.records), stats_.seconds()));
    }
    if (files_.size() > 1) files();
    sessions();
    levels();
    bytes();
    sites();
  }

 private:
  std::string copies() const {
    return stats_.repeated == 0 ? "" : "; " + with_commas(stats_.repeated) + " copies not counted";
  }

  void files() {
    put(out_, "\n       records           bytes  a record  first                     file\n");
    for (const auto& file : files_) {
      std::uint64_t records = 0;
      std::int64_t first = INT64_MAX;
      for (const auto& session : file->sessions()) {
        records += session->records;
        if (session->min_clock <= session->max_clock) {
          first = std::min(first, session->clock.wall(session->min_clock));
        }
      }
      const std::string path = file->path();
      put_line(formatted("  %12s  %14s  %8.3f  ", with_commas(records).c_str(), with_commas(file->size()).c_str(),
                         ratio(file->size(), records)) +
               padded(first == INT64_MAX ? "" : millisecond_text(first), 24, false) + "  " +
               path.substr(path.find_last_of('/') + 1));
    }
  }

  // A session that goes on in the next file is one line.
  std::vector<SessionLine> session_lines() const {
    std::vector<SessionLine> lines;
    std::unordered_map<std::uint64_t, std::size_t> by_id;
    for (const auto& file : files_) {
      for (const auto& session : file->sessions()) {
        if (session->known && by_id.contains(session->info.session_id)) {
          SessionLine& line = lines[by_id[session->info.session_id]];
          line.records += session->records;
          line.rings = std::max(line.rings, rings_of(*session));
          line.uncertainty = std::max(line.uncertainty, clock_uncertainty(*session));
          line.session = session->end ? session.get() : line.session;
          continue;
        }
        if (session->known) by_id[session->info.session_id] = lines.size();
        lines.push_back({session.get(), session->records, rings_of(*session), clock_uncertainty(*session)});
      }
    }
    return lines;
  }

  void sessions() {
    print(out_, "\n  session       pid     records  rings  end      clock  program\n");
    std::size_t n = 0;
    for (const SessionLine& of : session_lines()) {
      const reader::Session& one = *of.session;
      const std::string clock = one.dated ? off_by(of.uncertainty) : "";
      std::string line =
          formatted("  %7zu  %8u  %10s  %5zu  %-4s  %s  ", ++n, one.info.pid, with_commas(of.records).c_str(), of.rings,
                    end_of(one), padded(clock, 8, true).c_str());
      if (one.known) {
        line += one.info.program + " on " + one.info.host + ", steno " + one.info.steno_version;
        line += one.dated ? "" : "; no clock points: times are estimates";
      } else {
        line += "(its session block is damaged)";
      }
      put_line(line);
    }
  }

  void levels() {
    put(out_, "\n  level          records   share\n");
    for (int level = 0; level < kLevelCount; ++level) {
      const std::uint64_t n = stats_.by_level[level];
      if (n == 0) continue;
      print(out_, "  %-8s  %12s  %5.1f %%\n", level_name(static_cast<Level>(level)), with_commas(n).c_str(),
            100 * ratio(n, stats_.records));
    }
  }

  void bytes() {
    put(out_, "\n  bytes                            share  a record  codecs (blocks)\n");
    for (const ByteShare& share : byte_shares(files_, stats_)) {
      if (share.bytes == 0) continue;
      std::string name = share.name;
      std::replace(name.begin(), name.end(), '_', ' ');
      const std::string line =
          formatted("  %-12s  %14s  %5.1f %%  %8.3f  ", name.c_str(), with_commas(share.bytes).c_str(),
                    100 * ratio(share.bytes, size_), ratio(share.bytes, stats_.records));
      put(out_, wrapped(line + share.note, width_, text_width(line)) + "\n");
    }
  }

  // One line per statement, or three if the terminal is too narrow for its text.
  void sites() {
    const bool narrow = width_ != 0 && width_ < kWide;
    put(out_, "\n       records   share   a second         bytes   share  a record  ");
    put(out_, narrow ? "level\n" : "first seen                last seen                 statement\n");
    std::size_t shown = 0;
    for (const SiteStat& stat : stats_.sites) {
      if (shown++ == options_.top) break;
      const wire::SiteInfo& info = stat.site->info();
      const std::string numbers = formatted(
          "  %12s  %5.1f %%  %9.1f  %12s  %5.1f %%  %8.3f  ", with_commas(stat.records).c_str(),
          100 * ratio(stat.records, stats_.records), ratio(static_cast<double>(stat.records), stats_.seconds()),
          with_commas(stat.bytes).c_str(), 100 * ratio(stat.bytes, size_), ratio(stat.bytes, stat.records));
      const std::string statement = info.file + ":" + std::to_string(info.line) + "  " + info.format;
      const std::string first = short_time(stat, true);
      const std::string last = short_time(stat, false);
      if (narrow) {
        put_line(numbers + level_name(info.level));
        put_line("      " + statement);
        put_line("      first seen " + first + ", last seen " + last);
      } else {
        put_line(numbers + first + "  " + last + "  " + padded(level_name(info.level), 8, false) + "  " + statement);
      }
      if (options_.columns) columns(stat);
    }
    if (stats_.sites.size() > options_.top) {
      print(out_, "  and %zu more; --top %zu shows them\n", stats_.sites.size() - options_.top, stats_.sites.size());
    }
  }

  void columns(const SiteStat& stat) {
    for (const ColumnStat& column : stat.columns) {
      const std::string numbers =
          formatted("%41s  %12s  %8.3f    ", "", with_commas(column.bytes).c_str(), ratio(column.bytes, stat.records));
      const std::string name = column.name + " (" + column.type + "): ";
      const bool narrow = width_ != 0 && width_ < kWide;
      const std::string line = escaped(narrow ? numbers.substr(38) + name : numbers + name, escape_);
      put(out_, cut_words(line + escaped(codecs_of(column), escape_), narrow ? 6 : text_width(numbers)) + "\n");
    }
  }

  // Words on several lines, and none wider than there is room.
  std::string cut_words(const std::string& text, std::size_t indent) const {
    const std::string lines = wrapped(text, width_, indent);
    std::string out;
    for (std::size_t begin = 0; begin <= lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      out += (begin == 0 ? "" : "\n") + cut_to(lines.substr(begin, end - begin), width_);
      begin = end + 1;
    }
    return out;
  }

  void put_line(const std::string& line) { put(out_, cut_to(escaped(line, escape_), width_) + "\n"); }

  std::string short_time(const SiteStat& stat, bool first) const {
    const auto found = times_.find(query::identity_of(*stat.site));
    if (found == times_.end()) return std::string(24, ' ');
    return millisecond_text(first ? found->second.first : found->second.last);
  }

  reader::Files files_;
  std::uint64_t size_ = 0;
  std::uint64_t unknown_records_ = 0;
  const Statistics& stats_;
  const Times& times_;
  const StatOptions& options_;
  Escape escape_;
  std::size_t width_;  // 0: any
  ByteBuffer& out_;
};

class JsonReport {
 public:
  JsonReport(const std::unique_ptr<LogFile>& file, const Statistics& stats, const Times& times, ByteBuffer& out)
      : files_(&file, 1), file_(*file), stats_(stats), times_(times), out_(out) {}

  void run() {
    put(out_, "{\"path\":\"" + json_escaped(file_.path()) + "\"");
    number("size", file_.size());
    number("records", stats_.records);
    number("copies", stats_.repeated);
    number("threads", stats_.threads);
    number("sessions", file_.sessions().size());
    number("data_blocks", stats_.data_blocks);
    number("quick_blocks", stats_.quick_blocks);
    number("unknown_records", file_.unknown_records());
    put(out_, ",\"bytes\":{");
    const char* comma = "";
    for (const ByteShare& share : byte_shares(files_, stats_)) {
      put(out_, std::string(std::exchange(comma, ",")) + "\"" + share.name + "\":" + std::to_string(share.bytes));
    }
    put(out_, "},\"session_list\":[");
    comma = "";
    for (const auto& one : file_.sessions()) {
      put(out_, std::exchange(comma, ","));
      session(*one);
    }
    put(out_, "]");
    if (stats_.has_time) {
      put(out_, ",\"first\":\"" + reader::iso_time(stats_.first_wall) + "\",\"last\":\"" +
                    reader::iso_time(stats_.last_wall) + "\"");
    }
    put(out_, ",\"levels\":{");
    for (int level = 0; level < kLevelCount; ++level) {
      put(out_, std::string(level != 0 ? "," : "") + "\"" + level_name(static_cast<Level>(level)) +
                    "\":" + std::to_string(stats_.by_level[level]));
    }
    put(out_, "}");
    number("argument_bytes", stats_.argument_bytes);
    put(out_, ",\"order\":");
    column(stats_.order);
    put(out_, ",\"clock\":");
    column(stats_.clock);
    put(out_, ",\"sites\":[");
    for (std::size_t i = 0; i < stats_.sites.size(); ++i) {
      if (i != 0) put(out_, ",");
      site(stats_.sites[i]);
    }
    put(out_, "]}\n");
  }

 private:
  void number(const char* key, std::uint64_t value) {
    put(out_, std::string(",\"") + key + "\":" + std::to_string(value));
  }

  void real(const char* key, double value) { print(out_, ",\"%s\":%.12g", key, value); }

  void session(const reader::Session& session) {
    put(out_, "{\"pid\":" + std::to_string(session.info.pid) + ",\"program\":\"" + json_escaped(session.info.program) +
                  "\",\"host\":\"" + json_escaped(session.info.host) + "\",\"steno\":\"" +
                  json_escaped(session.info.steno_version) + "\"");
    number("records", session.records);
    number("rings", rings_of(session));
    put(out_, std::string(",\"end\":") + (session.end && !session.end->died ? "true" : "false") +
                  ",\"died\":" + (session.end && session.end->died ? "true" : "false") + ",\"clock_uncertainty_ns\":" +
                  (session.dated ? std::to_string(clock_uncertainty(session)) : "null") + "}");
  }

  void column(const ColumnStat& column) {
    put(out_, "{\"name\":\"" + json_escaped(column.name) + "\",\"bytes\":" + std::to_string(column.bytes));
    if (column.type != 0) put(out_, ",\"type\":\"" + json_escaped(std::string(1, column.type)) + "\"");
    put(out_, ",\"codecs\":{");
    bool first = true;
    for (const auto& [codec, blocks] : column.codecs) {
      put(out_, std::string(first ? "" : ",") + "\"" + json_escaped(codec) + "\":" + std::to_string(blocks));
      first = false;
    }
    put(out_, "}}");
  }

  void site(const SiteStat& stat) {
    const wire::SiteInfo& info = stat.site->info();
    put(out_, std::string("{\"level\":\"") + level_name(info.level) + "\",\"file\":\"" + json_escaped(info.file) +
                  "\",\"line\":" + std::to_string(info.line) + ",\"format\":\"" + json_escaped(info.format) + "\"");
    number("records", stat.records);
    number("bytes", stat.bytes);
    real("rate", ratio(static_cast<double>(stat.records), stats_.seconds()));
    real("share", ratio(stat.records, stats_.records));
    real("bytes_share", ratio(stat.bytes, file_.size()));
    if (const auto found = times_.find(query::identity_of(*stat.site)); found != times_.end()) {
      put(out_, ",\"first\":\"" + reader::iso_time(found->second.first) + "\",\"last\":\"" +
                    reader::iso_time(found->second.last) + "\"");
    }
    put(out_, ",\"columns\":[");
    for (std::size_t i = 0; i < stat.columns.size(); ++i) {
      if (i != 0) put(out_, ",");
      column(stat.columns[i]);
    }
    put(out_, "]}");
  }

  reader::Files files_;
  const LogFile& file_;
  const Statistics& stats_;
  const Times& times_;
  ByteBuffer& out_;
};

void run_stat(const StatOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  const Escape escape = output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  const std::size_t width = output.is_terminal() ? terminal_width(STDOUT_FILENO) : 0;
  reader::LogSet logs;
  open_inputs(options.paths, &logs, code);
  const reader::Files files = logs.files();
  const bool each = options.json || options.per_file;
  const std::size_t together = each ? 1 : std::max<std::size_t>(files.size(), 1);
  for (std::size_t first = 0; first < files.size(); first += together) {
    const reader::Files some = files.subspan(first, together);
    std::optional<Progress> progress(std::in_place, output.is_terminal());
    const Statistics stats = reader::collect_statistics(some, progress->meter());
    const Times times = query::find_site_times(some, progress->meter());
    progress.reset();
    if (options.json) {
      JsonReport(some[0], stats, times, output.buffer()).run();
    } else {
      if (first != 0) put(output.buffer(), "\n");
      TextReport(some, stats, times, options, escape, width, output.buffer()).run();
    }
    if (!output.tick()) break;
  }
  finish(output, code);
  if (output.good()) report_losses(logs, all_times(), code);
}

}  // namespace

void add_stat(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<StatOptions>();
  CLI::App* stat = app.add_subcommand("stat", "Show records and bytes by level, statement and column");
  stat->add_option("FILE", options->paths, "Files; '-' is standard input")->required();
  stat->add_flag("--json", options->json, "Print one JSON object per file, with all details");
  stat->add_flag("--columns", options->columns,
                 "Also show each argument: its bytes, and its codecs with the number of blocks");
  stat->add_flag("--per-file", options->per_file, "Of several files: each on its own, in place of all together");
  stat->add_option("--top", options->top, "Number of statements to show, the most frequent first (default 20)")
      ->type_name("N")
      ->transform(whole_number());
  add_jobs_option(*stat);
  stat->footer(
      "Examples:\n  steno stat app.steno\n  steno stat --columns --top 5 'app*.steno'\n  steno stat --json app.steno | "
      "head -1");
  stat->callback([options, code] { run_stat(*options, code); });
}

}  // namespace steno::cli
