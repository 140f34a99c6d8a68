#include "real/stream.h"

#include <algorithm>

#include "real/line.h"

namespace steno::bench {

std::string without_names(std::string_view format) {
  std::string out;
  bool in_name = false;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c == '{' && i + 1 < format.size() && format[i + 1] == '{') {
      out += "{{";
      ++i;
    } else {
      if (c == '}' || c == ':') in_name = false;
      if (!in_name) out += c;
      if (c == '{') in_name = true;
    }
  }
  return out;
}

void Texts::clear() {
  used_ = 0;
  room_ = 0;
}

void Texts::more(std::size_t size) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  if (used_ == chunks_.size()) chunks_.emplace_back(kChunk);
  auto& chunk = chunks_[used_++];
  if (chunk.size() < size) chunk.resize(size);
  free_ = chunk.data();
  room_ = chunk.size();
}

const std::vector<LogKind>& log_kinds() {
  static const std::vector<LogKind> kinds = {
      {"service", service_stream}, {"demo", demo_stream},     {"store", store_stream}, {"varying", varying_stream},
      {"sql", sql_stream},         {"stacks", stacks_stream}, {"json", json_stream},   {"hexdump", hexdump_stream},
      {"files", files_stream},     {"text", prose_stream},    {"lines", lines_stream},
  };
  return kinds;
}

}  // namespace steno::bench
