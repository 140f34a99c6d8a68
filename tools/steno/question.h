// What the commands that ask statements have in common: which files, which statement, which records.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exit_code.h"
#include "query/filter.h"
#include "query/parts.h"
#include "query/statement.h"
#include "table.h"

namespace steno::cli {

struct QuestionOptions {
  std::vector<std::string> words;  // files, and after them what statements the command asks
  query::FilterOptions filter;
  std::string format = "table";
};

// FILE..., the filter options, --format, --jobs.
void add_question_options(CLI::App& app, QuestionOptions* options, const std::string& words);

// --memory, of commands that read the log again rather than take more.
void add_memory_option(CLI::App& app, std::uint64_t* memory);

// Files as opened, and the condition.
struct Opened {
  explicit Opened(reader::Secrets secrets) : logs(secrets) {}

  reader::LogSet logs;
  std::optional<query::Predicate> predicate;
  query::TimeSpan span;

  // Before subject(): of the statement only records that have a value for the argument, beside what `filter`, that of
  // open_question(), asks.
  void require_value(const query::FilterOptions& filter, const query::Statement& statement,
                     const query::ArgumentOf& argument);
  query::Subject subject(WorkMeter* meter) const;

 private:
  std::vector<query::Expression> required_;
};
// nullptr: no file could be read, and it has been said. Throws CLI::ValidationError.
std::unique_ptr<Opened> open_question(const std::vector<std::string>& files, const QuestionOptions& options,
                                      ExitCode* code);

// The value; or the error as one sentence, which ends the program with the status of wrong usage.
template <class T>
T or_throw(Result<T> result) {
  if (!result.ok()) throw CLI::ValidationError(result.status().message());
  return std::move(result).value();
}

}  // namespace steno::cli
