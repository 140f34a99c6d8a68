#include "sink/sink_set.h"

namespace steno::sink {
namespace {

constexpr std::uint64_t kNoSource = UINT64_MAX;  // of looks that find nothing of any session

}  // namespace

Result<std::shared_ptr<SinkSet>> SinkSet::open(const std::vector<SinkOptions>& sinks, unsigned file_mode,
                                               std::int64_t most_wait_ns) {
  Sinks opened;
  bool prompt = false;
  for (const SinkOptions& sink : sinks) {
    auto thread = std::make_shared<SinkThread>(sink, most_wait_ns);
    if (Status status = thread->open(file_mode); !status.ok()) {
      SinkSet(std::move(opened), false).close();
      return status;
    }
    prompt = prompt || thread->is_prompt();
    opened.push_back(std::move(thread));
  }
  return std::shared_ptr<SinkSet>(new SinkSet(std::move(opened), prompt));
}

void SinkSet::wait_written() {
  for (const auto& sink : sinks_) (void)sink->wait_written();
}

void SinkSet::rotate() {
  Look look;
  look.source = kNoSource;
  look.rotate = true;
  for (const auto& sink : sinks_) sink->push(look, 0);
}

void SinkSet::close() {
  for (const auto& sink : sinks_) sink->begin_close();
  for (const auto& sink : sinks_) sink->close();
}

void SinkSet::abandon() {
  for (const auto& sink : sinks_) sink->abandon();
}

void SinkSet::take_warnings(const std::function<void(const std::string& what)>& warn) {
  for (const auto& sink : sinks_) {
    for (std::string warning; !(warning = sink->take_warning()).empty();) warn(warning);
  }
}

}  // namespace steno::sink
