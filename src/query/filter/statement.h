// The statement that a user names by its text, and the argument by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reader/log_set.h"
#include "steno/detail/arg_type.h"
#include "steno/status.h"

namespace steno::query {

struct ArgumentOf;

// All places that log the same format, in as many sessions and files as there are; or all of several formats.
struct Statement {
  std::string format;  // of several: a text in its place
  std::vector<const reader::Site*> sites;

  bool has(const reader::Site& site) const { return ordinals_.count(site.ordinal()) != 0; }
  void add(const reader::Site& site);
  // Leaves out the sites that do not have it: of a field of contexts, those of records that were logged outside of
  // them.
  void require(const ArgumentOf& argument);

 private:
  std::unordered_set<std::uint32_t> ordinals_;
};

// By its format, whole or a part that no other format has; else by its stable id, 16 digits. kInvalidArgument: none, or
// several; the message lists them.
Result<Statement> find_statement(const reader::LogSet& logs, std::string_view text);
// All that the logs have, of several formats: their arguments have names, not numbers.
Statement all_statements(const reader::LogSet& logs);
// By their places, as --site: all that are there, of several formats too. Their arguments have names then, not numbers.
// Arguments and fields of context are meant alike by a name, as in --where.
Result<Statement> find_statements_at(const reader::LogSet& logs, const std::vector<std::string>& sites);

// An argument of a statement: the same one in each of its sites.
struct ArgumentOf {
  std::uint32_t index = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> places;  // by ordinal of a site, where it is elsewhere
  std::string name;
  std::vector<ArgType> types;              // those that its sites have, each once
  bool is_context = false;                 // what some of its sites may lack: a field of context, or of several formats
  bool is_both = false;                    // some sites have it as an argument, others as a field of context
  const text::Meaning* meaning = nullptr;  // of its numbers, the same in each site; of one of those
  std::string said_unit;                   // the result of said_unit(), for headings and axes, if the caller has set it
  // With Units::kTimes, by ordinal of a site: its numbers times this are in the unit of `meaning`. Sites whose numbers
  // are in it have none.
  std::unordered_map<std::uint32_t, double> scales;

  std::uint32_t index_in(const reader::Site& site) const {
    const auto elsewhere = places.find(site.ordinal());
    return elsewhere != places.end() ? elsewhere->second : index;
  }
  double scale_in(const reader::Site& site) const {
    const auto scale = scales.find(site.ordinal());
    return scale != scales.end() ? scale->second : 1;
  }
};
// The treatment of durations that different sites have in different units.
enum class Units { kSame, kTimes };  // kTimes: they count in the smallest of these units

// By name or number; empty: the only one. kInvalidArgument: no such argument, or which is not clear, or numbers of
// several meanings.
Result<ArgumentOf> find_argument(const Statement& statement, std::string_view name, Units units = Units::kSame);
// Finds what --by means, which takes a number as --where does: in several formats, the argument that each has there.
Result<ArgumentOf> find_key(const Statement& statement, std::string_view name);

// The statements of spans (file.md §5), and the field `span` of each, by which a begin and an end belong together.
struct SpanStatements {
  Statement begins;
  Statement ends;  // perhaps none
  ArgumentOf begin_key;
  ArgumentOf end_key;
};
// None: there are no spans in the logs.
std::optional<SpanStatements> find_spans(const reader::LogSet& logs);

}  // namespace steno::query
