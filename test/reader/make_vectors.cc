// make_vectors DIRECTORY: writes the files of spec/vectors that are not there yet.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "file_builder.h"
#include "format/block.h"
#include "format/protocol_block.h"
#include "vectors.h"

namespace steno::test {
namespace {

void write(const std::filesystem::path& directory, const std::string& name, const std::string& bytes) {
  const auto path = directory / (name + ".steno");
  if (std::filesystem::exists(path)) {
    std::cout << path.string() << " is there already\n";
    return;
  }
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::cout << path.string() << ": " << bytes.size() << " bytes\n";
}

// Returns the file that a recovery wrote after the session's file had been removed: 1,000 records of the ring, and one
// of the consumer's own.
std::string other_file() {
  FileBuilder b;
  format::SessionBlock block;
  block.pid = 4242;
  block.session_id = FileBuilder::kId;
  block.start_wall = FileBuilder::kStart;
  block.clock_kind = 3;
  block.program = "testprog";
  block.host = "testhost";
  block.steno_version = "0.1.0";
  block.elsewhere = {{0, 1000}, {1u << 16, 1}};
  b.session(block).site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main");
  b.skip(0, 1000).skip(1u << 16, 1);
  b.log(0, 16, FileBuilder::kStart, Args().i32(1000)).log(0, 16, FileBuilder::kStart + 1, Args().i32(1001)).flush();
  b.thread(2 * (1u << 16), 1, "main")
      .log(2 * (1u << 16), wire::kSiteDied, FileBuilder::kStart + 2,
           Args()
               .u64(4242)
               .text("testprog")
               .text("2027-01-15T08:00:00.000Z")
               .text("1001 of its records were written to another file; all others are here"));
  return b.end(0, true).bytes();
}

// Two runs of a program, the second appended; renamed threads, a ring handed on, loggers, and a clock in ticks.
std::string two_sessions() {
  FileBuilder b;
  format::ClockPoint first;
  first.ticks = 1'000'000;
  first.wall_ns = FileBuilder::kStart;
  first.ns_per_tick = 0.25;
  first.uncertainty_ns = 40;
  format::ClockPoint second = first;
  second.ticks += 4'000'000;
  second.wall_ns += 1'000'123;
  for (std::uint64_t session = 1; session <= 2; ++session) {
    b.session(session * 0x1111, 1, 4000 + static_cast<std::uint32_t>(session));
    b.site(16, Level::kInfo, "request {id} from {client}", "mS", 120)
        .site(17, Level::kWarn, "slow: %d ms", "i", 131, wire::Style::kPrintf);
    b.logger(1, "net.http").thread(0, 1, "main").thread(1, 2, "");
    b.log(0, 16, 1'000'000, Args().u64(1).text("a")).log(1, 16, 1'000'010, Args().u64(2).text("b"), 1);
    b.log(0, 17, 1'000'020, Args().i32(35)).flush();
    b.clock({first});
    b.thread(0, 1, "renamed").thread(1, 3, "worker-3");
    b.log(0, 16, 3'000'000, Args().u64(3).text("a")).log(1, 16, 2'999'999, Args().u64(4).text("c"), 1).flush();
    b.clock({second}).end();
    first.wall_ns += 10'000'000'000;
    second.wall_ns += 10'000'000'000;
  }
  return b.bytes();
}

// Three blocks of a complete log; where they begin is left in `starts`.
std::string three_blocks(std::vector<std::size_t>* starts) {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main");
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 3; ++i) {
      b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(block * 10 + i), Args().i32(block * 3 + i));
    }
    if (block != 0) starts->push_back(b.size());
    b.flush();
  }
  starts->push_back(b.size());
  return b.end().bytes();
}

// One session whose clock counts ticks; where its first clock block and its dictionary begin is left in the others.
std::string dated_log(std::size_t* clock_at, std::size_t* dictionary_at) {
  FileBuilder b;
  format::ClockPoint point;
  point.ticks = 1'000'000;
  point.wall_ns = FileBuilder::kStart;
  point.ns_per_tick = 0.25;
  point.uncertainty_ns = 40;
  b.session(0x55, 1);
  *clock_at = b.size();
  b.clock({point});
  b.site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main");
  *dictionary_at = b.size();
  b.log(0, 16, 2'000'000, Args().i32(1)).log(0, 16, 3'000'000, Args().i32(2)).flush();
  point.ticks += 4'000'000;
  point.wall_ns += 1'000'123;
  return b.clock({point}).end().bytes();
}

// Two sessions with the same tag whose blocks alternate, as two copies of steno in one process write them.
std::string same_tag() {
  FileBuilder a;
  FileBuilder b;
  a.session(0x1111'0007).site(16, Level::kInfo, "one says {}", "i").thread(0, 1, "main");
  b.session(0x2222'0007).site(16, Level::kWarn, "two says {}", "i").thread(0, 1, "main");
  std::string file;
  for (int i = 0; i < 3; ++i) {
    const std::size_t from_a = a.size();
    const std::size_t from_b = b.size();
    a.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(2 * i), Args().i32(i)).flush();
    b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(2 * i) + 1, Args().i32(i)).flush();
    file += a.bytes().substr(i != 0 ? from_a : 0) + b.bytes().substr(i != 0 ? from_b : 0);
  }
  const std::size_t from_a = a.size();
  const std::size_t from_b = b.size();
  return file + a.end().bytes().substr(from_a) + b.end().bytes().substr(from_b);
}

// Times of a program's own clock: of a simulation that starts at 0, and of days long ago.
std::string early_times() {
  FileBuilder b;
  b.session(0x1970, 5).site(16, Level::kInfo, "{} s after the epoch", "i").thread(0, 1, "main");
  for (const std::uint32_t seconds : {0u, 1u, 3600u, 893'000'000u, 999'999'999u, 1'000'000'000u, 1'800'000'000u})
    b.log(0, 16, std::uint64_t{seconds} * 1'000'000'000, Args().i32(static_cast<std::int32_t>(seconds)));
  return b.end().bytes();
}

std::string hostile_text() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "user said: {}", "S").thread(0, 1, "esc\x1b[2J");
  std::uint64_t t = FileBuilder::kStart;
  b.log(0, 16, t += 1, Args().text("plain"));
  b.log(0, 16, t += 1, Args().text("two\nlines\r\n2027-01-15 08:00:00.000000000Z INFO   [main] fake:1 forged"));
  b.log(0, 16, t += 1, Args().text("colour \x1b[31mred\x07 \x7f tab\tkept"));
  b.log(0, 16, t += 1, Args().text("no UTF-8: \xff\xfe, C1: \xc2\x9b"));
  b.log(0, 16, t += 1, Args().text(std::string_view("a NUL \0 inside", 14)));
  b.log(0, 16, t += 1, Args().text("quotes \" and \\ and , and \xE2\x80\xAE reversed"));
  return b.end().bytes();
}

// Points whose lines meet no whole nanosecond, a step, two points of one tick; records before, between and after.
std::string clock_lines() {
  FileBuilder b;
  b.session(0x61, 1).site(16, Level::kInfo, "tick {}", "m").thread(0, 1, "main");
  const auto point = [](std::uint64_t ticks, std::int64_t wall, double rate, std::uint32_t flags = 0) {
    return format::ClockPoint{ticks, FileBuilder::kStart + wall, rate, 40, flags};
  };
  b.clock({point(1000, 5000, 0.5), point(1003, 5002, 0.5), point(1010, 4000, 0.3, format::ClockPoint::kStepped)});
  b.clock({point(1020, 4005, 0.7), point(1020, 4006, 0.3), point(1030, 4001, 1.7)});
  for (std::uint64_t t : {0,    997,  999,  1000, 1001, 1002, 1003, 1004, 1005, 1009,
                          1010, 1011, 1019, 1020, 1021, 1023, 1030, 1031, 1033, 2000}) {
    b.log(0, 16, t, Args().u64(t));
  }
  return b.end().bytes();
}

// A counter that nothing was written of: its first value is the session's start.
std::string clock_guess() {
  FileBuilder b;
  format::SessionBlock session;
  session.session_id = 0x62;
  session.start_wall = FileBuilder::kStart;
  session.ns_per_tick = 0.3;
  session.clock_kind = 1;
  b.session(session).site(16, Level::kInfo, "tick {}", "m").thread(0, 1, "main");
  for (std::uint64_t t : {5004, 5000, 5001, 5010}) b.log(0, 16, t, Args().u64(t)).flush();
  return b.end().bytes();
}

void run(const std::filesystem::path& directory) {
  write(directory, "symbol_strings", symbol_strings());
  write(directory, "letter_strings", letter_strings());
  write(directory, "template_strings", template_strings());
  write(directory, "word_strings", word_strings());
  write(directory, "shown_bytes", shown_bytes());
  write(directory, "hex_strings", hex_strings());
  write(directory, "list_strings", list_strings());
  write(directory, "string_runs", string_runs());
  write(directory, "related_integers", related_integers());
  write(directory, "entropy", entropy_codes());
  std::vector<std::size_t> parts;
  std::string shared = shared_strings(&parts);
  write(directory, "shared_strings", shared);
  shared[parts.at(1) + 20] ^= 0x40;
  write(directory, "missing_strings", shared);
  write(directory, "clock_lines", clock_lines());
  write(directory, "clock_guess", clock_guess());
  write(directory, "characters", characters());
  write(directory, "zones", zones());
  write(directory, "stacks", stacks());
  write(directory, "all_types", all_types(false));
  write(directory, "all_types_rows", all_types(true));
  write(directory, "two_sessions", two_sessions());
  write(directory, "hostile_text", hostile_text());
  write(directory, "same_tag", same_tag());
  std::vector<std::size_t> starts;
  const std::string sound = three_blocks(&starts);
  std::string damaged = sound;
  damaged[starts[0] + 24] = static_cast<char>(damaged[starts[0] + 24] ^ 0x10);
  write(directory, "damaged_block", damaged);
  write(directory, "torn_tail", sound.substr(0, starts[1] + 30));
  std::string hole = sound;
  std::fill(hole.begin() + static_cast<std::ptrdiff_t>(starts[0]),
            hole.begin() + static_cast<std::ptrdiff_t>(starts[1]), '\0');
  write(directory, "hole_of_zeros", hole);
  // Another file got padding instead: of the same size, and of the least size that a block can have.
  ByteBuffer padding;
  format::append_padding(padding, starts[1] - starts[0], FileBuilder::kId);
  format::append_padding(padding, format::kLeastPadding, FileBuilder::kId);
  const std::string pads(reinterpret_cast<const char*>(padding.data()), padding.size());
  write(directory, "padding", sound.substr(0, starts[0]) + pads + sound.substr(starts[0]));
  const std::string second = sound.substr(starts[0], starts[1] - starts[0]);
  const std::string third = sound.substr(starts[1], starts[2] - starts[1]);
  write(directory, "repeated_block", sound.substr(0, starts[2]) + second + sound.substr(starts[2]));
  write(directory, "swapped_blocks", sound.substr(0, starts[0]) + third + second + sound.substr(starts[2]));
  FileBuilder behind_torn;
  behind_torn.raw(sound.substr(0, starts[1] + 32))
      .session(0x77)
      .site(16, Level::kInfo, "restarted", "")
      .thread(0, 1, "main");
  behind_torn.log(0, 16, FileBuilder::kStart + 1000).end();
  write(directory, "session_behind_torn_tail", behind_torn.bytes());
  FileBuilder dropped;
  dropped.session()
      .site(16, Level::kInfo, "number {}", "i")
      .thread(0, 1, "main")
      .log(0, 16, FileBuilder::kStart, Args().i32(0));
  dropped.log(0, wire::kSiteDropped, FileBuilder::kStart + 1, Args().u64(12).u64(FileBuilder::kStart))
      .log(0, 16, FileBuilder::kStart + 2, Args().i32(13))
      .end(12);
  write(directory, "dropped", dropped.bytes());
  FileBuilder died;
  died.session()
      .site(16, Level::kInfo, "number {}", "i")
      .thread(0, 1, "main")
      .log(0, 16, FileBuilder::kStart, Args().i32(0))
      .flush();
  died.thread(2 * (1u << 16), 1, "main")
      .log(2 * (1u << 16), wire::kSiteDied, FileBuilder::kStart + 1,
           Args().u64(4242).text("testprog").text("2027-01-15T08:00:00.000Z").text("1 of its records is missing"));
  died.log(0, wire::kSiteDropped, FileBuilder::kStart + 1, Args().u64(1).u64(FileBuilder::kStart)).end(1, true);
  write(directory, "died", died.bytes());
  write(directory, "other_file", other_file());
  std::size_t clock_at = 0;
  std::size_t dictionary_at = 0;
  damaged = dated_log(&clock_at, &dictionary_at);
  damaged[clock_at + 30] = static_cast<char>(damaged[clock_at + 30] ^ 1);
  write(directory, "damaged_clock", damaged);
  damaged = dated_log(&clock_at, &dictionary_at);
  damaged[dictionary_at + 9] = static_cast<char>(damaged[dictionary_at + 9] ^ 1);  // its length: seems to be cut short
  write(directory, "damaged_dictionary", damaged);
  write(directory, "protocol_records", protocol_records());
  write(directory, "context", context());
  write(directory, "meanings", meanings());
  write(directory, "secrets", secrets());
  write(directory, "absent_values", absent_values());
  write(directory, "early_times", early_times());
  write(directory, "packed_sessions", packed_sessions(true));
  write(directory, "packed_without_model", packed_sessions(false));
  FileBuilder newer;
  format::SessionBlock block;
  block.version = 1'000'000;
  block.session_id = 1;
  newer.session(block);
  write(directory, "newer_version", newer.bytes());
}

}  // namespace
}  // namespace steno::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_vectors DIRECTORY\n";
    return 2;
  }
  steno::test::run(argv[1]);
}
