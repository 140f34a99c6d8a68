#include <glog/logging.h>

#include <iomanip>

#include "scenarios/logger.h"

namespace steno::bench {

namespace {

struct Glog {
  static constexpr const char* kName = "glog";

  static void start(const std::string& path) {
    FLAGS_timestamp_in_logfile_name = false;
    FLAGS_max_log_size = 4095;  // MB: do not rotate
    google::InitGoogleLogging("scenarios");
    google::SetLogSymlink(google::GLOG_INFO, "");
    google::SetLogDestination(google::GLOG_INFO, path.c_str());
  }
  static void log(unsigned thread, std::size_t i, const Request& r) {
    LOG(INFO) << "worker " << thread << " request " << i << ": " << r.status << ' ' << r.method << ' ' << r.path
              << " in " << std::fixed << std::setprecision(1) << r.us << " us, " << r.bytes << " bytes";
  }
  static void flush() { google::FlushLogFiles(google::GLOG_INFO); }
  static void stop() { google::ShutdownGoogleLogging(); }
  static std::size_t messages_on_file(const std::string& path) { return message_lines(path); }
};

}  // namespace

void add_glog(Loggers* loggers) {
  loggers->push_back(std::make_unique<LoggerOf<Glog>>());
}

}  // namespace steno::bench
