// The sinks (steno/spdlog.h).
#pragma once

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "steno/spdlog/sink.h"

#include "steno/detail/begin.h"

namespace spdlog {

namespace sinks {

template <class Mutex>
struct stdout_color_sink : described::console {
  explicit stdout_color_sink(color_mode = color_mode::automatic)
      : console(steno::Console::kStdout, steno::Colour::kAuto) {}
};
template <class Mutex>
struct stderr_color_sink : described::console {
  explicit stderr_color_sink(color_mode = color_mode::automatic)
      : console(steno::Console::kStderr, steno::Colour::kAuto) {}
};
template <class Mutex>
struct stdout_sink : described::console {
  stdout_sink() : console(steno::Console::kStdout, steno::Colour::kNever) {}
};
template <class Mutex>
struct stderr_sink : described::console {
  stderr_sink() : console(steno::Console::kStderr, steno::Colour::kNever) {}
};
template <class Mutex>
struct basic_file_sink : described::file {
  explicit basic_file_sink(filename_t name, bool truncate = false, const file_event_handlers& = {})
      : file(std::move(name), truncate) {}
};
template <class Mutex>
struct rotating_file_sink : described::file {
  rotating_file_sink(filename_t name, std::size_t most_bytes, std::size_t most_files, bool on_open = false,
                     const file_event_handlers& = {})
      : file(std::move(name), false) {
    rotation_.max_bytes = most_bytes < 4096 ? 4096 : most_bytes;
    rotation_.keep = static_cast<std::uint32_t>(most_files);
    rotation_.on_start = on_open;
    rotation_.name = "{stem}.{n}{ext}";
  }
};
template <class Mutex>
struct daily_file_sink : described::file {
  daily_file_sink(filename_t name, int hour, int minute, bool truncate = false, std::uint16_t most_files = 0,
                  const file_event_handlers& = {})
      : file(std::move(name), truncate) {
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59)
      throw_spdlog_ex("daily_file_sink: Invalid rotation time in ctor");
    char when[32];
    std::snprintf(when, sizeof when, "daily %02d:%02d", hour, minute);
    rotation_.when = when;
    rotation_.local_time = true;
    rotation_.keep = most_files;
    rotation_.name = "{stem}_{date}{ext}";
  }
};
template <class Mutex>
struct callback_sink : described::callback {
  using callback::callback;
};
using custom_log_callback = described::callback::Function;
template <class Mutex>
struct null_sink : sink {
  void add_to(steno::Options&, bool) const override {}
};
template <class Mutex>
struct syslog_sink : sink {
  syslog_sink(std::string ident, int = 0, int facility = 1 << 3, bool = false)
      : ident_(std::move(ident)), facility_(facility) {}
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.pattern.clear();
    one.syslog.address = "local";
    one.syslog.app_name = ident_;
    one.syslog.facility = static_cast<steno::Facility>(facility_ >> 3);
    options.sinks.push_back(std::move(one));
  }

 private:
  std::string ident_;
  int facility_;
};

// A sink of the program's own: sink_it_() is called by a thread of the session's, one message at a time. formatter_
// gives the message's text.
template <class Mutex>
class base_sink : public sink {
 public:
  void add_to(steno::Options& options, bool named) const override {
    auto* const self = const_cast<base_sink*>(this);  // it outlives the session: its loggers have it
    described::callback([self](const details::log_msg& message) { self->sink_it_(message); }).add_to(options, named);
    options.sinks.back().level = details::level_of(level());
  }

 protected:
  virtual void sink_it_(const details::log_msg& message) = 0;
  virtual void flush_() = 0;

  Mutex mutex_;
  std::unique_ptr<spdlog::formatter> formatter_ = std::make_unique<spdlog::formatter>();
};

struct udp_sink_config {
  std::string server_host;
  std::uint16_t server_port;

  udp_sink_config(std::string host, std::uint16_t port) : server_host(std::move(host)), server_port(port) {}
};
// A datagram a message, to a numeric address.
template <class Mutex>
class udp_sink : public described::callback {
 public:
  explicit udp_sink(const udp_sink_config& to) : callback(sender(to)) {}

 private:
  struct Socket {
    int descriptor = -1;
    ~Socket() {
      if (descriptor >= 0) close(descriptor);
    }
  };
  static Function sender(const udp_sink_config& to) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    auto made = std::make_shared<Socket>();
    if (getaddrinfo(to.server_host.c_str(), std::to_string(to.server_port).c_str(), &hints, &found) == 0) {
      made->descriptor = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
      const bool connected = made->descriptor >= 0 && connect(made->descriptor, found->ai_addr, found->ai_addrlen) == 0;
      freeaddrinfo(found);
      if (connected) {
        return [made](const details::log_msg& message) {
          (void)send(made->descriptor, message.payload.data(), message.payload.size(), MSG_NOSIGNAL);
        };
      }
    }
    throw_spdlog_ex("udp_sink: no address " + to.server_host);
  }
};

// steno's own: the log as a file that `steno` reads. A logger has one at most.
class steno_sink : public sink {
 public:
  explicit steno_sink(std::string path) : path_(std::move(path)) {}
  void add_to(steno::Options& options, bool) const override { options.path = path_; }

 private:
  std::string path_;
};

using stdout_color_sink_mt = stdout_color_sink<std::mutex>;
using stdout_color_sink_st = stdout_color_sink<details::null_mutex>;
using stderr_color_sink_mt = stderr_color_sink<std::mutex>;
using stderr_color_sink_st = stderr_color_sink<details::null_mutex>;
using stdout_sink_mt = stdout_sink<std::mutex>;
using stdout_sink_st = stdout_sink<details::null_mutex>;
using stderr_sink_mt = stderr_sink<std::mutex>;
using stderr_sink_st = stderr_sink<details::null_mutex>;
using basic_file_sink_mt = basic_file_sink<std::mutex>;
using basic_file_sink_st = basic_file_sink<details::null_mutex>;
using rotating_file_sink_mt = rotating_file_sink<std::mutex>;
using rotating_file_sink_st = rotating_file_sink<details::null_mutex>;
using daily_file_sink_mt = daily_file_sink<std::mutex>;
using daily_file_sink_st = daily_file_sink<details::null_mutex>;
using callback_sink_mt = callback_sink<std::mutex>;
using callback_sink_st = callback_sink<details::null_mutex>;
using udp_sink_mt = udp_sink<std::mutex>;
using udp_sink_st = udp_sink<details::null_mutex>;
using null_sink_mt = null_sink<std::mutex>;
using null_sink_st = null_sink<details::null_mutex>;
using syslog_sink_mt = syslog_sink<std::mutex>;
using syslog_sink_st = syslog_sink<details::null_mutex>;

}  // namespace sinks

using sink_ptr = std::shared_ptr<sinks::sink>;
using sinks_init_list = std::initializer_list<sink_ptr>;
using err_handler = std::function<void(const std::string&)>;

}  // namespace spdlog

#include "steno/detail/end.h"
