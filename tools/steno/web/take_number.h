// Ids and cursors: numbers with a character between them.
#pragma once

#include <charconv>
#include <string_view>

namespace steno::cli::web {

// Takes a number off the front of a text, with the separator after it. False: there is none, or something else follows.
template <class Number>
bool take_number(std::string_view* text, char separator, Number* number, int base = 10) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number, base);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  if (text->empty()) return true;
  if (text->front() != separator) return false;
  text->remove_prefix(1);
  return true;
}

}  // namespace steno::cli::web
