#include "query/filter/said_unit.h"

#include <algorithm>
#include <optional>

#include "text/printer.h"

namespace steno::query {
namespace {

constexpr std::string_view kSaidUnits[] = {"ns",   "us",    "µs",   "μs",    "ms",    "s",   "sec",  "seconds", "min",
                                           "h",    "%",     "°C",   "B",     "bytes", "kB",  "KB",   "KiB",     "MB",
                                           "MiB",  "GB",    "GiB",  "TB",    "TiB",   "B/s", "kB/s", "KB/s",    "KiB/s",
                                           "MB/s", "MiB/s", "GB/s", "GiB/s", "Hz",    "kHz", "MHz",  "GHz"};

bool is_part_of_unit(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '%' || c == '/' || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// A unit at the beginning of a text, perhaps after a space.
std::string_view unit_at(std::string_view text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto end = std::find_if_not(text.begin(), text.end(), is_part_of_unit);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const auto* const known = std::find(std::begin(kSaidUnits), std::end(kSaidUnits), word);
  return known != std::end(kSaidUnits) ? *known : std::string_view();
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
    const std::string_view found = unit_at(fields[i + 1].literal);
    if (unit && *unit != found) return {};
    unit = found;
  }
  return unit.value_or(std::string_view());
}

std::string said_unit(const Statement& statement, const ArgumentOf& argument) {
  std::optional<std::string_view> unit;
  if (argument.meaning != nullptr) return {};
  for (const reader::Site* site : statement.sites) {
    if (argument.is_context && argument.places.count(site->ordinal()) == 0) continue;
    const std::string_view found = said_unit(*site, argument.index_in(*site));
    if (unit && *unit != found) return {};
    unit = found;
  }
  return std::string(unit.value_or(std::string_view()));
}

}  // namespace steno::query
