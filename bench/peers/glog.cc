#include <glog/logging.h>

#include <iomanip>

#include "peers/peer.h"

namespace steno::bench {

namespace {

struct Glog {
  static constexpr const char* kName = "glog";

  static void start(const std::string& path) {
    FLAGS_logbufsecs = 30;  // the paper's
    FLAGS_timestamp_in_logfile_name = false;
    FLAGS_max_log_size = 4095;  // MB: do not rotate
    google::InitGoogleLogging("bench");
    google::SetLogSymlink(google::GLOG_INFO, "");
    google::SetLogDestination(google::GLOG_INFO, path.c_str());
  }
  static void flush() { google::FlushLogFiles(google::GLOG_INFO); }
  static void stop() { google::ShutdownGoogleLogging(); }

  static void log_static(std::size_t) { LOG(INFO) << "Starting backup replica garbage collector thread"; }
  static void log_string(std::size_t) { LOG(INFO) << "Opened session with coordinator at " << arguments.address; }
  static void log_integer(std::size_t) {
    LOG(INFO) << "Backup storage speeds (min): " << arguments.speed << " MB/s read";
  }
  static void log_two_integers(std::size_t) {
    LOG(INFO) << "buffer has consumed " << arguments.consumed
              << " bytes of extra storage, current allocation: " << arguments.allocated << " bytes";
  }
  static void log_double(std::size_t) {
    LOG(INFO) << "Using tombstone ratio balancer with ratio = " << std::fixed << std::setprecision(1)
              << arguments.ratio;
  }
  static void log_complex(std::size_t) {
    LOG(INFO) << "Initialized InfUdDriver buffers: " << arguments.receive_buffers << " receive buffers ("
              << arguments.receive_mb << " MB), " << arguments.transmit_buffers << " transmit buffers ("
              << arguments.transmit_mb << " MB), took " << std::fixed << std::setprecision(1) << arguments.took_ms
              << " ms";
  }
};

}  // namespace

std::unique_ptr<Peer> make_glog() {
  return std::make_unique<PeerOf<Glog>>();
}

}  // namespace steno::bench
