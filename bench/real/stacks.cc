// A program that logs the stacks of its errors, a frame a record. Most stacks came before.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "real/line.h"
#include "real/stream.h"
#include "real/words.h"

namespace steno::bench {
namespace {

struct Stacks {
  struct Function {
    std::string name;
    std::string file;
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t line;
  };
  struct Line {
    bool is_frame;
    std::string_view frame;
    std::uint64_t id;
  };

  explicit Stacks(Draw& pool)
      : functions(pool, 600, [this](Draw& draw) { return function(draw); }),
        known(pool, 200, [this](Draw& draw) { return stack(draw); }) {}

  Function function(Draw& draw) {
    Function f;
    f.name = make_word(draw, 2) + "::" + make_type_name(draw) +
             "::" + make_word(draw, 1 + static_cast<int>(draw.below(3))) + "(";
    for (std::uint32_t i = 0, n = draw.below(4); i < n; ++i) {
      f.name += std::string(i != 0 ? ", " : "") + (draw.chance(0.5) ? "const " + make_type_name(draw) + "&" : "int");
    }
    f.name += ")";
    f.file = "/src/" + make_word(draw, 2) + "/" + make_word(draw, 3) + ".cc";
    f.bytes = 64 + draw.below(4'000);
    f.address = free_address;
    f.line = 20 + draw.below(900);
    free_address += (f.bytes + 31) / 16 * 16;
    return f;
  }

  std::vector<std::string> stack(Draw& draw) {
    std::vector<std::string> frames;
    for (std::uint32_t i = 0, n = 6 + draw.below(20); i < n; ++i) {
      const Function& f = functions.get(draw.pick(which_function), draw);
      const std::uint32_t offset = draw.below(f.bytes);
      frames.push_back(
          fmt::format("#{} {:#018x} in {} at {}:{}", i, f.address + offset, f.name, f.file, f.line + offset / 24));
    }
    return frames;
  }

  Line next(Draw& draw, Texts& texts) {
    if (at == current.size()) {
      current = draw.chance(0.8) ? known.get(draw.pick(which_known), draw) : stack(draw);
      at = 0;
      return {false, {}, ++errors};
    }
    return {true, texts.keep(current[at++]), 0};
  }

  static void write(const Line& l, std::string* text) {
    if (l.is_frame) {
      BENCH_LINE(text, WARN, "{frame}", l.frame);
    } else {
      BENCH_LINE(text, WARN, "error {id}, its stack:", l.id);
    }
  }

  std::uint64_t free_address = 0x7f31'4a20'0000;
  Choice which_function = Choice::zipf(600, 0.8);
  Pool<Function> functions;
  Choice which_known = Choice::zipf(200, 1.0);
  Pool<std::vector<std::string>> known;
  std::vector<std::string> current;
  std::size_t at = 0;
  std::uint64_t errors = 0;
};

}  // namespace

std::unique_ptr<Stream> stacks_stream(unsigned thread) {
  return make_stream<Stacks>(thread);
}

}  // namespace steno::bench
