// A session's work in place of draining when its scribe is another process (ring.md §1.2): lets that process drain, and
// warns when none does.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "control/serve.h"
#include "runtime/core.h"
#include "scribe/service.h"
#include "scribe/warnings.h"

namespace steno::scribe {

class AbsentScribe final : public Service {
 public:
  // `core` must be in the state kBuffering; it is used until stop().
  AbsentScribe(runtime::Core& core, const Options& options);
  ~AbsentScribe() override;

  // Fails if staging is in private memory, which no other process can read, or if the session before is still drained.
  Status start() override;
  // Waits until the other process has written everything. Fails if no process drains.
  Status flush() override;
  // Asks the process that drains, which keeps the recorder, and waits until it is written. Fails as flush() does.
  Status dump_recorder() override;
  Status rotate() override {
    return {StatusCode::kUnsupported, "another process is the scribe: 'steno scribe' rotates on SIGHUP"};
  }
  // Writes nothing; answers requests of `steno ctl`.
  bool poll() override;
  // Checks whether a process drains. When none has for Options::block_at_most, producers stop waiting for room.
  bool help() override;
  // Ends the session, and waits until its end is on file, if a process drains it.
  Status stop() override;
  void abandon() override;
  // The numbers that this process can know: records that have been released, nothing about the file.
  Stats stats() const override;

 private:
  void warn(const std::string& what) const { scribe::warn(options_, what); }
  void check_warnings() { scribe::check_warnings(core_, options_); }
  bool is_drained() const;
  bool is_recorder(std::uint32_t ring) const { return &core_.rings().at(ring) == core_.recorder(); }
  // Waits until `done` returns true. False: no process drains any more, its file cannot be written, or it took too
  // long.
  template <class Done>
  bool wait_for_consumer(const Done& done, std::int64_t patience_ns);
  // Waits without a time limit. Fails with the reason why it gave up.
  template <class Done>
  Status wait_until(const Done& done);
  bool is_refused() const;
  void leave_losses();
  std::uint64_t waiting_bytes() const;

  runtime::Core& core_;
  const Options options_;
  const runtime::CoreOptions core_options_;
  const pid_t pid_;
  std::mutex control_mutex_;
  control::Server control_;
  std::atomic<bool> runs_{false};
  std::atomic<std::int64_t> last_look_{0};
  std::atomic<std::int64_t> absent_since_{0};  // monotonic ns of the first check that found no scribe; 0: there is one
  std::atomic<bool> warned_{false};
};

}  // namespace steno::scribe
