#include "input/inputs.h"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "follow/open_log.h"
#include "input/unpack.h"
#include "lines/escape.h"
#include "memory_limit.h"
#include "output/lines_names.h"
#include "output/progress.h"
#include "reader/loss_lines.h"

namespace steno::cli {

void complain(const std::string& text) {
  std::fprintf(stderr, "steno: %s\n", escaped(text, Escape::kTerminal).c_str());
}

void complain(const reader::LogFile& file, const std::string& text) {
  complain(file.path() + ": " + text);
}

namespace {

void report(const Status& status, const std::vector<std::string>& problems, ExitCode* code) {
  for (const std::string& problem : problems) {
    complain(problem);
    raise_to(code, kExitIncomplete);
  }
  if (status.ok()) return;
  complain(status.message());
  raise_to(code, kExitUnreadable);
}

bool exists(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0;
}

}  // namespace

bool is_pattern(const std::string& name) {
  return name != "-" && name.find_first_of("*?[") != std::string::npos && !exists(name);
}

std::vector<std::string> matches_of(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

bool names_files(const std::string& name) {
  return name == "-" || exists(name) || (is_pattern(name) && !matches_of(name).empty());
}

std::vector<std::string> expand_patterns(const std::vector<std::string>& names, ExitCode* code) {
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (!is_pattern(name)) {
      paths.push_back(name);
      continue;
    }
    const std::vector<std::string> matches = matches_of(name);
    paths.insert(paths.end(), matches.begin(), matches.end());
    if (!matches.empty()) continue;
    complain(name + ": no file matches this pattern");
    raise_to(code, kExitUnreadable);
  }
  return paths;
}

void refuse_words(const std::vector<std::string>& paths) {
  if (paths.size() < 2 || std::none_of(paths.begin(), paths.end(), names_files)) return;
  for (const std::string& path : paths) {
    if (path.empty() || path.find_first_of("/.") != std::string::npos || is_pattern(path) || names_files(path))
      continue;
    std::string instead = "a text to look for is written --grep '" + path + "', and what has spaces in quotes";
    if (path[0] == '-') {
      const bool is_count = path.find_first_not_of("0123456789", 1) == std::string::npos;
      instead = is_count ? "a number of lines is written '-n " + path.substr(1) + "'" : "options come before '--'";
    }
    throw CLI::ValidationError("'" + path + "' is no file; " + instead);
  }
}

std::uint64_t size_of(const reader::LogSet& logs) {
  std::uint64_t size = 0;
  for (const auto& file : logs.files()) {
    size += file->size();
    for (const auto& session : file->sessions()) size += session->extra_bytes;
  }
  return size;
}

void open_inputs(const std::vector<std::string>& paths, reader::LogSet* logs, ExitCode* code,
                 std::vector<std::string>* said) {
  unbound_memory();
  logs->unpack_by(unpacked);
  for (const std::string& path : expand_patterns(paths, code)) {
    std::vector<std::string> problems;
    std::optional<Progress> progress(std::in_place, ::isatty(STDOUT_FILENO) == 1, "bytes");
    logs->count_on(progress->meter());
    const Status status = follow::add_log(path, logs, &problems);
    logs->count_on(nullptr);
    progress.reset();
    report(status, problems, code);
    if (said == nullptr) continue;
    said->insert(said->end(), problems.begin(), problems.end());
    if (!status.ok()) said->push_back(status.message());
  }
  bound_memory(size_of(*logs));
}

void open_processes(const std::vector<std::string>& names, reader::LogSet* logs, ExitCode* code) {
  unbound_memory();
  for (const std::string& name : names) {
    std::vector<std::string> problems;
    const Status status = follow::add_process(name, logs, &problems);
    report(status, problems, code);
  }
  bound_memory(size_of(*logs));
}

void report_losses(const reader::LogSet& logs, const AskedTimes& asked, ExitCode* code) {
  constexpr std::size_t kShown = 10;  // of each file; verify shows all
  for (const auto& file : logs.files()) {
    std::vector<reader::LossLine> lines = reader::loss_lines(*file);
    lines.erase(std::remove_if(lines.begin(), lines.end(),
                               [&](const reader::LossLine& line) {
                                 return std::none_of(asked.begin(), asked.end(), [&](const query::TimeSpan& span) {
                                   return line.earliest <= span.last && line.latest >= span.first && !span.empty();
                                 });
                               }),
                lines.end());
    if (!lines.empty() && lines.size() <= kShown) lines.back().text += "; 'steno verify' shows more";
    for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
      raise_to(code, kExitIncomplete);
      complain(*file, lines[i].text);
    }
    if (lines.size() > kShown) {
      complain(*file, "and " + std::to_string(lines.size() - kShown) + " more of this kind; 'steno verify' shows all");
    }
  }
}

void report_skipped(const std::string& path, ExitCode* code) {
  complain(path + ": part of it cannot be read and was skipped; 'steno verify' shows what");
  raise_to(code, kExitIncomplete);
}

void report_unreadable(const std::vector<reader::DecodeFailure>& failures, ExitCode* code) {
  for (const reader::DecodeFailure& failure : failures) {
    complain(*failure.file, reader::describe(failure.damage));
    raise_to(code, kExitIncomplete);
  }
}

void report_failures(const reader::LogSet& logs, const std::vector<reader::DecodeFailure>& failures,
                     const AskedTimes& asked, ExitCode* code) {
  report_unreadable(failures, code);
  report_losses(logs, asked, code);
}

}  // namespace steno::cli
