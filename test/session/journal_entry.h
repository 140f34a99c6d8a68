// An entry of the systemd journal, as its native protocol and `journalctl -o export` have it.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace steno_test {

// The entry that `text` begins with, which ends with it or with an empty line; `taken`: how many bytes it has, that
// line included. Empty: it is none.
inline std::map<std::string, std::string> parse_entry(std::string_view text, std::size_t* taken = nullptr) {
  const std::size_t all = text.size();
  std::map<std::string, std::string> fields;
  while (!text.empty()) {
    if (taken != nullptr && text.front() == '\n') {
      *taken = all - text.size() + 1;
      break;
    }
    const std::size_t end = text.find_first_of("=\n");
    if (end == std::string_view::npos) return {};
    const std::string name(text.substr(0, end));
    std::size_t size = 0;
    const bool sized = text[end] == '\n';
    text.remove_prefix(end + 1);
    if (sized) {
      std::uint64_t given = 0;
      if (text.size() < sizeof given) return {};
      std::memcpy(&given, text.data(), sizeof given);
      text.remove_prefix(sizeof given);
      size = given;
    } else {
      size = text.find('\n');
    }
    if (size >= text.size() || text[size] != '\n') return {};
    fields[name] = text.substr(0, size);
    text.remove_prefix(size + 1);
  }
  return fields;
}

}  // namespace steno_test
