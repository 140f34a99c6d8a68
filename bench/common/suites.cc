#include "common/suites.h"

#include <cmath>
#include <cstdio>

namespace steno::bench {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";  // JSON has no other word for it
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// `items` joined, each made by `write`.
template <class Items, class Write>
std::string list(const Items& items, const char* indent, Write write) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ',';
    out += indent;
    out += write(item);
  }
  return out;
}

std::string row(const Row& r) {
  return "{\"label\": " + quoted(r.label) + ", \"values\": {" +
         list(r.values, " ", [](const auto& v) { return quoted(v.first) + ": " + number(v.second); }) + "}}";
}

std::string bar(const Bar& b) {
  return "{\"metric\": " + quoted(b.metric) + ", \"value\": " + number(b.value) + ", \"limit\": " + number(b.limit) +
         ", \"ok\": " + (b.ok ? "true" : "false") + "}";
}

std::string suite(const Suite& s) {
  return "{\"name\": " + quoted(s.name) + ", \"title\": " + quoted(s.title) + ", \"unit\": " + quoted(s.unit) +
         ", \"lower_is_better\": " + (s.lower_is_better ? "true" : "false") + ", \"rows\": [" +
         list(s.rows, "\n    ", row) + "], \"bars\": [" + list(s.bars, "\n    ", bar) + "]}";
}

}  // namespace

std::string to_json(const std::vector<Suite>& suites) {
  return "{\"suites\": [" + list(suites, "\n  ", suite) + "]}\n";
}

}  // namespace steno::bench
