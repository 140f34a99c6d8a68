// One statement with one string of 5 to 60 letters: two in three are out of 300, the others never come again.
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"

namespace steno::bench {
namespace {

struct Varying {
  struct Line {
    std::string_view text;
  };

  explicit Varying(Draw& pool) : repeated(pool, 300, random_text) {}

  static std::string random_text(Draw& draw) {
    std::string text(5 + draw.below(56), ' ');
    for (char& c : text) c = static_cast<char>('a' + draw.below(26));
    return text;
  }

  Line next(Draw& draw, Texts& texts) {
    if (draw.chance(2.0 / 3)) return {repeated.get(draw.below(repeated.size()), draw)};
    return {texts.keep(random_text(draw))};
  }

  static void write(const Line& l, std::string* text) { BENCH_LINE(text, INFO, "request for {what}", l.text); }

  Pool<std::string> repeated;
};

}  // namespace

std::unique_ptr<Stream> varying_stream(unsigned thread) {
  return make_stream<Varying>(thread);
}

}  // namespace steno::bench
