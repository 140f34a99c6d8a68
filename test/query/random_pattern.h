// Random patterns: literal texts, and regular expressions of all that an automaton knows.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace steno::test {

class RandomPattern {
 public:
  // Literals are pieces of the texts, or nearly.
  RandomPattern(std::mt19937_64& random, const std::vector<std::string>& texts) : random_(random), texts_(texts) {}

  std::string literal() {
    const std::string& text = texts_[random_() % texts_.size()];
    if (text.empty()) return std::string(1, any());
    const std::size_t begin = random_() % text.size();
    std::string piece = text.substr(begin, 1 + random_() % std::min<std::size_t>(text.size() - begin, 12));
    if (random_() % 5 == 0) piece[random_() % piece.size()] = any();
    return piece;
  }
  std::string regex() {
    std::string text = random_() % 8 == 0 ? "^" : "";
    text += either(0);
    return random_() % 8 == 0 ? text + "$" : text;
  }

 private:
  char any() { return "0123456789abcdefxyzABF -/:._"[random_() % 28]; }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    return out;
  }

  std::string either(int depth) {
    std::string text = sequence(depth);
    while (random_() % 5 == 0) text += "|" + sequence(depth);
    return text;
  }

  std::string sequence(int depth) {
    std::string text;
    const unsigned parts = 1 + static_cast<unsigned>(random_() % 3);
    for (unsigned i = 0; i < parts; ++i) text += atom(depth) + quantifier();
    return text;
  }

  std::string atom(int depth) {
    static constexpr const char* kSets[] = {"[0-9]", "[a-f0-9]", "[^0-9]", "[x-z]", ".",   "\\d", "\\w",    "[^a-z ]",
                                            "[A-Z]", "\\s",      "[-./:]", "[]0]",  "\\S", "\\D", "[\\d.]", "\\W"};
    switch (random_() % (depth < 2 ? 6 : 4)) {
      case 0:
        return kSets[random_() % std::size(kSets)];
      case 4:
        return "(" + either(depth + 1) + ")";
      case 5:
        return "(?:" + either(depth + 1) + ")";
      default: {
        const std::string piece = escaped(literal());
        return piece.size() > 1 && random_() % 2 == 0 ? "(" + piece + ")" : piece;
      }
    }
  }

  std::string quantifier() {
    static constexpr const char* kSome[] = {"*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?", "{0,2}?"};
    return random_() % 3 == 0 ? kSome[random_() % std::size(kSome)] : "";
  }

  std::mt19937_64& random_;
  const std::vector<std::string>& texts_;
};

}  // namespace steno::test
