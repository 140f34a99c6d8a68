// The sinks of a session, or of all sessions that a scribe drains: opened, rotated and closed together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sink/sink_thread.h"
#include "steno/sink.h"
#include "steno/status.h"

namespace steno::sink {

// Thread-safe.
class SinkSet {
 public:
  using Sinks = std::vector<std::shared_ptr<SinkThread>>;

  // Fails with a sentence. `most_wait_ns`: for those that do not keep up; INT64_MAX: without an end.
  static Result<std::shared_ptr<SinkSet>> open(const std::vector<SinkOptions>& sinks, unsigned file_mode,
                                               std::int64_t most_wait_ns);

  const Sinks& sinks() const { return sinks_; }
  // A sink is a terminal: each line is to be there at once.
  bool is_prompt() const { return prompt_; }

  // Returns when the sinks have what was pushed before, or after most_wait_ns each.
  void wait_written();
  // Continues files in new ones, after the records pushed so far.
  void rotate();
  // Returns when all that was pushed is written and the threads have ended, or after most_wait_ns each.
  void close();
  // In a forked child, in which the sinks' threads are not: closes what the parent's sinks write to. Nothing else is
  // called after that.
  void abandon();
  // Reports new problems of sinks.
  void take_warnings(const std::function<void(const std::string& what)>& warn);

 private:
  SinkSet(Sinks sinks, bool prompt) : sinks_(std::move(sinks)), prompt_(prompt) {}

  const Sinks sinks_;
  const bool prompt_;
};

}  // namespace steno::sink
