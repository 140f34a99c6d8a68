// The files that a command reads.
#pragma once

#include <string>
#include <vector>

#include "exit_code.h"
#include "query/filter/time_spec.h"
#include "reader/decode_failure.h"
#include "reader/log_set.h"
#include "reader/loss_text.h"

namespace steno::cli {

// Expands patterns: a name that is no file but a pattern (glob(3)) stands for the files that match, ordered by name. A
// pattern that matches nothing is reported on standard error and raises `code` to kExitUnreadable.
std::vector<std::string> expand_patterns(const std::vector<std::string>& names, ExitCode* code);
// Returns whether a name stands for the files that match it: it is no file, and has *, ? or [ in it.
bool is_pattern(const std::string& name);
// The files that a pattern matches now, in order of name.
std::vector<std::string> matches_of(const std::string& pattern);
// Returns whether the name is a file (or directory), standard input, or a pattern that some file matches.
bool names_files(const std::string& name);

// Throws CLI::ValidationError if words that look like no files are among files that are there: a text or a time without
// quotes, a pattern as for grep. For commands with conditions: an answer without them would look like the one to the
// question that was meant.
void refuse_words(const std::vector<std::string>& paths);
// Opens every file that can be, patterns expanded, with what waits for it in staging; the others are reported on
// standard error and raise `code` to kExitUnreadable. From then on memory is bounded by the size of all that is in
// `logs` (bound_memory()). `said`: also gets what was reported, unless it is nullptr.
void open_inputs(const std::vector<std::string>& paths, reader::LogSet* logs, ExitCode* code,
                 std::vector<std::string>* said = nullptr);
// The number of bytes in the files, and in the staging that is read with them.
std::uint64_t size_of(const reader::LogSet& logs);
// Does what open_inputs() does, for processes, by number or staging directory.
void open_processes(const std::vector<std::string>& names, reader::LogSet* logs, ExitCode* code);

// One line on standard error: "steno: path: text". Control characters in it are escaped.
void complain(const std::string& text);
void complain(const reader::LogFile& file, const std::string& text);

// The times that a question is about.
using AskedTimes = std::vector<query::TimeSpan>;
inline AskedTimes all_times() {
  return {query::TimeSpan{}};
}

// After reading: reports what is damaged or missing in the files of the times that were asked for, a line for each
// stretch (reader/loss_lines.h).
void report_losses(const reader::LogSet& logs, const AskedTimes& asked, ExitCode* code);
// While a file is followed: reports that parts of it were skipped.
void report_skipped(const std::string& path, ExitCode* code);
// Reports blocks that could not be decoded.
void report_unreadable(const std::vector<reader::DecodeFailure>& failures, ExitCode* code);
// Both.
void report_failures(const reader::LogSet& logs, const std::vector<reader::DecodeFailure>& failures,
                     const AskedTimes& asked, ExitCode* code);

}  // namespace steno::cli
