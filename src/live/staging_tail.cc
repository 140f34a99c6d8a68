#include "live/staging_tail.h"

namespace steno::live {
namespace {

constexpr int kMaxLooks = 10;

}  // namespace

Result<std::unique_ptr<StagingTail>> StagingTail::open(const std::string& directory) {
  auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead);
  if (!view.ok()) return view.status();
  if (view->session().version == 0) return Status(StatusCode::kNotFound, directory + " has no session yet");
  return std::make_unique<StagingTail>(std::move(view).value());
}

bool StagingTail::reopen() {
  auto view = staging::ForeignStaging::open(directory(), staging::ForeignStaging::Access::kRead);
  lost_ = !view.ok() || view->session().version == 0;
  if (lost_) return false;
  drain_.reset();
  view_ = std::move(view).value();
  drain_ = std::make_unique<StagingDrain>(view_);
  first_ = true;
  return true;
}

StagingTail::Look StagingTail::look(ByteBuffer* out) {
  const std::size_t start = out->size();
  for (int attempt = 0; attempt < kMaxLooks; ++attempt) {
    if (drain_->refresh()) {
      if (drain_->waiting()) {
        const std::uint64_t records = drain_->records();
        drain_->begin(*out);
        while (drain_->next(*out)) {
        }
        if (drain_->records() == records) out->truncate(start);
      }
      // After the look: what was seen before another session began is of this one.
      if (view_.same_session()) {
        const Look look = first_ ? Look::kBegins : drain_->missed() ? Look::kGaps : Look::kWhole;
        first_ = false;
        return look;
      }
      out->truncate(start);
    }
    if (!reopen()) break;
  }
  return Look::kGaps;
}

}  // namespace steno::live
