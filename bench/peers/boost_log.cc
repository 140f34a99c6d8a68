#include <boost/log/attributes.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks/async_frontend.hpp>
#include <boost/log/sinks/text_ostream_backend.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_logger.hpp>
#include <boost/log/support/date_time.hpp>
#include <boost/log/utility/setup/common_attributes.hpp>
#include <boost/make_shared.hpp>

#include <fstream>
#include <iomanip>

#include "peers/peer.h"

namespace steno::bench {

namespace {

namespace log = boost::log;

using Sink = log::sinks::asynchronous_sink<log::sinks::text_ostream_backend>;

struct BoostLog {
  static constexpr const char* kName = "Boost.Log async";
  static inline boost::shared_ptr<Sink> sink;
#ifdef STENO_PEERS_OF_MANY_THREADS
  static inline log::sources::severity_logger_mt<int> logger;
#else
  static inline log::sources::severity_logger<int> logger;
#endif

  static void start(const std::string& path) {
    namespace expr = log::expressions;
    const auto backend = boost::make_shared<log::sinks::text_ostream_backend>();
    backend->add_stream(boost::make_shared<std::ofstream>(path));
    sink = boost::make_shared<Sink>(backend);
    sink->set_formatter(
        expr::stream << expr::format_date_time<boost::posix_time::ptime>("TimeStamp", "%Y-%m-%d %H:%M:%S.%f")
                     << " boost_log.cc " << expr::attr<int>("Severity") << "["
                     << expr::attr<log::attributes::current_thread_id::value_type>("ThreadID")
                     << "]: " << expr::smessage);
    log::core::get()->add_sink(sink);
    log::add_common_attributes();
  }
  static void flush() {
    sink->flush();
  }
  static void stop() {
    log::core::get()->remove_sink(sink);
    sink->stop();
    sink->flush();
    sink.reset();
  }

  static void log_static(std::size_t) {
    BOOST_LOG_SEV(logger, 2) << "Starting backup replica garbage collector thread";
  }
  static void log_string(std::size_t) {
    BOOST_LOG_SEV(logger, 2) << "Opened session with coordinator at " << arguments.address;
  }
  static void log_integer(std::size_t) {
    BOOST_LOG_SEV(logger, 2) << "Backup storage speeds (min): " << arguments.speed << " MB/s read";
  }
  static void log_two_integers(std::size_t) {
    BOOST_LOG_SEV(logger, 2) << "buffer has consumed " << arguments.consumed
                             << " bytes of extra storage, current allocation: " << arguments.allocated << " bytes";
  }
  static void log_double(std::size_t) {
    BOOST_LOG_SEV(logger, 2) << "Using tombstone ratio balancer with ratio = " << std::fixed << std::setprecision(1)
                             << arguments.ratio;
  }
  static void log_complex(std::size_t) {
    BOOST_LOG_SEV(logger, 2) << "Initialized InfUdDriver buffers: " << arguments.receive_buffers << " receive buffers ("
                             << arguments.receive_mb << " MB), " << arguments.transmit_buffers << " transmit buffers ("
                             << arguments.transmit_mb << " MB), took " << std::fixed << std::setprecision(1)
                             << arguments.took_ms << " ms";
  }
};

}  // namespace

std::unique_ptr<Peer> make_boost_log() {
  return std::make_unique<PeerOf<BoostLog>>();
}

}  // namespace steno::bench
