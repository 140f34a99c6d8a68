#include "real/rates.h"

#include <fcntl.h>
#include <steno/session.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/harness.h"
#include "common/ring_consumer.h"
#include "real/write_log.h"

namespace steno::bench {
namespace {

constexpr int kTimes = 2;  // each line is logged so often

class RawFile {
 public:
  explicit RawFile(const std::string& path)
      : fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
    if (fd_ < 0) fail();
  }
  ~RawFile() { ::close(fd_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  void write(const char* data, std::size_t size) {
    bytes_ += size;
    while (size != 0) {
      const ssize_t n = ::write(fd_, data, size);
      if (n <= 0) fail();
      data += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  std::size_t bytes() const { return bytes_; }

 private:
  [[noreturn]] static void fail() {
    std::perror("the raw copy");
    std::exit(1);
  }

  int fd_;
  std::size_t bytes_ = 0;
};

void log(const Stream& stream) {
  for (int i = 0; i < kTimes; ++i) stream.log();
}

}  // namespace

Rates measure_rates(const LogKind& kind, const std::string& path, std::size_t lines, int repeats) {
  pin(0);
  const auto stream = kind.stream(0);
  stream->draw(lines);
  steno::set_level(Level::kTrace);
  const double messages = static_cast<double>(lines) * kTimes;
  const auto rate_since = [&](double begin) { return messages / (seconds_now() - begin) / 1e6; };
  std::vector<double> alone;
  std::vector<double> raw;
  std::vector<double> ours[2];  // without and with keep_up
  std::vector<double> scribe[2];
  std::vector<double> bytes;
  Rates rates;
  for (int r = 0; r < repeats; ++r) {
    {
      const RingConsumer discard;
      const double begin = seconds_now();
      log(*stream);
      alone.push_back(rate_since(begin));
    }
    {
      RawFile file(path);
      double begin = 0;
      {
        const RingConsumer copy([&](const char* data, std::size_t size) { file.write(data, size); });
        begin = seconds_now();
        log(*stream);
      }
      raw.push_back(rate_since(begin));
      rates.raw_bytes = static_cast<double>(file.bytes()) / messages;
    }
    for (const bool keep_up : {false, true}) {
      start_real_log(path, cpu(1), keep_up);
      steno::prepare_thread();
      const double begin = seconds_now();
      log(*stream);
      (void)steno::flush();
      ours[keep_up].push_back(rate_since(begin));
      const Stats stats = steno::stats();
      scribe[keep_up].push_back(static_cast<double>(stats.scribe_cpu_ns) / messages);
      if (keep_up) bytes.push_back(static_cast<double>(stats.bytes) / messages);
      steno::stop();
    }
  }
  ::unlink(path.c_str());
  rates.alone = median(alone);
  rates.raw_copy = median(raw);
  rates.steno = median(ours[1]);
  rates.scribe_ns = median(scribe[1]);
  rates.bytes = median(bytes);
  rates.steno_full = median(ours[0]);
  rates.scribe_full_ns = median(scribe[0]);
  return rates;
}

}  // namespace steno::bench
