// The rings of another process, read along (ring.md §4.3): what is new since the last look.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "live/staging_drain.h"
#include "staging/foreign_staging.h"
#include "steno/status.h"

namespace steno::live {

// Not thread-safe. Memory: that of a StagingDrain.
class StagingTail {
 public:
  // The first look gives all that is not released. kNotFound: it is gone, or nothing was logged in it yet; else as
  // ForeignStaging::open().
  static Result<std::unique_ptr<StagingTail>> open(const std::string& directory);
  // Requires one that has a session.
  explicit StagingTail(staging::ForeignStaging view) : view_(std::move(view)) {
    drain_ = std::make_unique<StagingDrain>(view_);
  }
  StagingTail(const StagingTail&) = delete;
  StagingTail& operator=(const StagingTail&) = delete;

  // Returns whether a look may find anything; the first one may. A few loads a ring, no system call.
  bool moved() const { return first_ || lost_ || drain_->moved(); }

  enum class Look {
    kWhole,   // what is new, and nothing is between it and what the last look gave
    kGaps,    // ... but for what is on file by now
    kBegins,  // the first look at a session: numbers are those of session_id() from now on; what is not here is on file
  };
  // Appends what is new as blocks that stand for themselves; nothing if there is nothing. What is on file by now is
  // looked for there afterwards, not before.
  Look look(ByteBuffer* out);

  const staging::ForeignStaging& view() const { return view_; }
  const std::string& directory() const { return view_.directory(); }
  std::uint64_t session_id() const { return view_.session().session_id; }

 private:
  bool reopen();

  staging::ForeignStaging view_;
  std::unique_ptr<StagingDrain> drain_;
  bool first_ = true;
  bool lost_ = false;  // another session has begun, and the staging could not be opened since
};

}  // namespace steno::live
