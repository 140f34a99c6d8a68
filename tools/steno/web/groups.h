// Statistics by groups, for several of the page's questions: aggregate() with what a question has been asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "query/statistics/aggregate.h"
#include "web/asked.h"
#include "web/json.h"

namespace steno::cli::web {

constexpr std::size_t kLongestValue = 1024;  // bytes of a text that rows show

struct GroupQuestion {
  std::vector<std::string> keys;        // as --by
  std::vector<std::string> operations;  // as --op
  std::string argument;                 // as --arg; empty: none. Records without it are left out,
  bool counts_all = false;              // or, where this is set, count, and have no number
  query::Course course;
  std::size_t most_groups = SIZE_MAX;  // kExhausted of aggregate(): too_many
  std::size_t most = 0;  // rows with the greatest `operations[0]`, greatest first; 0: all, in the order of keys
  std::vector<std::string> only;  // values of keys[0]; empty: all. As --where reads them: filter_of()
};
struct GroupAnswer {
  std::vector<query::AnswerRow> rows;
  std::uint64_t records = 0;  // of all groups
  std::string unit;           // of the argument's numbers
  bool too_many = false;      // groups; nothing else is known then
};
// Throws Refused with what aggregate() and its options refuse.
GroupAnswer ask_groups(const Asked& asked, const GroupQuestion& question);

// The records that have some arguments, for questions that read these themselves. `log` of `asked` must outlive it.
class ArgumentSubject {
 public:
  // `only`: as of GroupQuestion. Throws Refused.
  ArgumentSubject(const Asked& asked, const std::vector<std::string>& names, const std::vector<std::string>& only);
  ArgumentSubject(const ArgumentSubject&) = delete;
  ArgumentSubject& operator=(const ArgumentSubject&) = delete;

  const query::Subject& subject() const { return subject_; }
  const query::ArgumentOf& argument(std::size_t i) const { return arguments_[i]; }

 private:
  query::Statement statement_;
  std::vector<query::ArgumentOf> arguments_;
  std::optional<query::Predicate> predicate_;
  query::Subject subject_;
};

// Appends a result; whole numbers that programs round, and times, as text.
void append_cell(const query::Cell& cell, Json* out);
// A text of --where for the records whose field or argument has this value.
std::string filter_of(const std::string& field, const query::Cell& value);
// Returns whether a condition with this value comes back from the page as it was: a value that is no UTF-8 does not,
// nor one that is too long.
bool can_be_written(const query::Cell& value);
// A text of --where, read. Throws Refused.
query::Expression condition_of(const std::string& where, const reader::LogSet& logs);
// A name as --by and --where have it: the page's "statement" is their "site".
std::string field_name(const std::string& name);

}  // namespace steno::cli::web
