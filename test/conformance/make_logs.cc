// make_logs DIRECTORY: random logs that want every codec, type and kind of clock, to be read by two readers.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "../query/random_log.h"

namespace steno::test {
namespace {

using Random = std::mt19937_64;

struct Shape {
  const char* name;
  std::function<std::uint64_t(Random&, std::size_t)> value;
};

const Shape kShapes[] = {
    {"random", [](Random& random, std::size_t) { return random() >> random() % 64; }},
    {"small", [](Random& random, std::size_t) { return random() % 100; }},
    {"negative", [](Random& random, std::size_t) { return std::uint64_t{0} - random() % 50; }},
    {"growing", [](Random& random, std::size_t i) { return 1000 * i + random() % 300; }},
    {"multiples", [](Random& random, std::size_t) { return random() % 1000 * 26; }},
    {"outliers", [](Random& random, std::size_t) { return random() % 50 == 0 ? random() : random() % 8; }},
    {"wide", [](Random& random, std::size_t) { return random() >> 20; }},
    {"few", [](Random& random, std::size_t) { return (random() % 5) * 0x123456789ABCDEF; }},
    {"constant", [](Random&, std::size_t) { return std::uint64_t{200}; }},
    {"edges", [](Random& random, std::size_t) { return random() % 2 == 0 ? INT64_MAX : std::uint64_t{1} << 63; }},
};

std::string text_of(std::uint64_t v, std::size_t unit) {
  std::string text(v % 7 * unit, '\0');
  for (std::size_t i = 0; i < text.size(); i += unit) text[i] = static_cast<char>('a' + (v >> i % 8) % 26);
  if (unit == 1 && v % 11 == 0) text += "\xC3\xA4\xFF";
  return text;
}

std::string hex_of(std::uint64_t v) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
  return text;
}

std::string sentence(Random& random) {
  static constexpr const char* kWords[] = {"connection", "refused", "by", "the", "other", "side", "after", "try"};
  std::string text = std::to_string(random() % 100);
  for (auto words = random() % 20; words > 0; --words) text += " ,;:"[random() % 4] + std::string(kWords[random() % 8]);
  return text;
}

Args all_of(std::uint64_t v, Random& random) {
  Args args;
  args.add('b', static_cast<std::uint8_t>(v & 1)).add('c', static_cast<std::uint8_t>(v));
  args.add('a', static_cast<std::int8_t>(v)).add('s', static_cast<std::int16_t>(v)).i32(static_cast<std::int32_t>(v));
  args.add('l', static_cast<std::int64_t>(v)).add('h', static_cast<std::uint8_t>(v));
  args.add('t', static_cast<std::uint16_t>(v)).add('j', static_cast<std::uint32_t>(v)).u64(v).add('p', v);
  args.add('u', static_cast<std::uint16_t>(v)).add('w', static_cast<std::uint32_t>(v % 0x120000));
  const double number = static_cast<double>(static_cast<std::int64_t>(v % 100'000)) / 100;
  args.add('f', static_cast<float>(number)).f64(random() % 20 == 0 ? std::sqrt(number) : number);
  args.add('n', static_cast<__int128>(static_cast<std::int64_t>(v)) * 3)
      .add('o', static_cast<unsigned __int128>(v) << 9);
  v % 13 == 0 ? args.null_text() : args.text(text_of(v, 1));
  args.text(sentence(random));
  args.text("user:" + std::to_string(v % 1'000'000'000) + "/" + std::to_string(random() % 256) + ".0x" + hex_of(v));
  args.text(text_of(v, 2), 'U').text(text_of(v / 3, 4), 'W').add('E', static_cast<std::int32_t>(v % 100));
  return args;
}

// Returns a log in blocks that share strings.
std::string shaped_log(const Shape& shape, std::size_t n, bool rows) {
  Random random(n + rows);
  FileBuilder b(rows, true);
  b.session().thread(0, 1, "main").thread(1, 2, "").logger(1, "net");
  b.site(16, Level::kInfo, "%d %c %d %d %d %ld %u %u %u %lu %p %c %c %g %g %d %u %s %s %s %s %s %m",
         "bcasilhtjmpuwfdnoSSSUWE", 0, wire::Style::kPrintf);
  for (std::size_t i = 0; i < n; ++i) {
    b.log(i % 7 == 0 ? 1 : 0, 16, FileBuilder::kStart + 17 * i, all_of(shape.value(random, i), random), i % 5 == 0);
    if (i % 150 == 149) b.flush();
    if (i % 400 == 399) b.begin_stretch();
  }
  return b.end().bytes();
}

// Ticks of a counter, and clock points around them or none.
std::string dated_log(std::uint32_t seed) {
  Random random(seed);
  FileBuilder b;
  format::SessionBlock session;
  session.session_id = 7;
  session.start_wall = FileBuilder::kStart;
  session.clock_kind = 1 + seed % 5;
  session.ns_per_tick = 0.3 + static_cast<double>(random() % 1000) / 700;
  b.session(session).thread(0, 1, "t").site(16, Level::kInfo, "tick", "");
  std::vector<format::ClockPoint> points;
  std::uint64_t ticks = 1'000'000;
  std::int64_t wall = FileBuilder::kStart;
  for (std::uint64_t i = random() % 5; i > 0; --i) {
    format::ClockPoint point;
    point.ticks = ticks;
    point.wall_ns = wall;
    point.ns_per_tick = session.ns_per_tick * (1 + static_cast<double>(random() % 100) / 1e6);
    point.flags = random() % 4 == 0 ? format::ClockPoint::kStepped : 0;
    points.push_back(point);
    if (random() % 4 == 0) continue;  // the next one is of the same tick
    ticks += random() % 1'000'000;
    wall += static_cast<std::int64_t>(random() % 500'000) - 60'000;
  }
  if (!points.empty()) b.clock(points);
  for (int i = 0; i < 300; ++i) {
    b.log(0, 16, session.clock_kind == 3 ? FileBuilder::kStart + i : random() % (ticks + 2'000'000));
    if (i % 100 == 50) b.flush();
  }
  return b.end().bytes();
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void run(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const std::string name = "log_" + std::to_string(seed) + ".steno";
    write(directory / name, random_log(seed, seed % 2 != 0, 6, 600).bytes);
  }
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    write(directory / ("clock_" + std::to_string(seed) + ".steno"), dated_log(seed));
  }
  for (const Shape& shape : kShapes) {
    for (const std::size_t n : {1u, 50u, 100u, 700u}) {
      const std::string name = shape.name + ("_" + std::to_string(n));
      write(directory / (name + ".steno"), shaped_log(shape, n, false));
      if (n == 50) write(directory / (name + "_rows.steno"), shaped_log(shape, n, true));
    }
  }
}

}  // namespace
}  // namespace steno::test

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  steno::test::run(argv[1]);
}
