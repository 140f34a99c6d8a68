#include "real/write_log.h"

#include <steno/session.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

namespace steno::bench {
namespace {

constexpr std::size_t kBatch = 1024;

// Thread t's part of the records.
std::size_t share(std::size_t records, unsigned threads, unsigned t) {
  return records * (t + 1) / threads - records * t / threads;
}

struct Lines {
  std::uint64_t sum = 0;
  std::size_t count = 0;
};

Lines lines_of(const std::string& path) {
  Lines result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line); ++result.count) result.sum += std::hash<std::string>()(line);
  return result;
}

}  // namespace

void start_real_log(const std::string& path, int scribe_cpu, bool keep_up) {
  Options options;
  options.path = path;
  options.level = Level::kTrace;
  options.scribe_cpu = scribe_cpu;
  options.keep_up = keep_up;
  options.zstd_level = -1;                                                    // the bars of size are without zstd
  if (std::filesystem::is_regular_file(path)) std::filesystem::remove(path);  // no device, which root could
  if (!steno::start(options)) std::exit(1);
}

Written write_real_log(const LogKind& kind, const std::string& path, std::size_t records, unsigned threads) {
  start_real_log(path, -1, false);
  std::vector<double> bits(threads);
  std::vector<std::thread> loggers;
  for (unsigned t = 0; t < threads; ++t) {
    loggers.emplace_back([&, t] {
      steno::set_thread_name("worker-" + std::to_string(t));
      const auto stream = kind.stream(t);
      // One at a time: between two records lies what a program does, not the next record.
      for (std::size_t left = share(records, threads, t); left != 0; --left) {
        stream->draw(1);
        stream->log();
      }
      bits[t] = stream->bits();
    });
  }
  for (std::thread& logger : loggers) logger.join();
  steno::stop();
  Written written{static_cast<double>(std::filesystem::file_size(path)), 0};
  for (const double b : bits) written.entropy += b / 8;
  return written;
}

void write_real_messages(const LogKind& kind, const std::string& path, std::size_t records, unsigned threads) {
  std::ofstream file(path, std::ios::binary);
  std::string text;
  for (unsigned t = 0; t < threads; ++t) {
    const auto stream = kind.stream(t);
    for (std::size_t left = share(records, threads, t); left != 0;) {
      const std::size_t n = std::min(left, kBatch);
      stream->draw(n);
      text.clear();
      stream->append_text(&text);
      file.write(text.data(), static_cast<std::streamsize>(text.size()));
      left -= n;
    }
  }
  if (!file.flush()) {
    std::perror(path.c_str());
    std::exit(1);
  }
}

bool same_lines(const std::string& a, const std::string& b) {
  const Lines one = lines_of(a);
  const Lines other = lines_of(b);
  return one.count == other.count && one.sum == other.sum;
}

}  // namespace steno::bench
