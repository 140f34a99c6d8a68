// Sentences: comments of users, and messages of exceptions that tell of others.
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"
#include "real/words.h"

namespace steno::bench {
namespace {

struct Prose {
  struct Line {
    bool failed;
    std::string_view text;
    std::uint64_t user;
  };

  explicit Prose(Draw& pool) : words(make_words(pool, 4'000)) {}

  Line next(Draw& draw, Texts& texts) {
    if (draw.chance(0.4)) return {true, texts.keep(exception(draw, 0)), 0};
    return {false, texts.keep(sentence(draw)), draw.below(50'000)};
  }

  std::string sentence(Draw& draw) {
    std::string out;
    for (std::uint64_t n = draw.magnitude(2, lengths); n != 0; --n) {
      out += word(draw);
      if (n > 1) out += draw.chance(0.1) ? ", " : " ";
    }
    out[0] = static_cast<char>(std::toupper(out[0]));
    return out + (draw.chance(0.9) ? "." : "!");
  }

  std::string exception(Draw& draw, int depth) {
    const auto cause = [&] {
      return depth < 4 && draw.chance(0.7) ? ": " + exception(draw, depth + 1) : std::string();
    };
    switch (draw.pick(failures)) {
      case 0:
        return fmt::format("cannot load {} {}", word(draw), draw.below(100'000)) + cause();
      case 1:
        return fmt::format("request {:08x} failed after {} ms", draw.below(1ull << 32), draw.below(30'000)) + cause();
      case 2:
        return fmt::format("connection to {}-{}.internal:{} refused", word(draw), draw.below(20),
                           5'000 + draw.below(10)) +
               cause();
      case 3:
        return fmt::format("field '{}' of {} is no number", word(draw), word(draw));
      default:
        return fmt::format("{} exceeds its limit of {} by {}", word(draw), 1 << (8 + draw.below(8)),
                           draw.below(1'000)) +
               cause();
    }
  }

  const std::string& word(Draw& draw) { return words.get(draw.pick(which_word), draw); }

  static void write(const Line& l, std::string* text) {
    if (l.failed) {
      BENCH_LINE(text, WARN, "failed: {reason}", l.text);
    } else {
      BENCH_LINE(text, INFO, "user {user} says: {comment}", l.user, l.text);
    }
  }

  Pool<std::string> words;
  Choice which_word = Choice::zipf(4'000, 1.0);
  Choice lengths{{20, 50, 30}};
  Choice failures{{30, 25, 20, 10, 15}};
};

}  // namespace

std::unique_ptr<Stream> prose_stream(unsigned thread) {
  return make_stream<Prose>(thread);
}

}  // namespace steno::bench
