// Measures what each codec brings: the bytes of a log's blocks, and the time to write them, if the writer does without
// it.
//
//   codecs [--records N] [--rounds N] [--only LOG]    defaults: 300,000 records, the least of 3 rounds, all logs
#include <steno/session.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/harness.h"
#include "format/without.h"
#include "query/commands.h"
#include "query/tables.h"
#include "real/encoder.h"

int main(int argc, char** argv) {
  using namespace steno::bench;
  using steno::format::Effort;
  EncodeScale scale{take_number(&argc, argv, "--records", 300'000), 1 << 19, take_number(&argc, argv, "--rounds", 3)};
  const std::string only = take_text(&argc, argv, "--only");
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) scale = {20'000, 1 << 15, 1};
  pin(0);
  steno::set_level(steno::Level::kTrace);
  Suite bytes{"codec_sizes", "What each codec brings: bytes without it / with all", "ratios", false, {}, {}};
  Suite times{"codec_times", "What it costs: time to write without it / with all", "ratios", false, {}, {}};
  for (const LogKind& kind : log_kinds()) {
    if (!only.empty() && only != kind.name) continue;
    const std::vector<std::byte> ring = ring_bytes(kind, scale.records);
    const EncodeCost all = encode(ring, scale, Effort::kFull);
    for (const std::string_view codec : steno::format::codecs_to_spare()) {
      steno::format::leave_out_codec(codec);
      const EncodeCost without = encode(ring, scale, Effort::kFull);
      steno::format::leave_out_codec({});
      note(&bytes, std::string(codec), kind.name, without.bytes / all.bytes);
      note(&times, std::string(codec), kind.name, without.write_ns / all.write_ns);
    }
  }
  return finish(flags, {bytes, times});
}
