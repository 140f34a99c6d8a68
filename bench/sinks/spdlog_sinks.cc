#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/tcp_sink.h>
#include <spdlog/sinks/udp_sink.h>
#include <spdlog/spdlog.h>

#include "common/request.h"
#include "sinks/sinks.h"

namespace steno::bench {

namespace {

constexpr const char* kTextPattern = "%Y-%m-%d %H:%M:%S.%fZ %l [%t] %s:%# %v";
constexpr const char* kJsonPattern =
    R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l","thread":%t,"file":"%s","line":%#,%v})";
constexpr const char* kSyslogPattern = "<14>1 %Y-%m-%dT%H:%M:%S.%fZ localhost sinks %P - - %v";

// Later versions of spdlog have such a sink.
class CallbackSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit CallbackSink(std::function<void(std::string_view)> call) : call_(std::move(call)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    call_({line.data(), line.size()});
  }
  void flush_() override {}

 private:
  const std::function<void(std::string_view)> call_;
};

spdlog::sink_ptr make_sink(Sink sink, const Target& target) {
  switch (sink) {
    case Sink::kConsole:
      return std::make_shared<spdlog::sinks::stdout_sink_st>();
    case Sink::kUdp:
      return std::make_shared<spdlog::sinks::udp_sink_st>(spdlog::sinks::udp_sink_config("127.0.0.1", target.port));
    case Sink::kTcp:
      return std::make_shared<spdlog::sinks::tcp_sink_st>(spdlog::sinks::tcp_sink_config("127.0.0.1", target.port));
    case Sink::kCallback:
      return std::make_shared<CallbackSink>(target.callback);
    default:
      return std::make_shared<spdlog::sinks::basic_file_sink_st>(target.path, true);
  }
}

}  // namespace

void log_by_spdlog(Sink sink, const Target& target, std::size_t messages) {
  spdlog::init_thread_pool(8192, 1);
  auto logger = std::make_shared<spdlog::async_logger>("requests", make_sink(sink, target), spdlog::thread_pool(),
                                                       spdlog::async_overflow_policy::block);
  const bool json = sink == Sink::kJson;
  const bool syslog = sink == Sink::kUdp || sink == Sink::kTcp;
  logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(json     ? kJsonPattern
                                                                    : syslog ? kSyslogPattern
                                                                             : kTextPattern,
                                                                    spdlog::pattern_time_type::utc,
                                                                    sink == Sink::kUdp ? "" : "\n"));
  for (std::size_t i = 0; i < messages; ++i) {
    const Request r = request(i);
    if (json) {
      SPDLOG_LOGGER_INFO(logger, R"("status":{},"method":"{}","path":"{}","us":{:.1f},"bytes":{})", r.status, r.method,
                         r.path, r.us, r.bytes);
    } else {
      SPDLOG_LOGGER_INFO(logger, "{} {} {} in {:.1f} us, {} bytes", r.status, r.method, r.path, r.us, r.bytes);
    }
  }
  logger.reset();
  spdlog::shutdown();  // waits for the queue
}

}  // namespace steno::bench
