// The rules for brace formats: the grammar of std::format in C++20 with the differences of types.md ("Text"), written
// from these alone as an oracle of the code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace steno::text::testing {

// Fields by index or by none, arguments by the letters of their types; no names, no UTF-16 and UTF-32 units. A mixture
// of both kinds of fields and an integer with type `c` are not looked into.
class BraceRules {
 public:
  BraceRules(std::string_view format, std::string_view types) : rest_(format), types_(types) {}

  // Returns whether the format is one, and all fields fit their arguments. Call it only once.
  bool accept() {
    while (!rest_.empty()) {
      if (eat("{{") || eat("}}")) continue;
      if (eat("{")) {
        if (!field()) return false;
      } else if (rest_[0] == '}') {
        return false;
      } else {
        rest_.remove_prefix(1);
      }
    }
    return true;
  }

 private:
  static bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

  bool eat(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  char eat_one_of(std::string_view set) {
    if (rest_.empty() || !is_one_of(rest_[0], set)) return 0;
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view digits() {
    const std::string_view all = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    rest_.remove_prefix(all.size());
    return all;
  }

  // The letter of the argument's type; 0 if there is no such argument.
  char argument() {
    const std::string_view index = digits();
    if (index.size() > 3 || (index.size() > 1 && index[0] == '0')) return 0;
    const std::size_t at = index.empty() ? next_++ : std::stoul(std::string(index));
    return at < types_.size() ? types_[at] : '\0';
  }

  bool field() {
    const char type = argument();
    if (type == 0) return false;
    return eat("}") || (eat(":") && spec(type) && eat("}"));
  }

  // The fill is one code point, as long as its first byte says.
  void fill_and_align() {
    const auto first = static_cast<unsigned char>(rest_.empty() ? 0 : rest_[0]);
    const std::size_t size = first < 0xC0 || first >= 0xF8 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const bool fills = size < rest_.size() && is_one_of(rest_[size], "<>^") && first != '{' && first != '}';
    if (fills) rest_.remove_prefix(size);
    eat_one_of("<>^");
  }

  // An integer from an argument.
  bool size_argument() {
    const char type = argument();
    return type != 0 && is_one_of(type, "asilnhtjmo") && eat("}");
  }

  bool spec(char type) {
    fill_and_align();
    const bool sign = eat_one_of("+- ") != 0;
    const bool alternate = eat("#");
    const bool zero = eat("0");
    if (!rest_.empty() && rest_[0] == '0') return false;  // a width is positive, without zeros before it
    if (digits().empty() && eat("{") && !size_argument()) return false;
    const bool precision = eat(".");
    if (precision && digits().empty() && !(eat("{") && size_argument())) return false;
    const bool localized = eat("L");
    const char letter = eat_one_of("aAbBcdeEfFgGopsxX?");

    const auto shown_as = [letter](std::string_view letters) { return letter == 0 || is_one_of(letter, letters); };
    const bool numeric = sign || alternate || zero;
    if (type == 'p') return shown_as("p") && !numeric && !localized && !precision;
    if (is_one_of(type, "SUW")) return shown_as("s?") && !numeric && !localized;
    if (is_one_of(type, "fdeg")) return shown_as("aAeEfFgG");
    if (precision) return false;
    if (type == 'b') return shown_as("s") ? !numeric : is_one_of(letter, "bBdoxX") && !sign;
    if (type == 'c') return shown_as("c?") ? !numeric : is_one_of(letter, "bBdoxX");
    return shown_as("bBcdoxX") && (!sign || is_one_of(type, "asiln"));
  }

  std::string_view rest_;
  std::string_view types_;
  std::size_t next_ = 0;
};

}  // namespace steno::text::testing
