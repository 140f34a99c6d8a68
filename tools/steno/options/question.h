// The parts that commands which compute something from one statement's records share: options for files, statement,
// records.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exit_code.h"
#include "output/output.h"
#include "output/table.h"
#include "query/filter/filter.h"
#include "query/filter/statement.h"
#include "query/statistics/parts.h"

namespace steno::cli {

struct QuestionOptions {
  std::vector<std::string> words;  // files, followed by the statements that the command asks about
  query::FilterOptions filter;
  std::string format = "table";
  std::string times;  // of add_time_format_option()
};

// FILE..., the filter options, --format, --jobs.
void add_question_options(CLI::App& app, QuestionOptions* options, const std::string& words);

// --memory, for commands that read the log again if their results do not fit.
void add_memory_option(CLI::App& app, std::uint64_t* memory);

// How the answer is shown on this output. Throws CLI::ValidationError.
TableStyle table_style(const QuestionOptions& options, const Output& output);

// Files as opened, and the condition.
struct Opened {
  explicit Opened(reader::Secrets secrets) : logs(secrets) {}

  reader::LogSet logs;
  std::optional<query::Predicate> predicate;
  query::TimeSpan span;

  // Call before subject(): selects, beside what `filter` (of open_question()) selects, only the records that have a
  // value for the argument.
  void require_value(const query::FilterOptions& filter, const query::Statement& statement,
                     const query::ArgumentOf& argument);
  query::Subject subject(WorkMeter* meter) const;

 private:
  std::vector<query::Expression> required_;
};
// nullptr: no file could be read, which has been reported. Throws CLI::ValidationError.
std::unique_ptr<Opened> open_question(const std::vector<std::string>& files, const QuestionOptions& options,
                                      ExitCode* code);

// The value of a result; an error is thrown as CLI::ValidationError, which ends the program with kExitUsage.
template <class T>
T or_throw(Result<T> result) {
  if (!result.ok()) throw CLI::ValidationError(result.status().message());
  return std::move(result).value();
}
inline void or_throw(const Status& status) {
  if (!status.ok()) throw CLI::ValidationError(status.message());
}

}  // namespace steno::cli
