// A program that logs what it sends and receives: pieces of JSON.
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"
#include "real/words.h"

namespace steno::bench {
namespace {

constexpr std::array<const char*, 6> kEvents = {"order.created", "order.paid",  "cart.updated",
                                                "user.login",    "user.logout", "mail.sent"};

struct Json {
  struct Line {
    bool received;
    std::string_view body;
    std::uint64_t bytes;
    const char* topic;
  };

  explicit Json(Draw& pool) : names(make_words(pool, 3'000)) {}

  Line next(Draw& draw, Texts& texts) {
    const std::size_t event = draw.pick(events);
    const std::string body = event < 3 ? order(draw, event) : user(draw, event);
    return {draw.chance(0.7), texts.keep(body), body.size(), kEvents[event]};
  }

  std::string order(Draw& draw, std::size_t event) {
    std::string out;
    auto to = std::back_inserter(out);
    fmt::format_to(to, R"({{"event":"{}","id":{},"user":{},"items":[)", kEvents[event],
                   40'000'000 + draw.below(9'000'000), draw.below(200'000));
    for (std::size_t n = 1 + draw.pick(item_counts); n != 0; --n) {
      fmt::format_to(to, R"({{"sku":"{:c}{:c}-{:05}","qty":{},"price":{}.{:02}}}{})", 'A' + draw.below(26),
                     'A' + draw.below(26), draw.below(100'000), 1 + draw.pick(item_counts), draw.below(200),
                     draw.chance(0.7) ? 99 : draw.below(100), n > 1 ? "," : "");
    }
    fmt::format_to(to, R"(],"paid":{},"note":{}}})", draw.chance(0.8),
                   draw.chance(0.9) ? "null" : "\"" + name(draw) + "\"");
    return out;
  }

  std::string user(Draw& draw, std::size_t event) {
    return fmt::format(
        R"({{"event":"{}","user":{{"id":{},"name":"{} {}","mail":"{}@{}.example"}},"session":"{:08x}{:08x}","at":"2026-11-{:02}T{:02}:{:02}:{:02}.{:03}Z"}})",
        kEvents[event], draw.below(200'000), name(draw), name(draw), name(draw), name(draw), draw.below(1ull << 32),
        draw.below(1ull << 32), 1 + draw.below(30), draw.below(24), draw.below(60), draw.below(60), draw.below(1'000));
  }

  const std::string& name(Draw& draw) { return names.get(draw.pick(which_name), draw); }

  static void write(const Line& l, std::string* text) {
    if (l.received) {
      BENCH_LINE(text, DEBUG, "received {bytes} bytes on {topic}: {body}", l.bytes, l.topic, l.body);
    } else {
      BENCH_LINE(text, DEBUG, "sent {body}", l.body);
    }
  }

  Pool<std::string> names;
  Choice which_name = Choice::zipf(3'000, 0.8);
  Choice events{{20, 15, 30, 20, 10, 5}};
  Choice item_counts{{60, 20, 10, 5, 3, 2}};
};

}  // namespace

std::unique_ptr<Stream> json_stream(unsigned thread) {
  return make_stream<Json>(thread);
}

}  // namespace steno::bench
