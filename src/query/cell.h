// A value in a table of results.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "text/number.h"

namespace steno::query {

struct Cell {
  enum class Kind { kNone, kInteger, kReal, kText, kTime };  // kTime: `integer` is ns since the epoch
  Kind kind = Kind::kNone;
  text::Int128 integer = 0;
  double real = 0;
  std::string text;
  std::string unit;     // what stands after a number for people
  bool copied = false;  // a value of the log, to be written as --where reads it: its digits are not grouped

  static Cell of(text::Int128 value) {
    Cell cell;
    cell.kind = Kind::kInteger;
    cell.integer = value;
    return cell;
  }
  static Cell of_real(double value) {
    Cell cell;
    cell.kind = Kind::kReal;
    cell.real = value;
    return cell;
  }
  static Cell of_text(std::string_view value) {
    Cell cell;
    cell.kind = Kind::kText;
    cell.text = value;
    return cell;
  }
  static Cell of_time(std::int64_t ns) {
    Cell cell = of(ns);
    cell.kind = Kind::kTime;
    return cell;
  }

  double as_double() const { return kind == Kind::kReal ? real : static_cast<double>(integer); }
};

// Numbers in their order, NaN after them, texts in theirs, numbers first.
inline bool operator<(const Cell& a, const Cell& b) {
  if (a.kind == Cell::Kind::kText || b.kind == Cell::Kind::kText) {
    return a.kind != b.kind ? a.kind < b.kind : a.text < b.text;
  }
  if (a.kind == Cell::Kind::kReal || b.kind == Cell::Kind::kReal) {
    const double x = a.as_double();
    const double y = b.as_double();
    return std::isnan(x) || std::isnan(y) ? !std::isnan(x) && std::isnan(y) : x < y;
  }
  return a.integer < b.integer;
}

}  // namespace steno::query
