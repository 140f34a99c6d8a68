// The example server (examples/kv_server) without its work: the statements of its requests, with the keys, sizes and
// outcomes that a store of bounded size gives.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "real/line.h"
#include "real/stream.h"

namespace steno::bench {
namespace {

constexpr std::uint32_t kKeys = 200'000;
constexpr std::uint32_t kShards = 16;
constexpr std::uint64_t kShardBytes = 3 << 20;
constexpr std::array<const char*, 4> kOps = {"GET", "PUT", "DELETE", "SCAN"};

// Computes the information of a yes or no from how often it was yes so far.
class Outcome {
 public:
  double bits(bool yes) {
    ++all_;
    yes_ += yes ? 1 : 0;
    return -std::log2((yes ? yes_ : all_ - yes_) / all_);
  }

 private:
  double yes_ = 1, all_ = 2;
};

struct Demo {
  enum Site : std::uint8_t { kConnect, kRequest, kLock, kMiss, kHit, kPut, kDelete, kScan, kEvict, kResponse, kSlow };
  struct Line {
    Site site;
    bool flag;
    std::uint64_t id, bytes, count;
    std::uint32_t shard, number;
    double us;
    const char* word;
    std::string_view key;
  };
  struct Response {
    const char* status;
    std::uint64_t bytes;
  };

  explicit Demo(Draw&) : sizes(kKeys), size_bits(kKeys) {
    for (std::uint32_t shard = 0; shard < kShards; ++shard) hands[shard] = shard;
  }

  Line next(Draw& draw, Texts& texts) {
    if (at == lines.size()) {
      lines.clear();
      at = 0;
      request(draw);
    }
    Line line = lines[at++];
    line.key = line.site == kConnect
                   ? texts.keep(fmt::format("10.0.{}.{}:{}", line.count / 256, line.count % 256, 40'000 + line.count))
                   : texts.keep(fmt::format("user:{:07}", line.number));
    return line;
  }

  void request(Draw& draw) {
    if (id == 0) id = draw.below(1u << 30);
    ++id;
    Line line{};
    line.id = id;
    double before = draw.bits();
    line.count = draw.below(500);
    const double client_bits = draw.bits() - before;
    if (id % 1'000 == 0) {
      draw.count_again(client_bits);
      add(line, kConnect);
    }
    before = draw.bits();
    const std::size_t op = draw.pick(ops);
    const double op_bits = draw.bits() - before;
    before = draw.bits();
    line.number = static_cast<std::uint32_t>(draw.pick(keys) * 2'654'435'761u % kKeys);
    const double key_bits = draw.bits() - before;
    line.word = kOps[op];
    add(line, kRequest);

    line.shard = line.number % kShards;
    line.flag = draw.chance(0.02);
    line.count = entries[line.shard];
    draw.count_again(2 * std::log2(kShards));  // its number, and how many keys it has
    add(line, kLock);
    draw.count_again(op_bits + key_bits);  // the outcome, a statement for each operation, names the key
    respond(draw, line,
            op == 0   ? get(draw, line)
            : op == 1 ? put(draw, line)
            : op == 2 ? erase(draw, line)
                      : scan(draw, line));
  }

  Response get(Draw& draw, Line line) {
    line.bytes = sizes[line.number];
    draw.count_again(2 * found.bits(line.bytes != 0));  // the statement, and the response's status
    if (line.bytes == 0) {
      add(line, kMiss);
      return {"not found", 0};
    }
    draw.count_again(2 * size_bits[line.number]);  // here, and in the response
    add(line, kHit);
    return {"ok", line.bytes};
  }

  Response put(Draw& draw, Line line) {
    constexpr std::array<std::uint32_t, 3> kLeast = {16, 256, 2'048};
    constexpr std::array<std::uint32_t, 3> kRange = {240, 1'792, 14'336};
    const double before = draw.bits();
    const std::size_t kind = draw.pick(value_kinds);
    const std::uint32_t size = kLeast[kind] + draw.below(kRange[kind]);
    line.bytes = size;
    draw.count_again(replaced.bits(sizes[line.number] != 0));
    line.word = sizes[line.number] == 0 ? "new" : "replaced";
    remove(line);
    sizes[line.number] = size;
    size_bits[line.number] = draw.bits() - before;
    used[line.shard] += size;
    ++entries[line.shard];
    add(line, kPut);
    while (used[line.shard] > kShardBytes) evict(draw, line);
    return {"ok", 0};
  }

  Response erase(Draw& draw, Line line) {
    line.flag = sizes[line.number] != 0;
    draw.count_again(2 * existed.bits(line.flag));
    remove(line);
    add(line, kDelete);
    return {line.flag ? "ok" : "not found", 0};
  }

  // Evicts keys in their order, round and round.
  void evict(Draw& draw, Line line) {
    std::uint32_t& hand = hands[line.shard];
    do {
      hand = hand + kShards < kKeys ? hand + kShards : line.shard;
    } while (sizes[hand] == 0);
    line.number = hand;
    line.bytes = sizes[hand];
    draw.count_again(std::log2(kShards) + size_bits[hand]);
    remove(line);
    line.count = used[line.shard];
    add(line, kEvict);
  }

  Response scan(Draw& draw, Line line) {
    line.count = draw.chance(0.005) ? 5'000 : 1 + draw.below(20);
    line.id = line.count - draw.pick(fewer) % line.count;
    add(line, kScan);
    return {"ok", line.id * (200 + draw.below(256))};
  }

  void respond(Draw& draw, Line line, Response response) {
    line.word = response.status;
    line.bytes = response.bytes;
    line.us = static_cast<double>(draw.magnitude(8, times)) / 1'000;
    add(line, kResponse);
    if (line.us > 500) add(line, kSlow);
  }

  void remove(const Line& line) {
    std::uint32_t& size = sizes[line.number];
    if (size == 0) return;
    used[line.shard] -= size;
    --entries[line.shard];
    size = 0;
  }

  void add(Line line, Site site) {
    line.site = site;
    lines.push_back(line);
  }

  static void write(const Line& l, std::string* text) {
    switch (l.site) {
      case kConnect:
        BENCH_LINE(text, INFO, "client {client} connected from {address}", l.count, l.key);
        break;
      case kRequest:
        BENCH_LINE(text, DEBUG, "request {id} of client {client}: {op} {key}", l.id, l.count, l.word, l.key);
        break;
      case kLock:
        BENCH_LINE(text, TRACE, "locked shard {shard} of {keys} keys, contended: {contended}", l.shard, l.count,
                   l.flag);
        break;
      case kMiss:
        BENCH_LINE(text, DEBUG, "get {key}: miss", l.key);
        break;
      case kHit:
        BENCH_LINE(text, DEBUG, "get {key}: hit, {bytes} bytes", l.key, l.bytes);
        break;
      case kPut:
        BENCH_LINE(text, DEBUG, "put {key}: {bytes} bytes, {what}", l.key, l.bytes, l.word);
        break;
      case kDelete:
        BENCH_LINE(text, DEBUG, "delete {key}: {existed}", l.key, l.flag);
        break;
      case kScan:
        BENCH_LINE(text, DEBUG, "scan from {key}: {found} of {limit} keys", l.key, l.id, l.count);
        break;
      case kEvict:
        BENCH_LINE(text, NOTICE, "evicted {key} ({bytes} bytes) from shard {shard}: {used} of {capacity} used", l.key,
                   l.bytes, l.shard, l.count, kShardBytes);
        break;
      case kResponse:
        BENCH_LINE(text, INFO, "response {id}: {status}, {bytes} bytes in {us:.1f} us", l.id, l.word, l.bytes, l.us);
        break;
      case kSlow:
        BENCH_LINE(text, WARN, "slow request {id}: {key} took {ms:.3f} ms", l.id, l.key, l.us / 1000);
        break;
    }
  }

  std::vector<Line> lines;  // of the request that is on its way
  std::size_t at = 0;
  std::uint64_t id = 0;
  std::vector<std::uint32_t> sizes;  // of values; 0: not there
  std::vector<double> size_bits;
  std::array<std::uint64_t, kShards> used{};
  std::array<std::uint64_t, kShards> entries{};
  std::array<std::uint32_t, kShards> hands{};
  Outcome found, replaced, existed;
  Choice ops{{70, 22, 4, 4}};
  Choice keys = Choice::zipf(kKeys, 0.99);
  Choice value_kinds{{70, 25, 5}};
  Choice fewer{{90, 4, 3, 2, 1}};
  Choice times{{5, 20, 30, 20, 12, 6, 3, 2, 1, 0.5, 0.3, 0.2}};
};

}  // namespace

std::unique_ptr<Stream> demo_stream(unsigned thread) {
  return make_stream<Demo>(thread);
}

}  // namespace steno::bench
