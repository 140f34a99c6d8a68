#include "control/serve.h"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include "base/file_size_signal.h"
#include "base/kill_point.h"
#include "base/level_rules.h"
#include "registry/registry.h"
#include "ring/session_access.h"
#include "runtime/levels.h"
#include "runtime/logger_table.h"
#include "steno/detail/site.h"

namespace steno::control {
namespace {

// `text` without tabs and line ends, which separate fields and lines of an answer.
std::string field(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, ' ');
  return out;
}

std::string text_of(const Stats& stats) {
  const auto line = [](const char* name, std::uint64_t value) {
    return std::string(name) + "\t" + std::to_string(value) + "\n";
  };
  return line("records", stats.records) + line("bytes", stats.bytes) + line("blocks", stats.blocks) +
         line("dropped", stats.dropped) + line("discarded", stats.discarded) +
         line("scribe_cpu_ns", stats.scribe_cpu_ns) + line("quick_blocks", stats.quick_blocks) +
         line("staging_bytes", stats.staging_bytes) + line("stalls", stats.stalls) +
         line("longest_stall_ns", stats.longest_stall_ns) + line("backlog_bytes", stats.backlog_bytes) +
         line("most_backlog_bytes", stats.most_backlog_bytes) + line("lag_ns", stats.lag_ns) +
         line("longest_lag_ns", stats.longest_lag_ns);
}

}  // namespace

// Begins after the last request that was answered: one that came before this session and was not answered is served.
Server::Server(runtime::Core& core) : core_(core), last_(ring::load_control_answer(core.session())) {}

bool Server::asked() const {
  return ring::load_control_request(core_.session()) != last_.load(std::memory_order_relaxed);
}

bool Server::serve(const Orders& orders) {
  ring::SessionFile& session = core_.session();
  const std::uint32_t number = ring::load_control_request(session);
  last_.store(number, std::memory_order_relaxed);
  STENO_DELAY_POINT();
  const HoldFileSizeSignal hold;
  const int fd = open_file(core_.staging().path());
  if (fd < 0) return false;
  bool answered = false;
  try {
    Message request;
    if (read_message(fd, kRequestOffset, kMostRequest, &request) && request.number == number &&
        !(orders.is_for_another && orders.is_for_another(request.text))) {
      Message reply = answer(request.text, orders);
      reply.number = number;
      answered = write_message(fd, kAnswerOffset, reply) == 0;
      if (answered) ring::store_control_answer(session, number);
    }
  } catch (const std::exception&) {
    // Out of memory: the other process gets no answer, and reports that.
  }
  close(fd);
  return answered;
}

Message Server::answer(std::string_view request, const Orders& orders) {
  constexpr std::string_view kLevel = "level ";
  if (request.starts_with(kLevel)) return set_levels(request.substr(kLevel.size()), orders);
  if (request == "list") return {0, kDone, list(orders)};
  if (request == "stats") return {0, kDone, text_of(orders.stats())};
  if (request == "flush" || request == "rotate" || request == "dump") {
    const Status status = request == "flush" ? orders.flush() : request == "rotate" ? orders.rotate() : orders.dump();
    return {0, status.ok() ? kDone : kRefused, status.message()};
  }
  return {0, kUnknown, "it does not know this request"};
}

// A rule for a sink that does not exist has no effect, so it is refused.
Message Server::set_levels(std::string_view rules, const Orders& orders) {
  LevelRules read = parse_level_rules(rules);
  const auto sinks = orders.sinks ? orders.sinks() : std::vector<sink::Feed::SinkState>();
  for (const LevelRule& rule : read.rules) {
    const auto is_meant = [&rule](const sink::Feed::SinkState& sink) { return sink.name == rule.name; };
    if (rule.of != LevelRule::Of::kSink || std::any_of(sinks.begin(), sinks.end(), is_meant)) continue;
    std::string problem = "there is no sink '" + rule.name + "'";
    for (std::size_t i = 0; i < sinks.size(); ++i) problem += (i == 0 ? "; there is " : ", ") + sinks[i].name;
    read.problems.push_back(std::move(problem));
  }
  runtime::Levels::instance().add(core_.slot(), read.rules);
  return {0, read.problems.empty() ? kDone : kRefused, joined(read.problems)};
}

std::string Server::list(const Orders& orders) const {
  std::string out = std::string("level\t") + level_name(runtime::Levels::instance().level(core_.slot())) + "\n";
  if (runtime::LoggerTable* const loggers = runtime::LoggerTable::at(core_.slot())) {
    for (std::uint32_t id = 1; id < loggers->size(); ++id) {
      const detail::LoggerState& logger = loggers->state(id);
      if (__atomic_load_n(&logger.closed, __ATOMIC_RELAXED)) continue;
      const auto level = static_cast<Level>(__atomic_load_n(&logger.threshold, __ATOMIC_RELAXED));
      out += std::string("logger\t") + level_name(level) + "\t" + field(loggers->name(id)) + "\n";
    }
  }
  if (orders.sinks) {
    for (const sink::Feed::SinkState& sink : orders.sinks())
      out += std::string("sink\t") + level_name(sink.level) + "\t" + field(sink.name) + "\n";
  }
  registry::Registry::instance().visit([&out](const wire::SiteInfo& info, std::uint64_t word, bool to_logger) {
    if (out.size() > kMostAnswer - (std::size_t{1} << 17)) return;  // a statement takes 64 KiB at most
    const bool on = (word & detail::kDisabledBit) == 0;
    const bool as_logger = on && to_logger && (word & detail::kOverridesLogger) == 0;
    out += std::string("site\t") + level_name(info.level) + "\t" +
           (as_logger ? "logger"
            : on      ? "on"
                      : "off") +
           "\t" + field(std::string_view(info.file).substr(0, 4096)) + "\t" + std::to_string(info.line) + "\t" +
           field(std::string_view(info.format).substr(0, 4096)) + "\n";
  });
  return out;
}

}  // namespace steno::control
