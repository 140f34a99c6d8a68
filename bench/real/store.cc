// An embedded store as LevelDB is one: gets and puts of zero-padded keys, reads of blocks one after the other, cache
// lookups, compactions. Many records, little in each.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"

namespace steno::bench {
namespace {

constexpr std::array<const char*, 4> kPlaces = {"table", "memtable", "nothing", "immutable memtable"};

struct Store {
  enum Site : std::uint8_t { kGet, kPut, kRead, kCache, kMerge, kSeek, kTable, kCompact };
  struct Line {
    Site site;
    bool hit;
    int level;
    std::string_view key;
    const char* place;
    std::uint64_t file, offset, size;
  };

  explicit Store(Draw&) {}

  Line next(Draw& draw, Texts& texts) {
    // Stores do one thing for a while.
    if (!draw.chance(0.6)) site = static_cast<Site>(draw.pick(sites));
    Line line{};
    line.site = site;
    switch (site) {
      case kGet:
        line.key = texts.keep(fmt::format("{:016}", draw.below(kKeys)));
        line.place = kPlaces[draw.pick(places)];
        break;
      case kPut:
        line.key = texts.keep(fmt::format("{:016}", draw.below(kKeys)));
        line.size = 100;
        line.offset = ++sequence;
        break;
      case kRead:
        line.file = reading;
        line.offset = at;
        line.size = 4'080 + draw.below(32);
        at += line.size + 5;
        if (at > kTableBytes) {
          at = 0;
          ++reading;
        }
        break;
      case kCache:
        line.file = newest - draw.pick(recent);
        line.offset = draw.below(kTableBytes / 4'096);
        line.hit = draw.chance(0.9);
        break;
      case kMerge:
        merged += 96 + draw.below(64);
        line.offset = merged;
        line.size = draw.below(8);
        break;
      case kSeek:
        line.offset = ++seeks;
        line.file = newest - draw.pick(recent);
        line.level = static_cast<int>(draw.pick(levels));
        break;
      case kTable:
        line.file = ++newest;
        line.size = kTableBytes + draw.below(16'384);
        line.offset = 18'000 + draw.below(1'024);
        line.level = static_cast<int>(draw.pick(levels));
        break;
      case kCompact:
        line.level = static_cast<int>(draw.pick(levels));
        line.file = 1 + draw.below(4);
        line.offset = 4 + draw.below(12);
        break;
    }
    return line;
  }

  static void write(const Line& l, std::string* text) {
    switch (l.site) {
      case kGet:
        BENCH_LINE(text, DEBUG, "get {key}: in {place}", l.key, l.place);
        break;
      case kPut:
        BENCH_LINE(text, DEBUG, "put {key}, {bytes} bytes, sequence {sequence}", l.key, l.size, l.offset);
        break;
      case kRead:
        BENCH_LINE(text, TRACE, "read table {table} at {offset}: {bytes} bytes", l.file, l.offset, l.size);
        break;
      case kCache:
        BENCH_LINE(text, TRACE, "block {block} of table {table} cached: {hit}", l.offset, l.file, l.hit);
        break;
      case kMerge:
        BENCH_LINE(text, DEBUG, "merged {entries} entries, {dropped} of them old", l.offset, l.size);
        break;
      case kSeek:
        BENCH_LINE(text, TRACE, "iterator {id} seeks in table {table} of level {level}", l.offset, l.file, l.level);
        break;
      case kTable:
        BENCH_LINE(text, INFO, "table {table} of level {level} is written: {entries} entries, {bytes} bytes", l.file,
                   l.level, l.offset, l.size);
        break;
      case kCompact:
        BENCH_LINE(text, NOTICE, "compacting {upper} files of level {level} with {lower} of the next", l.file, l.level,
                   l.offset);
        break;
    }
  }

  static constexpr std::uint64_t kKeys = 1'000'000;
  static constexpr std::uint64_t kTableBytes = 2 << 20;
  Site site = kGet;
  std::uint64_t sequence = 0, reading = 5, at = 0, newest = 120, merged = 0, seeks = 0;
  Choice sites{{8, 6, 36, 14, 20, 14, 0.1, 0.02}};
  Choice places{{75, 15, 8, 2}};
  Choice levels{{5, 10, 20, 40, 25}};
  Choice recent = Choice::zipf(100, 1.0);
};

}  // namespace

std::unique_ptr<Stream> store_stream(unsigned thread) {
  return make_stream<Store>(thread);
}

}  // namespace steno::bench
