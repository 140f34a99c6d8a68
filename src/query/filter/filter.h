// Filters of the commands: turns the user's options into a selection of records.
//
// All conditions together are one expression (expression.h), bound to the statements of the files (bound.h) and
// evaluated column by column (evaluate.h). docs/cli.md describes what users see.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "query/filter/expression.h"
#include "reader/log_set.h"
#include "reader/row_filter.h"
#include "steno/level.h"
#include "steno/status.h"

namespace steno::query {

// Conditions are spelt as on the command line; an empty one is none. Conditions of different kinds must all hold; of
// several of one kind, one, if nothing else is said.
struct FilterOptions {
  std::string since;                  // records at or after this time (time_spec.h)
  std::string until;                  // records before this time
  std::string range;                  // both in one: "02:41..02:50"
  bool local = false;                 // times without a zone are of the reader's, not UTC
  Level min_level = Level::kTrace;    // this and more important ones
  std::vector<std::string> threads;   // by name or tid
  std::vector<std::string> loggers;   // by name; "net" means "net.http" too, "net*" all that begins so
  std::vector<std::string> sites;     // "file.cc:120", "file.cc", a stable id in hex
  std::vector<std::string> grep;      // regular expressions, of the message
  std::vector<std::string> grep_not;  // none of which is in the message
  bool ignore_case = false;           // of both
  std::string where;                  // an expression (docs/cli.md)
  std::vector<std::string> wheres;    // more of them; all must hold
  std::vector<std::string> shifts;    // "host2=-1.7s", for the caller, as the next ones
  std::string reference;              // the host whose clock counts as right
  bool fail_if_empty = false;
  bool check_names = false;  // a thread, logger or file that `where` names and the logs do not have is a mistake
  reader::Secrets secrets = reader::Secrets::kRedacted;  // what of them conditions, and all else, see

  // Returns whether there is any condition at all.
  bool any() const {
    return !since.empty() || !until.empty() || !range.empty() || min_level != Level::kTrace || !threads.empty() ||
           !loggers.empty() || !sites.empty() || !grep.empty() || !grep_not.empty() || !where.empty() ||
           !wheres.empty();
  }
  // All of `wheres` and `where`.
  std::vector<std::string> expressions() const {
    std::vector<std::string> all = wheres;
    if (!where.empty()) all.push_back(where);
    return all;
  }
};

// The options as one expression. Errors as for make_filter. With `unknown`, which is for followers, a thread, logger,
// statement or argument that `logs` do not have is not an error; a sentence is added there.
Result<Expression> make_expression(const FilterOptions& options, const reader::LogSet& logs,
                                   std::vector<std::string>* unknown = nullptr);
// The times that others are relative to.
TimeContext times_of(const reader::LogSet& logs, bool local);
// From the first record to the last. Empty: there are none.
TimeSpan recorded_span(const reader::LogSet& logs);
// The time span that --since and --until allow. Errors as make_filter.
Result<TimeSpan> wanted_span(const FilterOptions& options, const reader::LogSet& logs);
// The statements of all dictionaries; those of the protocol are not among them.
std::vector<const reader::Site*> statements_of(const reader::LogSet& logs);
// Makes a function that says whether one of these statements has an argument, or a field of context, of a name. `sites`
// must outlive the result.
IsArgument arguments_of(const std::vector<const reader::Site*>& sites);

// kInvalidArgument, in one sentence that begins with the option's name: what was written makes no sense, or names
// something that `logs` do not have. `logs` must outlive the filter. The filter is right for files that are added to
// the set later too.
Result<std::unique_ptr<reader::RowFilter>> make_filter(const FilterOptions& options, const reader::LogSet& logs);
// For logs that are not known yet; slower, as nothing is bound beforehand.
std::unique_ptr<reader::RowFilter> make_filter(Expression expression);

}  // namespace steno::query
