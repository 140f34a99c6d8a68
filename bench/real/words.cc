#include "real/words.h"

#include <array>
#include <cctype>

namespace steno::bench {

std::string make_word(Draw& draw, int syllables) {
  constexpr std::array<const char*, 20> kOnsets = {"b", "c", "d", "f",  "g",  "l",  "m",  "n",  "p",  "r",
                                                   "s", "t", "v", "st", "tr", "pl", "ch", "sh", "gr", ""};
  constexpr std::array<const char*, 10> kRimes = {"a", "e", "i", "o", "u", "an", "er", "in", "or", "es"};
  std::string word;
  for (int i = 0; i < syllables; ++i) {
    word += kOnsets[draw.below(kOnsets.size())];
    word += kRimes[draw.below(kRimes.size())];
  }
  return word;
}

Pool<std::string> make_words(Draw& draw, std::size_t n) {
  return {draw, n, [](Draw& d) { return make_word(d, 1 + static_cast<int>(d.below(4))); }};
}

std::string make_type_name(Draw& draw) {
  std::string name = make_word(draw, 2);
  std::string second = make_word(draw, 2);
  name[0] = static_cast<char>(std::toupper(name[0]));
  second[0] = static_cast<char>(std::toupper(second[0]));
  return name + second;
}

}  // namespace steno::bench
