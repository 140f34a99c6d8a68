#include "query/filter/statement.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/suggest.h"
#include "query/filter/bound.h"
#include "query/filter/filter.h"
#include "query/filter/source_text.h"

namespace steno::query {
namespace {

constexpr std::size_t kMaxListed = 8;

std::string list_of(const std::vector<const Statement*>& statements) {
  std::string text;
  for (std::size_t i = 0; i < statements.size() && i < kMaxListed; ++i) {
    text += (i == 0 ? "'" : ", '") + statements[i]->format + "'";
  }
  if (statements.size() > kMaxListed) text += " and " + std::to_string(statements.size() - kMaxListed) + " more";
  return text;
}

bool has_one_format(const Statement& statement) {
  return std::all_of(statement.sites.begin(), statement.sites.end(), [&](const reader::Site* site) {
    return site->info().format == statement.sites[0]->info().format;
  });
}

std::map<std::string, Statement> by_format(const reader::LogSet& logs) {
  std::map<std::string, Statement> statements;
  for (const reader::Site* site : statements_of(logs)) {
    Statement& statement = statements[site->info().format];
    statement.format = site->info().format;
    statement.add(*site);
  }
  return statements;
}

// Empty: the text is no stable id, or that of no statement.
Statement find_stable_id(const reader::LogSet& logs, std::string_view text) {
  Statement statement;
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) return statement;
  for (const reader::Site* site : statements_of(logs)) {
    if (site->info().stable_id != id) continue;
    statement.format = site->info().format;
    statement.add(*site);
  }
  return statement;
}

}  // namespace

void Statement::add(const reader::Site& site) {
  sites.push_back(&site);
  ordinals_.insert(site.ordinal());
}

Result<Statement> find_statement(const reader::LogSet& logs, std::string_view text) {
  std::map<std::string, Statement> statements = by_format(logs);
  if (auto exact = statements.find(std::string(text)); exact != statements.end()) return std::move(exact->second);
  std::vector<const Statement*> whole;
  std::vector<const Statement*> found;
  std::vector<std::string> formats;
  for (const auto& [format, statement] : statements) {
    const std::string source = source_text(format);
    formats.push_back(source);
    if (text.empty()) continue;
    const std::string nameless = source != format ? source_text(format, true) : source;
    if (source == text || nameless == text) whole.push_back(&statement);
    const auto has_text = [&text](const std::string& one) { return one.find(text) != std::string::npos; };
    if (has_text(format) || has_text(source) || has_text(nameless)) found.push_back(&statement);
  }
  if (whole.size() == 1) return *whole[0];
  if (found.size() == 1) return *found[0];
  const std::string name = "'" + std::string(text) + "'";
  if (Statement of_id = find_stable_id(logs, text); !of_id.sites.empty()) return of_id;
  if (found.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  "no statement has the text " + name +
                      (formats.empty() ? "; these files have no statements" : did_you_mean(text, formats)));
  }
  return Status(StatusCode::kInvalidArgument,
                name + " is in several statements; write more of the text: " + list_of(found));
}

Result<Statement> find_statements_at(const reader::LogSet& logs, const std::vector<std::string>& sites) {
  FilterOptions options;
  options.sites = sites;
  auto expression = make_expression(options, logs);
  if (!expression.ok()) return expression.status();
  Statement found;
  for (const reader::Site* one : statements_of(logs)) {
    if (bind(*expression, *one).kind == Bound::Kind::kTrue) found.add(*one);
  }
  if (found.sites.empty()) return Status(StatusCode::kInvalidArgument, "--site: these files have no statements");
  found.format = has_one_format(found) ? found.sites[0]->info().format
                                       : "the statements of " + sites[0] + (sites.size() == 1 ? "" : " and others");
  return found;
}

void Statement::require(const ArgumentOf& argument) {
  if (!argument.is_context) return;
  std::erase_if(sites, [&](const reader::Site* site) { return argument.places.count(site->ordinal()) == 0; });
  std::erase_if(ordinals_, [&](std::uint32_t ordinal) { return argument.places.count(ordinal) == 0; });
}

namespace {

enum class Sought {
  kFields,     // of context
  kNames,      // arguments too
  kAsInWhere,  // and numbers of arguments
};

bool is_digits(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

// A field of the contexts in which the statement's records were logged, each context having it where it likes; or also
// an argument of that name, which statements of several formats have in several places.
ArgumentOf find_field(const Statement& statement, std::string_view name, Sought sought = Sought::kFields) {
  ArgumentOf field;
  field.name = name;
  bool is_argument = false;
  bool is_of_context = false;
  for (const reader::Site* site : statement.sites) {
    if (site->layout() == nullptr) continue;
    const std::vector<std::string>& names = site->argument_names();
    const std::size_t arguments = sought != Sought::kFields ? 0 : site->info().argument_types().size();
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(arguments);
    auto index = static_cast<std::uint32_t>(std::find(first, names.end(), name) - names.begin());
    if (sought == Sought::kAsInWhere) {
      index = site->find_argument_or_number(name).value_or(static_cast<std::uint32_t>(names.size()));
    }
    if (index == names.size() || site->presences().is_field(index)) continue;
    field.is_context = true;
    (index < site->info().argument_types().size() ? is_argument : is_of_context) = true;
    field.places[site->ordinal()] = index;
    const ArgType type = site->layout()->fields[index].type;
    if (std::find(field.types.begin(), field.types.end(), type) == field.types.end()) field.types.push_back(type);
  }
  field.is_both = is_argument && is_of_context;
  return field;
}

bool is_smaller(text::TimeUnit a, text::TimeUnit b) {
  return static_cast<text::Int128>(a.numerator) * b.denominator <
         static_cast<text::Int128>(b.numerator) * a.denominator;
}

// Makes one quantity of what the sites have: its meaning, and the scales. kInvalidArgument: they have different ones.
Status add_meaning_of(const std::vector<const reader::Site*>& sites, Units units, ArgumentOf* argument) {
  bool differs = false;
  bool durations = true;
  for (const reader::Site* site : sites) {
    const text::Meaning* const meaning = site->meaning(argument->index_in(*site));
    durations = durations && meaning != nullptr && meaning->kind() == text::Meaning::Kind::kDuration;
    differs = differs || site->info().meaning_of(argument->index_in(*site)) !=
                             sites[0]->info().meaning_of(argument->index_in(*sites[0]));
    const bool smaller =
        durations && argument->meaning != nullptr && is_smaller(meaning->time_unit(), argument->meaning->time_unit());
    if (argument->meaning == nullptr || smaller) argument->meaning = meaning;
  }
  if (!differs) return {};
  if (!durations || units == Units::kSame) {
    return {StatusCode::kInvalidArgument,
            "'" + argument->name + "' has different units in different places; select one with --site"};
  }
  const text::TimeUnit to = argument->meaning->time_unit();
  for (const reader::Site* site : sites) {
    const text::TimeUnit from = site->meaning(argument->index_in(*site))->time_unit();
    if (from == to) continue;
    argument->scales[site->ordinal()] = static_cast<double>(from.numerator) * static_cast<double>(to.denominator) /
                                        (static_cast<double>(from.denominator) * static_cast<double>(to.numerator));
  }
  return {};
}

// Finds the argument in statements of several formats: those that lack it are left out, as with fields of contexts.
Result<ArgumentOf> find_named_argument(const Statement& statement, std::string_view name, Units units, Sought sought) {
  const bool number = sought == Sought::kNames && (name.empty() || is_digits(name));
  ArgumentOf argument = number ? ArgumentOf() : find_field(statement, name, sought);
  if (!argument.is_context) {
    std::vector<std::string> names;
    for (const reader::Site* site : statement.sites) {
      const std::vector<std::string> own = site->value_names();
      names.insert(names.end(), own.begin(), own.end());
    }
    return Status(StatusCode::kInvalidArgument, number ? statement.format + " have several arguments: name one"
                                                       : statement.format + " have no argument '" + std::string(name) +
                                                             "'" + did_you_mean(name, names));
  }
  std::vector<const reader::Site*> sites;
  for (const reader::Site* site : statement.sites) {
    if (argument.places.count(site->ordinal()) != 0) sites.push_back(site);
  }
  if (Status status = add_meaning_of(sites, units, &argument); !status.ok()) return status;
  return argument;
}

}  // namespace

Statement all_statements(const reader::LogSet& logs) {
  Statement all;
  all.format = "the statements of these files";
  for (const reader::Site* site : statements_of(logs)) all.add(*site);
  return all;
}

std::optional<SpanStatements> find_spans(const reader::LogSet& logs) {
  SpanStatements spans;
  for (const reader::Site* site : statements_of(logs)) {
    const wire::SiteInfo& info = site->info();
    if (info.context.size() < 2 || info.context[0] != "span" || info.context[1] != "parent") continue;
    if (info.format.ends_with(": begin")) spans.begins.add(*site);
    if (info.format.ends_with(": end, {duration} ns")) spans.ends.add(*site);
  }
  if (spans.begins.sites.empty() && spans.ends.sites.empty()) return std::nullopt;
  spans.begin_key = find_field(spans.begins, "span");
  spans.end_key = find_field(spans.ends, "span");
  return spans;
}

Result<ArgumentOf> find_argument(const Statement& statement, std::string_view name, Units units) {
  if (statement.sites.empty() || !has_one_format(statement)) {
    return find_named_argument(statement, name, units, Sought::kNames);
  }
  std::vector<std::string> names = statement.sites[0]->argument_names();
  names.resize(names.size() - std::min(names.size(), statement.sites[0]->info().context.size()));
  ArgumentOf argument;
  if (name.empty()) {
    if (names.size() != 1) {
      std::string list;
      for (const std::string& one : names) list += (list.empty() ? " '" : ", '") + one + "'";
      return Status(StatusCode::kInvalidArgument,
                    names.empty() ? "'" + statement.format + "' has no arguments"
                                  : "'" + statement.format + "' has several arguments; name one of" + list);
    }
  } else {
    const auto found = std::find(names.begin(), names.end(), name);
    argument.index = static_cast<std::uint32_t>(found - names.begin());
    for (std::size_t i = 0; found == names.end() && i < names.size(); ++i) {
      if (std::to_string(i) == name) argument.index = static_cast<std::uint32_t>(i);
    }
    if (argument.index == names.size()) {
      if (ArgumentOf field = find_field(statement, name); field.is_context) return field;
      return Status(StatusCode::kInvalidArgument, "'" + statement.format + "' has no argument '" + std::string(name) +
                                                      "'" + did_you_mean(name, names));
    }
  }
  argument.name = names[argument.index];
  for (const reader::Site* site : statement.sites) {
    if (site->layout() == nullptr || argument.index >= site->layout()->fields.size()) {
      return Status(StatusCode::kInvalidArgument,
                    "'" + statement.format + "' has different arguments in different places; select one with --site");
    }
    const ArgType type = site->layout()->fields[argument.index].type;
    if (std::find(argument.types.begin(), argument.types.end(), type) == argument.types.end()) {
      argument.types.push_back(type);
    }
  }
  if (Status status = add_meaning_of(statement.sites, units, &argument); !status.ok()) return status;
  return argument;
}

Result<ArgumentOf> find_key(const Statement& statement, std::string_view name) {
  if (!is_digits(name) || has_one_format(statement)) return find_argument(statement, name);
  return find_named_argument(statement, name, Units::kSame, Sought::kAsInWhere);
}

}  // namespace steno::query
