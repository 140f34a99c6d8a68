#include "top/view.h"

#include <algorithm>
#include <cstdio>

#include "output/output.h"
#include "output/table.h"
#include "reader/loss_text.h"

namespace steno::cli {
namespace {

using reader::with_commas;

constexpr std::size_t kWideScreen = 110;  // columns; with less, numbers are rounded to make room for statements

double rate(std::uint64_t n, double seconds) {
  return seconds > 0 ? static_cast<double>(n) / seconds : 0;
}

std::string whole_rate(std::uint64_t n, double seconds) {
  return with_commas(static_cast<std::uint64_t>(rate(n, seconds) + 0.5));
}

double share(std::uint64_t n, std::uint64_t of) {
  return of != 0 ? static_cast<double>(n) / static_cast<double>(of) : 0;
}

void put_line(const std::string& line, const TopStyle& style, ByteBuffer& out) {
  put(out, cut_to(escaped(line, style.escape), style.width) + "\n");
}

// "server[4711] running, 3 rings, 8,040 bytes waiting, 0 dropped"
std::string describe(const Process& process) {
  const std::string program = process.program.substr(process.program.rfind('/') + 1);
  return program + "[" + std::to_string(process.pid) + "] " + process.state + ", " + std::to_string(process.rings) +
         (process.rings == 1 ? " ring, " : " rings, ") + with_commas(process.backlog) + " bytes waiting, " +
         with_commas(process.dropped) + " dropped";
}

bool is_alive(const Process& process) {
  return process.state == "running" || process.state == "stopped" || process.state == "no session";
}

// In five columns at most: "9,999", "12.3M".
std::string short_number(double value) {
  if (value < 9999.5) return with_commas(static_cast<std::uint64_t>(value + 0.5));
  std::size_t unit = 0;
  for (; value >= 999.5 && unit < 6; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, value < 99.95 ? "%.1f%c" : "%.0f%c", value, " kMGTPE"[unit]);
  return text;
}

bool is_narrow(const TopStyle& style) {
  return style.width != 0 && style.width < kWideScreen;
}

void append_header(const TopRound& round, const std::vector<Process>& processes, const std::vector<std::string>& paths,
                   const TopStyle& style, ByteBuffer& out) {
  std::string files;
  for (const std::string& path : paths) files += (files.empty() ? "" : ", ") + path;
  TimeText time(style.zone, ' ');
  ByteBuffer when;
  time.append(round.time, when);
  put_line(files + "  " + std::string(reinterpret_cast<const char*>(when.data()), 19), style, out);
  if (std::none_of(processes.begin(), processes.end(), is_alive))
    put_line("no process logs into it now; 'steno stat' shows which statements have filled it", style, out);
  for (const Process& process : processes) put_line(describe(process), style, out);
  const auto amount = [&style](std::uint64_t n) {
    return is_narrow(style) ? short_number(static_cast<double>(n)) : with_commas(n);
  };
  const auto per_second = [&](std::uint64_t n) {
    return is_narrow(style) ? short_number(rate(n, round.seconds)) : whole_rate(n, round.seconds);
  };
  put_line(per_second(round.records) + " records/s, " + per_second(round.bytes) + " bytes/s; since the start " +
               amount(round.total_records) + " records, " + amount(round.total_bytes) + " bytes",
           style, out);
}

void append_row(const TopRow& row, const TopRound& round, const TopStyle& style, ByteBuffer& out) {
  char numbers[160];
  const double percent = 100 * share(row.records, round.records);
  if (is_narrow(style)) {
    std::snprintf(numbers, sizeof numbers, "%9s  %7s  %5.1f %%  %5s  %-8s ",
                  short_number(rate(row.records, round.seconds)).c_str(),
                  short_number(rate(row.bytes, round.seconds)).c_str(), percent,
                  short_number(static_cast<double>(row.total_records)).c_str(), level_name(row.level));
  } else {
    std::snprintf(numbers, sizeof numbers, "%12s  %14s  %5.1f %%  %14s  %-8s  ",
                  whole_rate(row.records, round.seconds).c_str(), whole_rate(row.bytes, round.seconds).c_str(), percent,
                  with_commas(row.total_records).c_str(), level_name(row.level));
  }
  const std::string file = row.file.substr(row.file.rfind('/') + 1);
  put_line(numbers + file + ":" + std::to_string(row.line) + "  " + row.format, style, out);
}

}  // namespace

void append_top(const TopRound& round, const std::vector<Process>& processes, const std::vector<std::string>& paths,
                const TopStyle& style, ByteBuffer& out) {
  append_header(round, processes, paths, style, out);
  put(out, "\n");
  put_line(is_narrow(style) ? "RECORDS/S  BYTES/S    SHARE  TOTAL  LEVEL    STATEMENT"
                            : "   RECORDS/S         BYTES/S    SHARE           TOTAL  LEVEL     STATEMENT",
           style, out);
  const std::size_t shown = style.rows != 0 ? std::min(style.rows, round.rows.size()) : round.rows.size();
  for (std::size_t i = 0; i < shown; ++i) append_row(round.rows[i], round, style, out);
}

void append_top_json(const TopRound& round, const std::vector<Process>& processes, ByteBuffer& out) {
  const auto number = [&out](const char* key, std::uint64_t value) {
    put(out, std::string(",\"") + key + "\":" + std::to_string(value));
  };
  const auto real = [&out](const char* key, double value) {
    char text[64];
    std::snprintf(text, sizeof text, ",\"%s\":%.9g", key, value);
    put(out, text);
  };
  put(out, "{\"time\":\"" + reader::iso_time(round.time) + "\"");
  real("seconds", round.seconds);
  number("records", round.records);
  number("bytes", round.bytes);
  number("total_records", round.total_records);
  number("total_bytes", round.total_bytes);
  put(out, ",\"processes\":[");
  for (const Process& process : processes) {
    put(out, std::string(&process != &processes.front() ? "," : "") + "{\"pid\":" + std::to_string(process.pid) +
                 ",\"program\":\"" + json_escaped(process.program) + "\",\"state\":\"" + process.state + "\"");
    number("rings", process.rings);
    number("backlog_bytes", process.backlog);
    number("dropped", process.dropped);
    put(out, "}");
  }
  put(out, "],\"sites\":[");
  for (const TopRow& row : round.rows) {
    put(out, std::string(&row != &round.rows.front() ? "," : "") + "{\"level\":\"" + level_name(row.level) +
                 "\",\"file\":\"" + json_escaped(row.file) + "\",\"line\":" + std::to_string(row.line) +
                 ",\"format\":\"" + json_escaped(row.format) + "\"");
    number("records", row.records);
    number("bytes", row.bytes);
    real("rate", rate(row.records, round.seconds));
    real("byte_rate", rate(row.bytes, round.seconds));
    real("share", share(row.records, round.records));
    number("total_records", row.total_records);
    number("total_bytes", row.total_bytes);
    put(out, "}");
  }
  put(out, "]}\n");
}

}  // namespace steno::cli
