// Patterns, and what formats lines (steno/spdlog.h).
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "steno/spdlog/common.h"

#include "steno/detail/begin.h"

namespace spdlog {

namespace details {

// spdlog's pattern as steno's. `named`: %n has something to show.
inline std::string pattern_of(const std::string& pattern, bool named) {
  const std::string flags = pattern == "%+" || pattern.empty() ? "[%Y] [%n] [%l] %v" : pattern;
  std::string out;
  bool time = false;    // the last field was one of a time
  std::string between;  // text after it, which goes if another one follows
  const auto text = [&](char c) {
    std::string& to = time ? between : out;
    to += c;
    if (c == '{' || c == '}') to += c;
  };
  const auto field = [&](std::string_view name) {
    out += std::exchange(between, "");
    time = false;
    out += name;
  };
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != '%') {
      text(flags[i]);
      continue;
    }
    while (++i < flags.size() && std::string_view("-=!0123456789").find(flags[i]) != std::string_view::npos &&
           !(flags[i] == '!' && (i + 1 == flags.size() || flags[i + 1] < '0' || flags[i + 1] > '9'))) {
    }
    if (i >= flags.size()) break;
    switch (flags[i]) {
      case 'v':
        field("{message}");
        break;
      case 'n':
        if (named) {
          field("{logger}");
        } else if (i >= 2 && i + 2 < flags.size() && flags[i - 2] == '[' && flags.compare(i + 1, 2, "] ") == 0) {
          std::string& to = time ? between : out;  // "[%n] "
          to.pop_back();
          i += 2;
        }
        break;
      case 'l':
      case 'L':
        field("{level}");
        break;
      case 't':
        field("{tid}");
        break;
      case 'P':
        field("{pid}");
        break;
      case 's':
        field("{basename}");
        break;
      case 'g':
        field("{file}");
        break;
      case '#':
        field("{line}");
        break;
      case '!':
        field("{function}");
        break;
      case '@':
        field("{basename}:{line}");
        break;
      case '^':
      case '$':
        break;
      case '%':
        text('%');
        break;
      default:  // of the time
        if (!time) field("{time}");
        between.clear();
        time = true;
        break;
    }
  }
  return out + between;
}

inline std::string& global_pattern() {
  static std::string pattern = "%+";
  return pattern;
}

}  // namespace details

// Taken, and not asked: lines are made by patterns.
class formatter {
 public:
  virtual ~formatter() = default;
  virtual void format(const details::log_msg& message, memory_buf_t& out) { out.append(message.payload); }
  virtual std::unique_ptr<formatter> clone() const { return std::make_unique<formatter>(); }
};
class custom_flag_formatter {
 public:
  virtual ~custom_flag_formatter() = default;
  virtual void format(const details::log_msg& message, const std::tm& time, memory_buf_t& out) = 0;
  virtual std::unique_ptr<custom_flag_formatter> clone() const = 0;
};
class pattern_formatter : public formatter {
 public:
  explicit pattern_formatter(std::string pattern = "%+") : pattern_(std::move(pattern)) {}
  template <class Flag, class... Args>
  pattern_formatter& add_flag(char, Args&&...) {
    return *this;
  }
  void set_pattern(std::string pattern) { pattern_ = std::move(pattern); }
  const std::string& pattern() const { return pattern_; }
  std::unique_ptr<formatter> clone() const override { return std::make_unique<pattern_formatter>(pattern_); }

 private:
  std::string pattern_;
};

}  // namespace spdlog

#include "steno/detail/end.h"
