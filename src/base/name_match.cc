#include "base/name_match.h"

namespace steno {

bool is_under(std::string_view name, std::string_view under) {
  if (under.ends_with('*')) return name.starts_with(under.substr(0, under.size() - 1));
  if (!name.starts_with(under)) return false;
  return name.size() == under.size() || (!under.empty() && name[under.size()] == '.');
}

bool path_ends_in(std::string_view path, std::string_view suffix) {
  if (!path.ends_with(suffix)) return false;
  return path.size() == suffix.size() || path[path.size() - suffix.size() - 1] == '/';
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // If there was a '*', retry from there with one more character: only the last '*' matters.
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p + (escaped ? 1 : 0)] == text[t]) {
      p += escaped ? 2 : 1;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace steno
