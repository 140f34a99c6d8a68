// make_vectors DIRECTORY: writes the files of spec/vectors that are not there yet.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/checksum.h"
#include "file_builder.h"
#include "format/block.h"
#include "format/protocol_block.h"

namespace steno::test {
namespace {

constexpr std::uint64_t kT = FileBuilder::kStart;

void write(const std::filesystem::path& directory, const std::string& name, const std::string& bytes) {
  const auto path = directory / (name + ".steno");
  if (std::filesystem::exists(path)) {
    std::cout << path.string() << " is there already\n";
    return;
  }
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::cout << path.string() << ": " << bytes.size() << " bytes\n";
}

template <class Unit>
std::string units(std::basic_string_view<Unit> text) {
  return std::string(reinterpret_cast<const char*>(text.data()), text.size() * sizeof(Unit));
}

// Every type of types.md, with its extremes.
std::string all_types(bool rows) {
  FileBuilder b(rows);
  b.session().thread(0, 1, "main");
  b.site(16, Level::kTrace, "bool {} char {}", "bc");
  b.site(17, Level::kDebug, "signed {} {} {} {} {}", "asiln");
  b.site(18, Level::kInfo, "unsigned {} {} {} {} {}", "htjmo");
  b.site(19, Level::kNotice, "floating {} {} {}", "fde");
  b.site(20, Level::kWarn, "pointer {} units {} {}", "puw");
  b.site(21, Level::kError, "strings {} {} {}", "SUW");
  b.site(22, Level::kCritical, "%s: %m", "SE", 0, wire::Style::kPrintf);
  std::uint64_t t = kT;
  b.log(0, 16, t += 1, Args().add<std::uint8_t>('b', 1).add('c', 'x'));
  b.log(0, 16, t += 1, Args().add<std::uint8_t>('b', 0).add('c', '~'));
  const auto low = static_cast<__int128>(static_cast<unsigned __int128>(1) << 127);
  b.log(0, 17, t += 1,
        Args()
            .add<std::int8_t>('a', -128)
            .add<std::int16_t>('s', -32768)
            .i32(INT32_MIN)
            .add('l', INT64_MIN)
            .add('n', low));
  b.log(0, 17, t += 1,
        Args()
            .add<std::int8_t>('a', 127)
            .add<std::int16_t>('s', 32767)
            .i32(INT32_MAX)
            .add('l', INT64_MAX)
            .add<__int128>('n', ~low));
  b.log(0, 18, t += 1,
        Args()
            .add<std::uint8_t>('h', 255)
            .add<std::uint16_t>('t', 65535)
            .add('j', UINT32_MAX)
            .u64(UINT64_MAX)
            .add('o', ~static_cast<unsigned __int128>(0)));
  const auto extended = [](long double v) {
    __int128 packed = 0;
    std::memcpy(&packed, &v, 10);
    return packed;
  };
  b.log(0, 19, t += 1, Args().add('f', 1.5f).f64(3.141592653589793).add('e', extended(0.1L)));
  b.log(0, 19, t += 1, Args().add('f', -0.0f).f64(1e300).add('e', extended(-12.5L)));
  b.log(0, 20, t += 1,
        Args().add<std::uint64_t>('p', 0x7ffe12345678).add<std::uint16_t>('u', 0xE9).add<std::uint32_t>('w', 0x1F642));
  b.log(0, 20, t += 1, Args().add<std::uint64_t>('p', 0).add<std::uint16_t>('u', 'A').add<std::uint32_t>('w', 'B'));
  b.log(0, 21, t += 1,
        Args()
            .text("bytes, \xC3\xA9")
            .text(units(std::u16string_view(u"sixteen \u00e9")), 'U')
            .text(units(std::u32string_view(U"thirty-two \U0001F642")), 'W'));
  b.log(0, 21, t += 1, Args().null_text().null_text('U').null_text('W'));
  b.log(0, 21, t += 1, Args().text("").text("", 'U').text("", 'W'));
  b.log(0, 22, t += 1, Args().text("/etc/missing").add<std::int32_t>('E', 2));
  return b.end().bytes();
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
      b.log(0, 16, kT + static_cast<std::uint64_t>(block * 10 + i), Args().i32(block * 3 + i));
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
    a.log(0, 16, kT + static_cast<std::uint64_t>(2 * i), Args().i32(i)).flush();
    b.log(0, 16, kT + static_cast<std::uint64_t>(2 * i) + 1, Args().i32(i)).flush();
    file += a.bytes().substr(i != 0 ? from_a : 0) + b.bytes().substr(i != 0 ? from_b : 0);
  }
  const std::size_t from_a = a.size();
  const std::size_t from_b = b.size();
  return file + a.end().bytes().substr(from_a) + b.end().bytes().substr(from_b);
}

std::string hostile_text() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "user said: {}", "S").thread(0, 1, "esc\x1b[2J");
  std::uint64_t t = kT;
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

// Each char, in few records and in many; greater than 127 is not negative.
std::string characters() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "{:d}", "c").thread(0, 1, "main");
  for (int i = 0; i < 3; ++i) b.log(0, 16, kT + i, Args().add('c', static_cast<std::uint8_t>(126 + i)));
  b.flush();
  for (int i = 0; i < 300; ++i) b.log(0, 16, kT + 10 + i, Args().add('c', static_cast<std::uint8_t>(i)));
  return b.end().bytes();
}

// A block whose zone says less than its values are, another whose zone says more.
std::string zones() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main");
  std::vector<std::size_t> starts;
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 256; ++i)
      b.log(0, 16, kT + static_cast<std::uint64_t>(block * 256 + i), Args().i32(i * 7919 % 256));
    b.flush();
    starts.push_back(b.size());
  }
  std::string bytes = b.end().bytes();
  const char zone[] = {0, 0, 0, 0, static_cast<char>(255), 0, 0, 0};  // 0 and 255
  for (std::size_t block = 0; block < 2; ++block) {
    const std::size_t at = bytes.find(std::string(zone, sizeof zone), starts[block] + 60);
    auto* p = reinterpret_cast<std::uint8_t*>(bytes.data());
    store(p + at + 4, block == 0 ? 254 : 1'000'000);
    p += starts[block];
    const auto length = load<std::uint32_t>(p + 8);
    store(p + 12, static_cast<std::uint32_t>(xxh3(p + format::kBlockHeaderSize, length, load<std::uint64_t>(p + 4))));
  }
  return bytes;
}

// Paths that come again in each of three blocks, between which others come once. `parts`: where the strings blocks are.
std::string shared_strings(std::vector<std::size_t>* parts) {
  FileBuilder b(false, true);
  b.session().site(16, Level::kInfo, "GET {} {}", "SS").thread(0, 1, "main");
  static constexpr const char* kPaths[] = {"/", "/favicon.ico", "/about/the/company", "/search", "/images/logo.svg"};
  static constexpr const char* kOnce[] = {"/robots.txt", "/.well-known/security.txt", "/wp-admin/setup-config.php"};
  std::uint64_t t = kT;
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 40; ++i) {
      Args args;
      args.text(i == 20 ? kOnce[block] : kPaths[i * i % (3 + block)]);
      if (i % 9 == 4) {
        args.null_text();
      } else {
        args.text("Mozilla/5.0 (X11; Linux x86_64) rv:" + std::to_string(i % 3));
      }
      b.log(0, 16, t += 1000, args);
    }
    b.flush();
    if (block == 1) b.begin_stretch();
  }
  std::string bytes = b.end().bytes();
  format::BlockHeader header;
  for (std::size_t at = 0; at < bytes.size(); at += header.total_size()) {
    if (!format::parse_header(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, bytes.size() - at, &header))
      break;
    if (header.type == format::BlockType::kStrings) parts->push_back(at);
  }
  return bytes;
}

// Sentences, some empty and some null, in columns of symbols with codes of one byte and of two.
std::string symbol_strings() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "{} says: {}", "SS").thread(0, 1, "main");
  std::uint32_t random = 1;
  const auto below = [&random](std::uint32_t n) { return (random = random * 1664525 + 1013904223) / 65536 % n; };
  for (int i = 0; i < 400; ++i) {
    Args args;
    args.text("visitor " + std::to_string(below(1000)) + std::string(below(4), '!'));
    std::string text;
    for (std::uint32_t words = below(25); words > 0; --words) {
      const std::uint32_t word = below(16) * below(25);
      text += (word % 2 == 0 ? "tele" : "micro") + std::string(1, static_cast<char>('a' + word % 19)) +
              (word % 3 == 0   ? "scope"
               : word % 3 == 1 ? "phone"
                               : "graphy") +
              (words > 1 ? " " : "\xE2\x80\xA6");
    }
    if (below(50) == 0) {
      args.null_text();
    } else {
      args.text(text);
    }
    b.log(0, 16, kT + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

// Tokens of 64 letters and of 17, some empty and some null, in columns of letters.
std::string letter_strings() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "session {} of {}", "SS").thread(0, 1, "main");
  std::uint32_t random = 1;
  const auto token = [&random](std::string_view letters, std::uint32_t most) {
    const auto below = [&random](std::size_t n) { return (random = random * 1664525 + 1013904223) / 65536 % n; };
    std::string text(below(most), '\0');
    for (char& c : text) c = letters[below(letters.size())];
    return text;
  };
  for (int i = 0; i < 100; ++i) {
    Args args;
    args.text(token("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 40));
    if (i % 20 == 7) {
      args.null_text();
    } else {
      args.text(token("klmnopqrstuvwxyz~", 60));
    }
    b.log(0, 16, kT + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

// Skewed numbers, answers and steps of two statements that follow each other, in columns of entropy codes: with
// contexts and without, of values and of differences, with open bits.
std::string entropy_codes() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "answer {} in {} us", "im").site(17, Level::kDebug, "at {} of {}", "lj");
  b.thread(0, 1, "main");
  std::uint32_t random = 1;
  const auto below = [&random](std::uint32_t n) { return (random = random * 1664525 + 1013904223) / 65536 % n; };
  std::uint64_t time = kT;
  std::int64_t at = -5000;
  for (int i = 0; i < 3003; ++i) {
    time += 1000 + (below(8) == 0 ? below(4000) : below(4));
    if (i % 3 == 0 && below(20) != 0) {
      const std::int32_t answer = below(10) != 0 ? 200 : below(2) != 0 ? 404 : 500;
      b.log(0, 16, time, Args().i32(answer).u64(below(500) << below(6) * below(4)));
    } else {
      at += below(12) == 0 ? -static_cast<std::int64_t>(below(300)) : 10 * below(3);
      b.log(0, 17, time, Args().add('l', at).add('j', below(4) * below(4) * below(4)));
    }
  }
  return b.end().bytes();
}

// Thirty statements of three combinations of types, with a few records each, beside one that is logged often.
std::string stacks() {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(46, Level::kInfo, "often {}", "i");
  for (std::uint32_t site = 16; site < 46; ++site) {
    const std::string number = std::to_string(site);
    if (site % 3 == 0) b.site(site, Level::kDebug, "nothing " + number, "");
    if (site % 3 == 1) b.site(site, Level::kInfo, "number {} " + number, "l");
    if (site % 3 == 2) b.site(site, Level::kWarn, "text {} of {} " + number, "Sd");
  }
  std::uint64_t t = kT;
  for (std::uint32_t i = 0; i < 120; ++i) {
    const std::uint32_t site = 16 + i * i % 31 % 30;
    Args args;
    if (site % 3 == 1) args.add<std::int64_t>('l', std::int64_t{i} * i - 1000);
    if (site % 3 == 2) {
      if (i % 7 == 0) {
        args.null_text();
      } else {
        args.text("client " + std::to_string(i % 5));
      }
      args.f64(i / 4.0);
    }
    b.log(0, site, t += 1000, args);
    b.log(0, 46, t += 1, Args().i32(static_cast<std::int32_t>(i)));
  }
  return b.end().bytes();
}

// What a later version may leave: records of protocol sites that this one does not know, a message of one that has its
// dictionary entry, and a block of an unknown type.
std::string protocol_records() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main");
  b.site(9, Level::kNotice, "span of {} ns", "m");
  b.log(0, 16, kT, Args().i32(0)).log(0, 9, kT + 1, Args().u64(250)).log(0, 16, kT + 2, Args().i32(1)).flush();
  ByteBuffer records;
  const std::uint8_t mark[8] = {14, 0, 0, 0, 1};
  const std::uint8_t span[24] = {7, 0, 0, 0, 3, 0, 0, 0, 1};
  format::append_protocol_record(records, {1, 0, 3, 80, mark});
  format::append_protocol_record(records, {1, 0, 3, 88, span});
  b.block(format::BlockType::kProtocol, records);
  b.block(static_cast<format::BlockType>(200), records);
  return b.log(0, 16, kT + 3, Args().i32(2)).end().bytes();
}

// Records with and without fields of context, in columns and in rows.
std::string context() {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "read {bytes} from {name}", "jS");
  const std::uint32_t request = wire::kFirstContextSite + 5;
  const std::uint32_t both = wire::kFirstContextSite + 9;
  b.site_in_context(request, 16, "m", {"request_id"}).site_in_context(both, 16, "mS", {"request_id", "user"});
  b.site(17, Level::kWarn, "slow: %d", "i", 0, wire::Style::kPrintf).site_in_context(both + 1, 17, "S", {"user"});
  std::uint64_t t = kT;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint64_t id = 7 + i / 10;
    const std::string user = i % 30 < 15 ? "ann" : "bob";
    Args args;
    args.add('j', i * 100).text("disk" + std::to_string(i % 3));
    if (i % 5 == 0) {
      b.log(0, 16, t += 1000, args);
    } else if (i % 5 < 4) {
      b.log(0, request, t += 1000, Args(args).u64(id));
    } else {
      b.log(0, both, t += 1000, Args(args).u64(id).text(user));
    }
    if (i % 20 == 0) b.log(0, both + 1, t += 1000, Args().i32(static_cast<std::int32_t>(i)).text(user));
  }
  return b.end().bytes();
}

// Secrets of every kind of column, beside what is none; in columns, in a stack, in rows.
std::string secrets() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site_with_meanings(16, "{user} has {pin:>12} {key} {took} {share} {list}", "SiSldS",
                       {{1, "!"}, {2, "!"}, {3, "!ms"}, {4, "!%"}, {5, "![h"}});
  b.site_with_meanings(17, "wide {wide}, constant {same}, none {none}", "oiS", {{0, "!"}, {1, "!"}, {2, "!"}});
  b.site_with_meanings(18, "at {at}, {side}", "lh", {{0, "!@ms"}, {1, "!=1 buy,2 sell"}});
  b.site_with_meanings(19, "at {at}, {side}", "lh", {{0, "@ms"}, {1, "!=1 buy,2 sell"}});
  std::uint64_t t = kT;
  for (int i = 0; i < 40; ++i) {
    b.log(0, 16, t += 1000,
          Args()
              .text(i % 2 == 0 ? "ada" : "bob")
              .i32(i * 37)
              .text(std::string(static_cast<std::size_t>(i % 7), 'k'))
              .add<std::int64_t>('l', i * i)
              .f64(0.5 * i)
              .text(std::string(static_cast<std::size_t>(i % 3), '\x07')));
  }
  for (int i = 0; i < 3; ++i) {
    b.log(0, 17, t += 1000, Args().add('o', static_cast<unsigned __int128>(i) << 100).i32(7).null_text());
    b.log(0, 18, t += 1000, Args().add<std::int64_t>('l', 1'800'000'000'000 + i).add<std::uint8_t>('h', i));
    b.log(0, 19, t += 1000, Args().add<std::int64_t>('l', 1'800'000'000'000 + i).add<std::uint8_t>('h', i));
  }
  b.flush();
  b.log(0, 16, t += 1000, Args().text("eve").i32(1).text("one").add<std::int64_t>('l', 2).f64(3).text("\x04"));
  return b.end().bytes();
}

// Numbers with meanings, in columns; some that are none, and some that print no meaning.
std::string meanings() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site_with_meanings(16, "took {took} at {at}, {side}, {size}", "llhm",
                       {{0, "ms"}, {1, "@ns"}, {2, "=0 buy,1 sell,255 neither"}, {3, "B"}});
  b.site_with_meanings(17, "[{0:>9}] [{0:*^9}] [{0:d}] [{0:05}] [{0:+}] [{0:x}]", "i", {{0, "us"}});
  b.site_with_meanings(18, "{} {:.2} {:.3f} {:8}|", "ddfd", {{0, "s"}, {1, "[60/1]s"}, {2, "ms"}, {3, "%"}});
  b.site_with_meanings(19, "{} {} {} {} {}", "lltla",
                       {{0, "@us"}, {1, "@s"}, {2, "@d"}, {3, "@ms"}, {4, "=-1 minus,1 plus"}});
  b.site_with_meanings(20, "no meanings: {} {} {} {}", "Sllb",
                       {{0, "ms"}, {1, "@fortnight"}, {2, "=x y"}, {3, "=1 yes"}});
  b.site_with_meanings(21, "{} {}", "SS", {{0, "[i"}, {1, "[hms"}});
  std::uint64_t t = kT;
  for (std::int64_t i = -2; i < 40; ++i) {
    b.log(0, 16, t += 1000,
          Args()
              .add('l', i * i * i)
              .add('l', 1'800'000'000'000'000'000 + i * 123'456'789)
              .add('h', static_cast<std::uint8_t>(i < 0 ? 255 : i % 3))
              .u64(512));
  }
  for (const std::int32_t i : {0, 7, -250, 1'000'000}) b.log(0, 17, t += 1000, Args().i32(i));
  b.log(0, 18, t += 1000, Args().f64(1.5).f64(0.125).add('f', 2.5F).f64(99.5));
  b.log(0, 18, t += 1000, Args().f64(1e20).f64(-1).add('f', 0.F).f64(0.1));
  b.log(0, 19, t += 1000,
        Args()
            .add<std::int64_t>('l', -1)
            .add<std::int64_t>('l', 951'782'400)
            .add<std::uint16_t>('t', 20'000)
            .add<std::int64_t>('l', 1)
            .add<std::int8_t>('a', -1));
  b.log(0, 20, t += 1000, Args().text("five").add<std::int64_t>('l', 5).add<std::int64_t>('l', 6).add('b', true));
  using namespace std::string_literals;
  b.log(0, 21, t += 1000, Args().text("\x01\0\0\0\xFE\xFF\xFF\xFF"s).text("\x0F\xFF"));
  b.log(0, 21, t += 1000, Args().text("").null_text());
  return b.end().bytes();
}

// Optionals and variants, in columns, with a context after their flags, in rows; flags that are none.
std::string absent_values() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site_with_meanings(17, "{qty} of {name} in {took} at {price:.2f} {side}{list}", "iSldhSbbbbbb",
                       {{2, "ms"}, {4, "=1 buy,2 sell"}, {5, "[h"}}, {"?0", "?1", "?2", "?3", "?4", "?5"});
  b.site_in_context((1u << 31) + 1, 17, "S", {"request"});
  b.site_with_meanings(19, "got variant({v.int}{v.string}{v.char}) {n}", "iScjh", {}, {"|0,3"});
  b.site_with_meanings(21, "no flags: {} {} {}", "iiiibbhhb", {}, {"?0", "?3", "?1x", "|2,2", "|1,0", "?"});
  b.site_with_meanings(23, "{pin} {wide}", "iobb", {{0, "!"}}, {"?0", "?1"});
  std::uint64_t t = kT;
  const auto order = [&](int i, std::uint32_t site) {
    const auto there = [i](int k) { return (i + k) % (k + 2) != 0; };
    Args args;
    args.i32(there(0) ? i : 0);
    there(1) ? args.text("a\"" + std::to_string(i % 3)) : args.null_text();
    args.add<std::int64_t>('l', there(2) ? i * 15 : 0).f64(there(3) ? 0.25 * i : 0);
    args.add<std::uint8_t>('h', there(4) ? 1 + i % 3 : 0);
    there(5) ? args.text(std::string(static_cast<std::size_t>(i % 3), '\x07')) : args.null_text();
    for (int k = 0; k < 6; ++k) args.add('b', there(k));
    if (site != 17) args.text("r7");
    b.log(0, site, t += 1000, args);
  };
  for (int i = 0; i < 60; ++i) order(i, i % 5 == 4 ? (1u << 31) + 1 : 17);
  for (int i = 0; i < 40; ++i) {
    Args args;
    args.i32(i % 4 == 0 ? i : 0);
    i % 4 == 1 ? args.text("text") : args.null_text();
    args.add('c', static_cast<std::uint8_t>(i % 4 == 2 ? 'q' : 0)).add<std::uint32_t>('j', i);
    b.log(0, 19, t += 1000, args.add<std::uint8_t>('h', i % 4 == 3 ? 255 : i % 4));
  }
  b.log(0, 21, t += 1000,
        Args()
            .i32(1)
            .i32(2)
            .i32(3)
            .i32(0)
            .add('b', false)
            .add('b', false)
            .add<std::uint8_t>('h', 9)
            .add<std::uint8_t>('h', 9)
            .add('b', false));
  for (int i = 0; i < 3; ++i) {
    b.log(0, 23, t += 1000,
          Args().i32(7).add('o', static_cast<unsigned __int128>(i) << 70).add('b', i == 1).add('b', i != 0));
  }
  b.flush();
  order(1, 17);
  b.log(0, 19, t += 1000,
        Args().i32(-1).null_text().add<std::uint8_t>('c', 0).add<std::uint32_t>('j', 9).add<std::uint8_t>('h', 0));
  return b.end().bytes();
}

void run(const std::filesystem::path& directory) {
  write(directory, "symbol_strings", symbol_strings());
  write(directory, "letter_strings", letter_strings());
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
  // What another file got instead: padding of the same size, and of the least size that a block can have.
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
  behind_torn.log(0, 16, kT + 1000).end();
  write(directory, "session_behind_torn_tail", behind_torn.bytes());
  FileBuilder dropped;
  dropped.session().site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main").log(0, 16, kT, Args().i32(0));
  dropped.log(0, wire::kSiteDropped, kT + 1, Args().u64(12).u64(kT)).log(0, 16, kT + 2, Args().i32(13)).end(12);
  write(directory, "dropped", dropped.bytes());
  FileBuilder died;
  died.session().site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main").log(0, 16, kT, Args().i32(0)).flush();
  died.thread(2 * (1u << 16), 1, "main")
      .log(2 * (1u << 16), wire::kSiteDied, kT + 1,
           Args().u64(4242).text("testprog").text("2027-01-15T08:00:00.000Z").text("1 of its records is missing"));
  died.log(0, wire::kSiteDropped, kT + 1, Args().u64(1).u64(kT)).end(1, true);
  write(directory, "died", died.bytes());
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
