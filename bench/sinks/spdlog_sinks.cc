#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "common/request.h"
#include "sinks/sinks.h"

namespace steno::bench {

void log_by_spdlog(const std::string& path, std::size_t messages, bool json) {
  spdlog::init_thread_pool(8192, 1);
  auto logger = spdlog::create_async<spdlog::sinks::basic_file_sink_st>("requests", path, true);
  if (json) {
    logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l","thread":%t,"file":"%s","line":%#,%v})",
                        spdlog::pattern_time_type::utc);
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%fZ %l [%t] %s:%# %v", spdlog::pattern_time_type::utc);
  }
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
