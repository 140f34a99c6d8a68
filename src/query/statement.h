// The statement that a user names by its text, and the argument by its name.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "reader/log_set.h"
#include "steno/detail/arg_type.h"
#include "steno/status.h"

namespace steno::query {

// All places that log the same format; in as many sessions and files as there are.
struct Statement {
  std::string format;
  std::vector<const reader::Site*> sites;

  bool has(const reader::Site& site) const { return ordinals_.count(site.ordinal()) != 0; }
  void add(const reader::Site& site);

 private:
  std::unordered_set<std::uint32_t> ordinals_;
};

// By its format, whole or a part that no other format has. kInvalidArgument: none, or several; the message lists them.
Result<Statement> find_statement(const reader::LogSet& logs, std::string_view text);
// By its place, as --site. All sites there must have the same format.
Result<Statement> find_statement_at(const reader::LogSet& logs, const std::string& site);

// An argument of a statement: the same one in each of its sites.
struct ArgumentOf {
  std::uint32_t index = 0;
  std::string name;
  std::vector<ArgType> types;  // those that its sites have, each once
};
// By name or number; empty: the only one. kInvalidArgument: no such argument, or which is not clear.
Result<ArgumentOf> find_argument(const Statement& statement, std::string_view name);

}  // namespace steno::query
