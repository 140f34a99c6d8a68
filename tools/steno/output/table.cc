#include "output/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <set>

#include "base/unique_names.h"

namespace steno::cli {
namespace {

using query::Cell;

std::string integer_text(text::Int128 value) {
  const bool negative = value < 0;
  auto rest = negative ? -static_cast<text::UInt128>(value) : static_cast<text::UInt128>(value);
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// "-1234567" as "-1,234,567".
std::string grouped(std::string digits) {
  const std::size_t start = !digits.empty() && digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string shortest(double value) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "?";
}

std::string time_text(std::int64_t ns, Zone zone, char separator, std::shared_ptr<lines::TimeStyle> style = nullptr) {
  TimeText time(zone, separator, std::move(style));
  ByteBuffer out;
  time.append(ns, out);
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

bool is_number(const Cell& cell) {
  return cell.kind == Cell::Kind::kInteger || cell.kind == Cell::Kind::kReal;
}

constexpr std::size_t kGap = 2;  // between columns

std::size_t width_of(const std::vector<std::size_t>& columns) {
  return std::accumulate(columns.begin(), columns.end(),
                         kGap * (columns.size() - std::min<std::size_t>(columns.size(), 1)));
}

// Takes from the widest columns of those that may be cut until all fit.
void make_narrower(const std::vector<bool>& fixed, std::size_t width, std::vector<std::size_t>* columns) {
  constexpr std::size_t kLeastWidth = 8;
  for (std::size_t all = width_of(*columns); all > width; --all) {
    std::size_t widest = SIZE_MAX;
    for (std::size_t c = 0; c < columns->size(); ++c) {
      if (fixed[c] || (*columns)[c] <= kLeastWidth) continue;
      if (widest == SIZE_MAX || (*columns)[c] > (*columns)[widest]) widest = c;
    }
    if (widest == SIZE_MAX) return;
    --(*columns)[widest];
  }
}

// "name  value", a line each.
void append_upright(const std::vector<std::string>& names, const std::vector<std::string>& values, std::size_t width,
                    ByteBuffer& out) {
  std::size_t widest = 0;
  for (const std::string& name : names) widest = std::max(widest, text_width(name));
  for (std::size_t c = 0; c < names.size(); ++c) {
    put(out, cut_to(padded(names[c], widest, false) + std::string(kGap, ' ') + values[c], width) + "\n");
  }
}

// Prints each row so, after an empty line: for tables whose numbers alone are too wide.
void append_all_upright(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& rows,
                        std::size_t width, ByteBuffer& out) {
  for (const auto& row : rows) {
    if (&row != rows.data()) put(out, "\n");
    append_upright(names, row, width, out);
  }
}

void append_for_people(const Table& table, const TableStyle& style, ByteBuffer& out) {
  const std::size_t n = table.columns.size();
  std::vector<std::size_t> widths(n);
  std::vector<bool> right(n, !table.rows.empty());
  std::vector<bool> whole(n, false);  // a time that is cut says nothing
  std::vector<std::vector<std::string>> texts;
  std::vector<std::string> headers;
  std::vector<TableStyle> styles(n, style);  // by column
  for (std::size_t c = 0; c < n && style.short_times && style.times == nullptr; ++c) {
    std::vector<const Cell*> cells;
    for (const auto& row : table.rows) cells.push_back(&row[c]);
    styles[c].times = shortest_times(cells);
  }
  for (const std::string& column : table.columns) headers.push_back(escaped(column, style.escape));
  for (std::size_t c = 0; c < n; ++c) widths[c] = text_width(headers[c]);
  for (const auto& row : table.rows) {
    auto& line = texts.emplace_back();
    for (std::size_t c = 0; c < n; ++c) {
      line.push_back(escaped(cell_text(row[c], styles[c]), style.escape));
      widths[c] = std::max(widths[c], text_width(line[c]));
      whole[c] = whole[c] || row[c].kind == Cell::Kind::kTime;
      right[c] = right[c] && (is_number(row[c]) || row[c].kind == Cell::Kind::kNone);
    }
  }
  if (style.width != 0 && width_of(widths) > style.width) {
    std::transform(right.begin(), right.end(), whole.begin(), whole.begin(), std::logical_or<>());
    if (texts.size() != 1) make_narrower(whole, style.width, &widths);
    if (width_of(widths) > style.width) return append_all_upright(headers, texts, style.width, out);
  }
  const auto append_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < n; ++c) {
      if (c != 0) line.append(kGap, ' ');
      line += padded(cut_to(cells[c], widths[c]), widths[c], right[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    put(out, line + "\n");
  };
  if (style.heading) append_line(headers);
  for (const auto& line : texts) append_line(line);
}

}  // namespace

TableFormat table_format_of(const std::string& name) {
  return name == "json" ? TableFormat::kJson : name == "csv" ? TableFormat::kCsv : TableFormat::kTable;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return shortest(value);
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e15)) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
  }
  const int digits = size >= 1 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 0;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::clamp(6 - digits, 1, 7), value);
  std::string number = text;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  const std::size_t point = std::min(number.find('.'), number.size());
  return grouped(number.substr(0, point)) + number.substr(point);
}

std::string human_text(const Cell& cell, Zone zone) {
  switch (cell.kind) {
    case Cell::Kind::kNone:
      return "-";
    case Cell::Kind::kInteger:
      return (cell.copied ? integer_text(cell.integer) : grouped(integer_text(cell.integer))) + cell.unit;
    case Cell::Kind::kReal:
      return (cell.copied ? shortest(cell.real) : number_text(cell.real)) + cell.unit;
    case Cell::Kind::kText:
      return cell.text;
    case Cell::Kind::kTime:
      return time_text(static_cast<std::int64_t>(cell.integer), zone, ' ');
  }
  return "";
}

std::string machine_text(const Cell& cell, Zone zone) {
  switch (cell.kind) {
    case Cell::Kind::kNone:
      return "";
    case Cell::Kind::kInteger:
      return integer_text(cell.integer);
    case Cell::Kind::kReal:
      return shortest(cell.real);
    case Cell::Kind::kText:
      return cell.text;
    case Cell::Kind::kTime:
      return time_text(static_cast<std::int64_t>(cell.integer), zone, 'T');
  }
  return "";
}

std::string cell_text(const Cell& cell, const TableStyle& style) {
  const bool people = style.format == TableFormat::kTable;
  if (cell.kind == Cell::Kind::kTime && style.times != nullptr) {
    return time_text(static_cast<std::int64_t>(cell.integer), style.zone, people ? ' ' : 'T', style.times);
  }
  return people ? human_text(cell, style.zone) : machine_text(cell, style.zone);
}

std::shared_ptr<lines::TimeStyle> shortest_times(const std::vector<const Cell*>& cells) {
  std::set<std::int64_t> times;
  for (const Cell* cell : cells) {
    if (cell->kind == Cell::Kind::kTime) times.insert(static_cast<std::int64_t>(cell->integer));
  }
  const auto tells_apart = [&](std::int64_t unit) {
    return std::adjacent_find(times.begin(), times.end(),
                              [&](std::int64_t a, std::int64_t b) { return a / unit == b / unit; }) == times.end();
  };
  const auto are_whole = [&](std::int64_t unit) {
    return std::all_of(times.begin(), times.end(), [&](std::int64_t t) { return t % unit == 0; });
  };
  // Steps of time are round; other times may be shown alike.
  const char* const digits = are_whole(1'000'000'000)                   ? "s"
                             : tells_apart(1'000'000) || !are_whole(10) ? "ms"
                             : tells_apart(1'000) && are_whole(1'000)   ? "us"
                                                                        : "ns";
  return lines::TimeStyle::parse(digits).value();
}

std::string json_text(const Cell& cell, Zone zone) {
  TableStyle style;
  style.format = TableFormat::kJson;
  style.zone = zone;
  return json_text(cell, style);
}

std::string json_text(const Cell& cell, const TableStyle& style) {
  if (cell.kind == Cell::Kind::kNone) return "null";
  const std::string text = cell_text(cell, style);
  const bool bare = cell.kind == Cell::Kind::kInteger || (cell.kind == Cell::Kind::kReal && std::isfinite(cell.real));
  return bare ? text : "\"" + json_escaped(text) + "\"";
}

std::string duration_text(double ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{86400e9, "d"}, {3600e9, "h"}, {60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  for (const Unit& unit : kUnits) {
    if (std::fabs(ns) < unit.ns) continue;
    char text[48];
    std::snprintf(text, sizeof text, "%.4g %s", ns / unit.ns, unit.name);
    return text;
  }
  return number_text(ns) + " ns";
}

std::string round_duration_text(double ns) {
  return std::fabs(ns) < 60e9 ? duration_text(ns) : number_text(ns / 1e9) + " s";
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  if (width == 0) return text;
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] == ' ') ++end;
    const std::size_t word = end;
    while (end < text.size() && text[end] != ' ') ++end;
    const std::size_t wide = text_width(std::string_view(text).substr(at, end - at));
    if (column > indent && column + wide > width) {
      out += "\n" + std::string(indent, ' ') + text.substr(word, end - word);
      column = indent + text_width(std::string_view(text).substr(word, end - word));
    } else {
      out += text.substr(at, end - at);
      column += wide;
    }
    at = end;
  }
  return out;
}

void append_table(const Table& table, const TableStyle& style, ByteBuffer& out) {
  if (style.format == TableFormat::kTable) return append_for_people(table, style, out);
  std::vector<std::string> columns = table.columns;
  make_unique(columns);
  const Escape csv_escape = style.escape == Escape::kTerminal ? Escape::kTerminal : Escape::kRaw;
  if (style.format == TableFormat::kCsv && style.heading) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      put(out, c == 0 ? "" : ",");
      append_csv(escaped(columns[c], csv_escape), out);
    }
    put(out, "\r\n");
  }
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (style.format == TableFormat::kCsv) {
        put(out, c == 0 ? "" : ",");
        append_csv(escaped(cell_text(row[c], style), csv_escape), out);
      } else {
        put(out, c == 0 ? "{\"" : ",\"");
        put(out, json_escaped(columns[c]) + "\":" + json_text(row[c], style));
      }
    }
    put(out, style.format == TableFormat::kCsv ? "\r\n" : "}\n");
  }
}

}  // namespace steno::cli
