#include "query/logs.h"

#include <steno/log.h>
#include <steno/session.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

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
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_ = 0x2545F4914F6CDD1D;
};

}  // namespace

void write_hello_log(const std::string& path, std::size_t messages, unsigned percent, bool counting) {
  start_session(path);
  Fast random;
  unsigned share = 0;
  for (std::size_t i = 0; i < messages; ++i) {
    const int argument = counting ? static_cast<int>(i) : static_cast<int>(random.next() >> 1);
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

void write_word_log(const std::string& path, std::size_t messages, std::size_t rare) {
  static const std::array<const char*, 8> kHosts = {"db-1.example", "db-2.example", "cache-7.example", "web-3.example",
                                                    "queue-2.example", "mail.example", "auth-1.example", "dns.example"};
  start_session(path);
  Fast random;
  const std::size_t every = rare != 0 ? messages / rare : messages + 1;
  for (std::size_t i = 0; i < messages; ++i) {
    const char* host = i % every == every / 2 ? "xylophone.example" : kHosts[random.next() & 7];
    switch (random.next() & 3) {
      case 0:
        STENO_INFO("opened session with coordinator at {} on port {}", host, static_cast<int>(random.next() & 0xFFFF));
        break;
      case 1:
        STENO_INFO("request {id} for {host} took {us} us", i, host, static_cast<int>(random.next() & 0xFFF));
        break;
      case 2:
        STENO_INFO("cache of {host} holds {} entries", host, static_cast<int>(random.next() & 0xFFFFF));
        break;
      default:
        STENO_INFO("heartbeat of {host}, load {}", host, static_cast<int>(random.next() % 100));
        break;
    }
  }
  steno::stop();
}

std::uint64_t write_text(const std::string& steno, const std::string& log, const std::string& text) {
  const std::string command = "'" + steno + "' cat --no-sort '" + log + "' > '" + text + "'";
  if (std::system(command.c_str()) != 0) return 0;
  std::error_code error;
  const auto size = std::filesystem::file_size(text, error);
  return error ? 0 : size;
}

}  // namespace steno::bench
