// A program that dumps its packets, sixteen bytes a record, as hexdump -C does: zeros, texts, and bytes that could be
// anything.
#include <cstdint>
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"

namespace steno::bench {
namespace {

constexpr int kWidth = 16;

struct Hexdump {
  enum Kind : std::uint8_t { kZeros, kText, kAny };
  struct Line {
    bool is_row;
    std::uint64_t offset;
    std::string_view hex, shown;
  };

  explicit Hexdump(Draw&) {}

  Line next(Draw& draw, Texts& texts) {
    if (offset == size) {
      size = kWidth * (1 + draw.below(64));
      offset = 0;
      return {false, size, {}, {}};
    }
    if (draw.chance(0.3)) kind = static_cast<Kind>(draw.pick(kinds));
    std::string hex;
    std::string shown;
    for (int i = 0; i < kWidth; ++i) {
      const unsigned byte = kind == kZeros ? 0 : kind == kText ? ' ' + draw.below(95) : draw.below(256);
      hex += fmt::format("{}{:02x}", i == kWidth / 2 ? "  " : i != 0 ? " " : "", byte);
      shown += byte >= ' ' && byte < 0x7F ? static_cast<char>(byte) : '.';
    }
    const Line line{true, offset, texts.keep(hex), texts.keep(shown)};
    offset += kWidth;
    return line;
  }

  static void write(const Line& l, std::string* text) {
    if (l.is_row) {
      BENCH_LINE(text, TRACE, "{offset:08x}  {hex}  |{shown}|", l.offset, l.hex, l.shown);
    } else {
      BENCH_LINE(text, DEBUG, "packet of {bytes} bytes:", l.offset);
    }
  }

  Kind kind = kText;
  std::uint64_t offset = 0, size = 0;
  Choice kinds{{25, 35, 40}};
};

}  // namespace

std::unique_ptr<Stream> hexdump_stream(unsigned thread) {
  return make_stream<Hexdump>(thread);
}

}  // namespace steno::bench
