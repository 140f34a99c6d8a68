#include <boost/log/attributes.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks/async_frontend.hpp>
#include <boost/log/sinks/block_on_overflow.hpp>
#include <boost/log/sinks/bounded_fifo_queue.hpp>
#include <boost/log/sinks/text_ostream_backend.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_logger.hpp>
#include <boost/log/support/date_time.hpp>
#include <boost/log/utility/setup/common_attributes.hpp>
#include <boost/make_shared.hpp>

#include <fstream>
#include <iomanip>

#include "scenarios/logger.h"

namespace steno::bench {

namespace {

namespace blog = boost::log;

struct BoostLog {
  static constexpr const char* kName = "Boost.Log async";
  using Queue = blog::sinks::bounded_fifo_queue<kQueue, blog::sinks::block_on_overflow>;
  using Sink = blog::sinks::asynchronous_sink<blog::sinks::text_ostream_backend, Queue>;
  static inline boost::shared_ptr<Sink> sink;
  static inline blog::sources::severity_logger_mt<int> logger;

  static void start(const std::string& path) {
    namespace expr = blog::expressions;
    const auto backend = boost::make_shared<blog::sinks::text_ostream_backend>();
    backend->add_stream(boost::make_shared<std::ofstream>(path));
    sink = boost::make_shared<Sink>(backend);
    sink->set_formatter(
        expr::stream << expr::format_date_time<boost::posix_time::ptime>("TimeStamp", "%Y-%m-%d %H:%M:%S.%f")
                     << " boost_log.cc " << expr::attr<int>("Severity") << "["
                     << expr::attr<blog::attributes::current_thread_id::value_type>("ThreadID")
                     << "]: " << expr::smessage);
    blog::core::get()->add_sink(sink);
    blog::add_common_attributes();
  }
  static void log(unsigned thread, std::size_t i, const Request& r) {
    BOOST_LOG_SEV(logger, 2) << "worker " << thread << " request " << i << ": " << r.status << ' ' << r.method << ' '
                             << r.path << " in " << std::fixed << std::setprecision(1) << r.us << " us, " << r.bytes
                             << " bytes";
  }
  static void flush() { sink->flush(); }
  static void stop() {
    blog::core::get()->remove_sink(sink);
    sink->stop();
    sink->flush();
    sink.reset();
  }
  static std::size_t messages_on_file(const std::string& path) { return message_lines(path); }
};

}  // namespace

void add_boost_log(Loggers* loggers) {
  loggers->push_back(std::make_unique<LoggerOf<BoostLog>>());
}

}  // namespace steno::bench
