#include "query/filter/said_unit.h"

#include <algorithm>

#include "text/printer.h"

namespace steno::query {
namespace {

struct Word {
  std::string_view said;
  std::string_view unit;
};
// "min" is not among them, because it also says minimum.
constexpr Word kWords[] = {
    {"ns", "ns"},       {"us", "us"},       {"µs", "us"},     {"μs", "us"},       {"ms", "ms"},     {"s", "s"},
    {"sec", "s"},       {"seconds", "s"},   {"h", "h"},       {"%", "%"},         {"°C", "°C"},     {"B", "B"},
    {"bytes", "bytes"}, {"kB", "kB"},       {"KB", "KB"},     {"KiB", "KiB"},     {"MB", "MB"},     {"MiB", "MiB"},
    {"GB", "GB"},       {"GiB", "GiB"},     {"TB", "TB"},     {"TiB", "TiB"},     {"B/s", "B/s"},   {"kB/s", "kB/s"},
    {"KB/s", "KB/s"},   {"KiB/s", "KiB/s"}, {"MB/s", "MB/s"}, {"MiB/s", "MiB/s"}, {"GB/s", "GB/s"}, {"GiB/s", "GiB/s"},
    {"Hz", "Hz"},       {"kHz", "kHz"},     {"MHz", "MHz"},   {"GHz", "GHz"}};

bool is_part_of_unit(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '%' || c == '/' || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Returns the unit that a text begins with, perhaps after a space; empty: none.
std::string_view unit_at(std::string_view text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto end = std::find_if_not(text.begin(), text.end(), is_part_of_unit);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const auto* const known =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& one) { return one.said == word; });
  return known != std::end(kWords) ? known->unit : std::string_view();
}

}  // namespace

std::string_view said_unit(const reader::Site& site, std::uint32_t argument) {
  if (site.layout() == nullptr || site.printer() == nullptr || site.meaning(argument) != nullptr ||
      is_string(site.layout()->fields[argument].type)) {
    return {};
  }
  const std::vector<text::Printer::Field> fields = site.printer()->fields();
  std::optional<std::string_view> unit;
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    if (fields[i].kind == text::Printer::Field::Kind::kNone || fields[i].argument != argument) continue;
    const bool is_fraction = i > 0 && fields[i].literal.ends_with('.');  // the digits after another number's point
    const std::string_view found = is_fraction ? std::string_view() : unit_at(fields[i + 1].literal);
    if (unit && *unit != found) return {};
    unit = found;
  }
  return unit.value_or(std::string_view());
}

std::optional<text::Meaning> said_duration(const reader::Site& site, std::uint32_t argument) {
  const std::string_view unit = said_unit(site, argument);
  if (unit.empty()) return {};
  auto meaning = text::Meaning::parse(unit, site.layout()->fields[argument].type);
  if (!meaning || meaning->kind() != text::Meaning::Kind::kDuration) return {};
  return meaning;
}

std::vector<std::string> said_units(const Statement& statement, const ArgumentOf& argument) {
  std::vector<std::string> units;
  if (argument.meaning != nullptr) return units;
  for (const reader::Site* site : statement.sites) {
    if (argument.is_context && argument.places.count(site->ordinal()) == 0) continue;
    const std::string_view found = said_unit(*site, argument.index_in(*site));
    if (std::find(units.begin(), units.end(), found) == units.end()) units.emplace_back(found);
  }
  return units;
}

std::string said_unit(const Statement& statement, const ArgumentOf& argument) {
  const std::vector<std::string> units = said_units(statement, argument);
  return units.size() == 1 ? units[0] : std::string();
}

std::optional<text::TimeUnit> time_unit_of(const ArgumentOf& argument) {
  if (argument.meaning == nullptr) return text::time_unit_of(argument.said_unit);
  if (argument.meaning->kind() != text::Meaning::Kind::kDuration) return {};
  return argument.meaning->time_unit();
}

}  // namespace steno::query
