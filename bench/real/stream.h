// Logs as real programs write them, made up: what one thread of such a program logs, in order.
//
// Each log is an *author* in a file of its own:
//
//   struct Service {
//     struct Line { ... };                                // what one record says; strings are views
//     explicit Service(Draw& pool);                       // makes its Pools, alike in all threads
//     Line next(Draw& draw, Texts& texts);                // the next record; strings of its own lie in `texts`
//     static void write(const Line&, std::string* text);  // one BENCH_LINE
//   };
//   std::unique_ptr<Stream> service_stream(unsigned thread) { return make_stream<Service>(thread); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "real/draw.h"

namespace steno::bench {

// Keeps strings where they are.
class Texts {
 public:
  std::string_view keep(std::string_view text) {
    if (text.size() > room_) more(text.size());
    char* const at = free_;
    std::memcpy(at, text.data(), text.size());
    free_ += text.size();
    room_ -= text.size();
    return {at, text.size()};
  }
  // All views end; the memory is used again.
  void clear();

 private:
  void more(std::size_t size);

  std::vector<std::vector<char>> chunks_;
  std::size_t used_ = 0;  // chunks
  char* free_ = nullptr;
  std::size_t room_ = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;
  // Draws the next `lines` lines, in place of those drawn before.
  virtual void draw(std::size_t lines) = 0;
  // Logs those lines.
  virtual void log() const = 0;
  // Appends their messages, a line each.
  virtual void append_text(std::string* text) const = 0;
  // The entropy of all that was drawn: what its choices tell, without clocks and the order of threads.
  virtual double bits() const = 0;
};

template <class Author>
class StreamOf final : public Stream {
 public:
  explicit StreamOf(unsigned thread) : author_(pool_), draw_(kSeed + 1 + thread, thread == 0) {}

  void draw(std::size_t lines) override {
    lines_.clear();
    texts_.clear();
    lines_.reserve(lines);
    for (std::size_t i = 0; i < lines; ++i) lines_.push_back(author_.next(draw_, texts_));
  }
  void log() const override {
    for (const auto& line : lines_) Author::write(line, nullptr);
  }
  void append_text(std::string* text) const override {
    for (const auto& line : lines_) Author::write(line, text);
  }
  double bits() const override { return draw_.bits(); }

 private:
  static constexpr std::uint64_t kSeed = 20'261'120;

  Draw pool_{kSeed};
  Author author_;
  Draw draw_;
  std::vector<typename Author::Line> lines_;
  Texts texts_;
};

template <class Author>
std::unique_ptr<Stream> make_stream(unsigned thread) {
  return std::make_unique<StreamOf<Author>>(thread);
}

// One kind of log.
struct LogKind {
  const char* name;
  std::unique_ptr<Stream> (*stream)(unsigned thread);
};

// All there are.
const std::vector<LogKind>& log_kinds();

std::unique_ptr<Stream> service_stream(unsigned thread);
std::unique_ptr<Stream> demo_stream(unsigned thread);
std::unique_ptr<Stream> store_stream(unsigned thread);
std::unique_ptr<Stream> varying_stream(unsigned thread);
std::unique_ptr<Stream> sql_stream(unsigned thread);
std::unique_ptr<Stream> stacks_stream(unsigned thread);
std::unique_ptr<Stream> json_stream(unsigned thread);
std::unique_ptr<Stream> hexdump_stream(unsigned thread);
std::unique_ptr<Stream> files_stream(unsigned thread);
std::unique_ptr<Stream> prose_stream(unsigned thread);
std::unique_ptr<Stream> lines_stream(unsigned thread);

}  // namespace steno::bench
