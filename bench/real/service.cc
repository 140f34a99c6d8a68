// A service: request lines, lookups in a cache, spans of a trace, now and then trouble.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "real/line.h"
#include "real/stream.h"

namespace steno::bench {
namespace {

constexpr std::array<const char*, 5> kMethods = {"GET", "POST", "PUT", "DELETE", "HEAD"};
constexpr std::array<int, 8> kStatus = {200, 304, 201, 404, 204, 302, 500, 401};
constexpr std::array<const char*, 16> kWords = {"users",    "orders", "items",   "carts",   "images", "reviews",
                                                "search",   "login",  "stock",   "payment", "labels", "reports",
                                                "sessions", "feeds",  "archive", "static"};
constexpr std::array<const char*, 12> kOperations = {"render page",   "load user",    "query orders", "charge card",
                                                     "send mail",     "resize image", "update cart",  "check stock",
                                                     "write session", "read feed",    "index review", "sign token"};
constexpr std::array<const char*, 4> kFailures = {"connection refused", "timed out", "connection reset by peer",
                                                  "certificate has expired"};

struct Service {
  enum Site : std::uint8_t { kRequest, kLookup, kSpan, kPool, kRetry, kRefused };
  struct Line {
    Site site;
    bool hit;
    const char* word;
    std::string_view a, b;
    int status;
    std::uint64_t bytes, us;
  };

  explicit Service(Draw& pool)
      : paths(pool, 4'000, path),
        clients(pool, 30'000, address),
        upstreams(pool, 24, [](Draw& draw) { return address(draw) + ":8443"; }) {}

  // "/api/v2/orders/48213/items.json"
  static std::string path(Draw& draw) {
    std::string out = "/api/v" + std::to_string(1 + draw.below(3));
    for (std::uint32_t i = 0, n = 1 + draw.below(3); i < n; ++i) {
      out += std::string("/") + kWords[draw.below(kWords.size())];
      if (draw.chance(0.6)) out += "/" + std::to_string(draw.below(100'000));
    }
    if (draw.chance(0.3)) out += ".json";
    return out;
  }

  static std::string address(Draw& draw) {
    return "10." + std::to_string(draw.below(32)) + "." + std::to_string(draw.below(256)) + "." +
           std::to_string(1 + draw.below(254));
  }

  // Returns a UUID of version 4: 122 bits are random.
  static std::string_view uuid(Draw& draw, Texts& texts) {
    constexpr std::string_view kForm = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
    char text[kForm.size()];
    for (std::size_t i = 0; i < kForm.size(); ++i) {
      const char c = kForm[i];
      text[i] = c == 'x' ? "0123456789abcdef"[draw.below(16)] : c == 'y' ? "89ab"[draw.below(4)] : c;
    }
    return texts.keep({text, sizeof text});
  }

  Line next(Draw& draw, Texts& texts) {
    Line line{};
    line.site = static_cast<Site>(draw.pick(sites));
    switch (line.site) {
      case kRequest:
        line.a = texts.keep(fmt::format("{}:{}", clients.get(draw.pick(client), draw), 32'768 + draw.below(28'232)));
        line.word = kMethods[draw.pick(method)];
        line.b = paths.get(draw.pick(path_choice), draw);
        line.status = kStatus[draw.pick(status)];
        line.bytes = draw.magnitude(6, size);
        line.us = draw.magnitude(5, time);
        break;
      case kLookup:
        line.a = texts.keep(fmt::format("user:{:07}", draw.pick(key) * 7'919 % kKeys));
        line.hit = draw.chance(0.85);
        break;
      case kSpan:
        line.a = uuid(draw, texts);
        line.word = kOperations[draw.pick(operation)];
        line.us = draw.magnitude(3, time);
        break;
      case kPool:
        line.a = upstreams.get(draw.below(upstreams.size()), draw);
        line.bytes = 1 + draw.below(64);
        break;
      case kRetry:
        line.b = paths.get(draw.pick(path_choice), draw);
        line.word = kFailures[draw.below(kFailures.size())];
        line.status = static_cast<int>(1 + draw.below(3));
        break;
      case kRefused:
        line.a = upstreams.get(draw.below(upstreams.size()), draw);
        line.word = kFailures[draw.below(kFailures.size())];
        break;
    }
    return line;
  }

  static void write(const Line& l, std::string* text) {
    switch (l.site) {
      case kRequest:
        BENCH_LINE(text, INFO, "{address} {method} {path} {status}, {bytes} bytes in {us} us", l.a, l.word, l.b,
                   l.status, l.bytes, l.us);
        break;
      case kLookup:
        BENCH_LINE(text, DEBUG, "lookup of {key}: {hit}", l.a, l.hit);
        break;
      case kSpan:
        BENCH_LINE(text, INFO, "span {id}: {operation} took {us} us", l.a, l.word, l.us);
        break;
      case kPool:
        BENCH_LINE(text, DEBUG, "pool of {upstream} has {n} connections", l.a, l.bytes);
        break;
      case kRetry:
        BENCH_LINE(text, WARN, "retrying {path}, attempt {attempt}: {reason}", l.b, l.status, l.word);
        break;
      case kRefused:
        BENCH_LINE(text, ERROR, "upstream {upstream} is gone: {reason}", l.a, l.word);
        break;
    }
  }

  static constexpr std::size_t kKeys = 100'000;
  Pool<std::string> paths, clients, upstreams;
  Choice sites{{45, 25, 28, 1.5, 0.4, 0.001}};
  Choice method{{80, 12, 4, 2, 2}};
  Choice status{{85, 6, 3, 3, 1, 1, 0.5, 0.5}};
  Choice client = Choice::zipf(30'000, 0.8);
  Choice path_choice = Choice::zipf(4'000, 1.0);
  Choice key = Choice::zipf(kKeys, 0.9);
  Choice operation = Choice::zipf(kOperations.size(), 0.7);
  Choice size{{2, 5, 10, 15, 20, 15, 10, 5, 3, 1}};
  Choice time{{5, 15, 25, 20, 12, 8, 5, 3, 2, 1}};
};

}  // namespace

std::unique_ptr<Stream> service_stream(unsigned thread) {
  return make_stream<Service>(thread);
}

}  // namespace steno::bench
