// The session's side of a scribe that is another process (ring.md §1.2): lets that drain, and says when nobody does.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "runtime/core.h"
#include "scribe/control.h"
#include "scribe/service.h"
#include "scribe/warnings.h"

namespace steno::scribe {

class AbsentScribe final : public Service {
 public:
  // `core` must be buffering; it stays this session's until stop().
  AbsentScribe(runtime::Core& core, const Options& options);
  ~AbsentScribe() override;

  // Fails where no other process could come by the records, or where the session before is still being drained.
  Status start() override;
  // Waits for whoever drains. Fails where nobody does.
  Status flush() override;
  Status dump_recorder() override { return {StatusCode::kFailedPrecondition, "the session has no flight recorder"}; }
  Status rotate() override {
    return {StatusCode::kUnsupported, "another process is the scribe: 'steno scribe' rotates on SIGHUP"};
  }
  // There is nothing to write; obeys what is asked from outside.
  bool poll() override;
  // Looks whether somebody drains; if not for long enough, producers need not wait any more.
  bool help() override;
  // Ends the session in order, and waits until its end is on file, if somebody drains it.
  Status stop() override;
  void abandon() override;
  // Of what is released: all that can be known here.
  Stats stats() const override;

 private:
  void warn(const std::string& what) const { scribe::warn(options_, what); }
  void check_warnings() { scribe::check_warnings(core_, options_); }
  bool is_drained() const;
  // Waits until `done`. False: nobody drains any more, the file refuses, or it took too long.
  template <class Done>
  bool wait_for_consumer(const Done& done, std::int64_t patience_ns);
  bool is_refused() const;
  void leave_losses();
  std::uint64_t waiting_bytes() const;

  runtime::Core& core_;
  const Options options_;
  const runtime::CoreOptions core_options_;
  const pid_t pid_;
  std::mutex control_mutex_;
  Control control_;
  std::atomic<bool> runs_{false};
  std::atomic<std::int64_t> last_look_{0};
  std::atomic<std::int64_t> absent_since_{0};  // monotonic ns, as far as was looked; 0: somebody drained
  std::atomic<bool> warned_{false};
};

}  // namespace steno::scribe
