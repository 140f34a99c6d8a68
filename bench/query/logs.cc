#include "query/logs.h"

#include <steno/log.h>
#include <steno/session.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "query/commands.h"

namespace steno::bench {
namespace {

void start_session(const std::string& path) {
  Options options;
  options.path = path;
  std::remove(path.c_str());
  if (!steno::start(options)) {
    std::fprintf(stderr, "cannot log to %s\n", path.c_str());
    std::exit(1);
  }
}

// A generator that keeps up with a log call.
class Fast {
 public:
  std::uint64_t next64() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::uint32_t next() { return static_cast<std::uint32_t>(next64() >> 32); }

 private:
  std::uint64_t state_ = 0x2545F4914F6CDD1D;
};

// Sixteen letters of 'a' .. 'p', not the same twice.
class Token {
 public:
  std::string_view next(Fast* random) {
    const std::uint64_t bits = random->next64();
    const std::uint64_t low = bits & 0x0F0F0F0F0F0F0F0F;
    const std::uint64_t high = bits >> 4 & 0x0F0F0F0F0F0F0F0F;
    constexpr std::uint64_t kLetters = 0x6161616161616161;
    const std::uint64_t text[2] = {low + kLetters, high + kLetters};
    std::memcpy(text_, text, sizeof text);
    return {text_, sizeof text_};
  }

 private:
  char text_[16];
};

int number(Numbers numbers, std::size_t i, Fast* random) {
  switch (numbers) {
    case Numbers::kCounting:
      return static_cast<int>(i);
    case Numbers::kRandom:
      return static_cast<int>(random->next() >> 1);
    default:
      return static_cast<int>(random->next() >> 20);
  }
}

constexpr std::array<const char*, 8> kHosts = {"db-1.example",    "db-2.example", "cache-7.example", "web-3.example",
                                               "queue-2.example", "mail.example", "auth-1.example",  "dns.example"};

void log_host(const char* host, std::size_t i, Fast* random) {
  const std::uint32_t bits = random->next();
  switch (bits & 3) {
    case 0:
      STENO_INFO("opened session with coordinator at {} on port {}", host, static_cast<int>(bits >> 16));
      break;
    case 1:
      STENO_INFO("request {id} for {host} took {us} us", i, host, static_cast<int>(bits >> 20));
      break;
    case 2:
      STENO_INFO("cache of {host} holds {} entries", host, static_cast<int>(bits >> 12));
      break;
    default:
      STENO_INFO("heartbeat of {host}, load {}", host, static_cast<int>(bits >> 25));
      break;
  }
}

}  // namespace

void write_hello_log(const std::string& path, std::size_t messages, unsigned percent, Numbers numbers) {
  start_session(path);
  Fast random;
  unsigned share = 0;
  for (std::size_t i = 0; i < messages; ++i) {
    const int argument = number(numbers, i, &random);
    share += percent;
    if (share >= 100) {
      share -= 100;
      STENO_INFO("Hello World # {}", argument);
    } else {
      STENO_INFO("UnrelatedLog #{}", argument);
    }
  }
  steno::stop();
}

void write_word_log(const std::string& path, std::size_t messages, std::size_t rare, Place place) {
  start_session(path);
  Fast random;
  Token token;
  const std::size_t every = messages / rare;
  for (std::size_t i = 0; i < messages; ++i) {
    const bool now = i % every == every / 2;
    if (place == Place::kFormat && now) {
      STENO_INFO("the xylophone of {} is out of tune", kHosts[random.next() & 7]);
    } else if (place == Place::kRaw) {
      const std::string_view text = now ? "the.xylophone.ex" : token.next(&random);
      STENO_INFO("request {id} with token {token} took {us} us", i, text, static_cast<int>(i & 0xFFF));
    } else {
      log_host(now ? "xylophone.example" : kHosts[random.next() & 7], i, &random);
    }
  }
  steno::stop();
}

std::uint64_t write_text(const std::string& steno, const std::string& log, const std::string& text) {
  const std::string command = quoted(steno) + " cat --no-sort " + quoted(log) + " > " + quoted(text);
  if (std::system(command.c_str()) != 0) return 0;
  std::error_code error;
  const auto size = std::filesystem::file_size(text, error);
  return error ? 0 : size;
}

}  // namespace steno::bench
