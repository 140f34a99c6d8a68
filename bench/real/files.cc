// A backup: names of files, with dates, numbers and extensions.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"
#include "real/words.h"

namespace steno::bench {
namespace {

constexpr std::array<const char*, 10> kExtensions = {".txt", ".pdf", ".cc",  ".h",    ".py",
                                                     ".md",  ".png", ".csv", ".docx", ".tar.gz"};
constexpr std::array<const char*, 3> kReasons = {"permission denied", "it vanished", "it changed meanwhile"};

struct Files {
  enum Site : std::uint8_t { kCopied, kUnchanged, kEntered, kSkipped };
  struct Line {
    Site site;
    std::string_view path;
    std::uint64_t bytes;
    const char* reason;
  };

  explicit Files(Draw& pool)
      : words(make_words(pool, 1'500)), directories(pool, 800, [this](Draw& draw) { return directory(draw); }) {}

  std::string directory(Draw& draw) {
    std::string out =
        draw.chance(0.7) ? "/home/" + words.get(draw.below(12), draw) : "/srv/" + words.get(draw.below(12), draw);
    for (std::uint32_t i = 0, n = 1 + draw.below(4); i < n; ++i) out += "/" + words.get(draw.below(words.size()), draw);
    return out;
  }

  Line next(Draw& draw, Texts& texts) {
    Line line{};
    line.site = static_cast<Site>(draw.pick(sites));
    if (draw.chance(0.05)) current = draw.pick(which_directory);  // one after the other
    const std::string& parent = directories.get(current, draw);
    line.path = texts.keep(line.site == kEntered ? parent : parent + "/" + file(draw));
    line.bytes = draw.magnitude(8, sizes);
    line.reason = kReasons[draw.below(kReasons.size())];
    return line;
  }

  std::string file(Draw& draw) {
    const auto day = [&] { return std::array{1 + draw.below(12), 1 + draw.below(28)}; };
    switch (draw.pick(kinds)) {
      case 0: {
        const auto [month, date] = day();
        return fmt::format("IMG_{}{:02}{:02}_{:02}{:02}{:02}.jpg", 2015 + draw.below(12), month, date, draw.below(24),
                           draw.below(60), draw.below(60));
      }
      case 1: {
        const auto [month, date] = day();
        return fmt::format("{}-{}-{:02}-{:02}.log.gz", word(draw), 2020 + draw.below(7), month, date);
      }
      case 2:
        return fmt::format("lib{}.so.{}.{}.{}", word(draw), 1 + draw.below(9), draw.below(20), draw.below(40));
      case 3:
        return fmt::format("{}_v{}{}", word(draw), 1 + draw.below(9), kExtensions[draw.below(kExtensions.size())]);
      default:
        return word(draw) + "_" + word(draw) + kExtensions[draw.below(kExtensions.size())];
    }
  }

  const std::string& word(Draw& draw) { return words.get(draw.pick(which_word), draw); }

  static void write(const Line& l, std::string* text) {
    switch (l.site) {
      case kCopied:
        BENCH_LINE(text, INFO, "copied {path}, {bytes} bytes", l.path, l.bytes);
        break;
      case kUnchanged:
        BENCH_LINE(text, DEBUG, "{path} is unchanged", l.path);
        break;
      case kEntered:
        BENCH_LINE(text, DEBUG, "in {path}", l.path);
        break;
      case kSkipped:
        BENCH_LINE(text, WARN, "skipped {path}: {reason}", l.path, l.reason);
        break;
    }
  }

  Pool<std::string> words, directories;
  std::size_t current = 0;
  Choice sites{{40, 53, 5, 2}};
  Choice kinds{{25, 20, 10, 15, 30}};
  Choice which_word = Choice::zipf(1'500, 0.7);
  Choice which_directory = Choice::zipf(800, 0.5);
  Choice sizes{{3, 5, 8, 10, 12, 12, 12, 10, 8, 6, 5, 4, 3, 2}};
};

}  // namespace

std::unique_ptr<Stream> files_stream(unsigned thread) {
  return make_stream<Files>(thread);
}

}  // namespace steno::bench
