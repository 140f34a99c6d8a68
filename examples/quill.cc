// A program written for Quill, as it is: compiled with -I…/include/steno/compat, where its headers are steno's. The
// sink is steno's own, which `steno cat` reads.
#include <quill/Backend.h>
#include <quill/Frontend.h>
#include <quill/LogMacros.h>
#include <quill/Logger.h>
#include <quill/sinks/ConsoleSink.h>
#include <quill/std/Vector.h>

#include <chrono>
#include <string>
#include <vector>

int main() {
  quill::Backend::start();
  auto sink = quill::Frontend::create_or_get_sink<quill::StenoSink>("quill.steno");
  quill::Logger* logger = quill::Frontend::create_or_get_logger("net", sink);
  logger->set_log_level(quill::LogLevel::Debug);

  const std::vector<int> sizes = {1, 2, 5};
  const std::string client = "acme";
  LOG_INFO(logger, "begins with {} sizes: {}", sizes.size(), sizes);
  for (const int size : sizes) {
    LOG_DEBUG(logger, "{client} wants {size}", client, size);
    LOG_WARNING_LIMIT_EVERY_N(2, logger, "{} is one of them", size);
  }
  LOGV_INFO(logger, "in the end", client, sizes.size());
  LOG_TRACE_L1(logger, "not said");
  LOG_ERROR_TAGS(logger, TAGS("slow"), "took {:.1f} s", 2.25);
  logger->flush_log();
}
