#include "live/salvage.h"

#include <unistd.h>

#include <cerrno>

#include "live/log_identity.h"
#include "live/staging_drain.h"

namespace steno::live {
namespace {

constexpr int kAttempts = 10;

// Returns whether the records that the session has released are not in the file at `path`, beside which the rest is
// shown. A file that is gone has none.
bool lies_elsewhere_than(const std::string& path, const ring::SessionFile& session) {
  const auto found = ring::find_log(path);
  if (!found) return !path.empty() && access(path.c_str(), F_OK) != 0 && errno == ENOENT;
  return lies_elsewhere(session, found->identity, found->size == 0);
}

Result<Salvage> salvage(staging::ForeignStaging& view, const std::string& beside) {
  Salvage result;
  result.directory = view.directory();
  result.session_id = view.session().session_id;
  result.state = view.state();
  result.ended = view.session().state == ring::kEnded;
  StagingDrain drain(view);
  drain.begin(result.blocks, lies_elsewhere_than(beside, view.session()));
  while (drain.next(result.blocks)) {
  }
  if (view.state() == staging::State::kOrphan) {
    drain.append_death(result.blocks);
    while (drain.next_unreported(result.blocks)) drain.reported();
    drain.append_end(result.blocks);
  }
  result.records = drain.records();
  // The program stopped a session and started another while we looked: what was seen is of two sessions.
  if (!view.same_session()) return Status(StatusCode::kFailedPrecondition, view.directory() + " began a new session");
  return result;
}

}  // namespace

bool overtaken(const Salvage& salvage) {
  if (salvage.state != staging::State::kLive) return false;
  auto view = staging::ForeignStaging::open(salvage.directory, staging::ForeignStaging::Access::kRead,
                                            staging::ForeignStaging::Extent::kSession);
  return view.ok() && view->session().session_id != salvage.session_id;
}

Result<Salvage> salvage(const std::string& directory, const std::string& beside) {
  for (int attempt = 0;; ++attempt) {
    auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead);
    if (!view.ok()) return view.status();
    if (view->session().version == 0) return Status(StatusCode::kNotFound, directory + " has no session yet");
    auto result = salvage(*view, beside);
    if (result.ok() || attempt == kAttempts) return result;
  }
}

std::vector<Salvage> salvage_for(const std::string& path, const std::vector<staging::Hint>& hints,
                                 std::vector<std::string>* problems) {
  const std::vector<std::string> directories = staging::find_staging_of(path, hints);
  std::vector<Salvage> found;
  for (const std::string& directory : directories) {
    auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead,
                                              staging::ForeignStaging::Extent::kSession);
    if (!view.ok()) {  // else it may be of any file, and 'steno ps' shows it
      if (staging::is_unreadable(view.status()) && staging::is_marked(directory, path))
        problems->push_back(view.status().message());
      continue;
    }
    const ring::SessionFile& session = view->session();
    if (session.version == 0 || !(staging::is_hinted(session, hints, path) || staging::logs_into(session, path)))
      continue;
    if (!staging::may_speak_for(*view, path)) continue;
    auto result = salvage(directory, path);
    if (result.ok()) {
      found.push_back(std::move(result).value());
    } else if (result.status().code() != StatusCode::kNotFound) {
      problems->push_back(result.status().message());
    }
  }
  return found;
}

}  // namespace steno::live
