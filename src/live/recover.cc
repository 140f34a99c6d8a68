#include "live/recover.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/kill_point.h"
#include "live/file_drain.h"
#include "live/log_identity.h"
#include "live/staging_drain.h"
#include "live/staging_feed.h"
#include "logfile/output_file.h"
#include "ring/log_identity.h"
#include "ring/session_access.h"
#include "staging/directory.h"
#include "staging/find_staging.h"

namespace steno::live {
namespace {

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_acquire);
}

Status drain_into(staging::ForeignStaging& view, StagingDrain& drain, logfile::OutputFile& file,
                  const std::atomic<bool>* stop, logfile::SessionPacker* packer) {
  FileDrain into(view, drain, file);
  into.begin(lies_elsewhere(view.session(), file.identity(), file.end() == 0));
  const bool is_whole = view.session().stopped != 0 && recorder_below(view.session()) == Level::kTrace;
  if (packer != nullptr && is_whole && file.end() != 0) return into.finish_at_once(*packer);
  while (into.write_next()) {
    if (is_set(stop)) return {StatusCode::kFailedPrecondition, "interrupted"};
  }
  if (!into.status().ok()) return into.status();
  return into.finish();
}

// Returns whether the staging has neither a record that is not on file, nor a loss that is not reported there.
bool holds_nothing(staging::ForeignStaging& view) {
  StagingDrain drain(view);
  ByteBuffer block;
  drain.begin(block);
  return !drain.next(block) && !drain.pending();
}

// Removes the rest of a directory whose session file, which is made first and removed last, is gone: its owner made a
// ring while it removed the rest, or could not go on.
void remove_remains(const std::string& directory) {
  struct stat st {};
  if (!staging::is_staging_name(std::string_view(directory).substr(directory.rfind('/') + 1))) return;
  if (lstat(directory.c_str(), &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) return;
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "dictionary" || name == "control" || name.starts_with("ring-")) files.push_back(entry.path().string());
  }
  if (lstat((directory + "/session").c_str(), &st) == 0 || errno != ENOENT) return;
  for (const std::string& file : files) unlink(file.c_str());
  rmdir(directory.c_str());
}

// Staging without a record that is not on file: its process died before it could log, or ended in order while threads
// that might have logged went on, or somebody died while removing it. Whoever comes by removes it.
bool is_rubbish(Result<staging::ForeignStaging>& view, const std::string& directory) {
  struct stat st {};
  if (lstat(directory.c_str(), &st) != 0 || st.st_uid != geteuid()) return false;
  if (!view.ok()) return view.status().code() == StatusCode::kNotFound;
  if (view->state() == staging::State::kUnfinished) return true;
  if (view->state() != staging::State::kOrphan) return false;
  if (view->session().state == ring::kRemoving) return true;
  return (view->session().state == ring::kEnded || view->session().log_path[0] == '\0') && holds_nothing(*view);
}

// By whom the file was chosen that records are to go to.
enum class Chosen {
  kByUser,     // who runs the recovery
  kBySession,  // it is at the path that the session logs into
  kByFile,     // it says that it is the session's log: a copy of that says so too
};

// A file that can be appended to twice, should it come to that.
Status check_target(const std::string& directory, const std::string& path) {
  if (path.empty()) {
    return {StatusCode::kInvalidArgument,
            directory +
                ": its records were logged before a session ran, so they belong to no file: name one with --output"};
  }
  struct stat st {};
  if (stat(path.c_str(), &st) != 0 || S_ISREG(st.st_mode)) return {};
  return {StatusCode::kInvalidArgument, path + " is not a regular file; name another with --output"};
}

std::string how_to_choose(const staging::ForeignStaging& view) {
  return "'steno recover --staging " + view.directory() + " --output FILE' writes them to a file of your choice";
}

// The log of a session cannot be opened: its directory is gone, say. That is no "not found", which would mean that
// there is nothing to recover.
Status cannot_open(const staging::ForeignStaging& view, const Status& status) {
  const StatusCode code = status.code() == StatusCode::kNotFound || status.code() == StatusCode::kFailedPrecondition
                              ? StatusCode::kIoError
                              : status.code();
  return {code, view.directory() + ": its records stay there: " + status.message() + "; or " + how_to_choose(view)};
}

// Records must not become readable for users who could not read the session's log. So they go only to that log, to a
// file that was just created, or to a file that has taken its place and belongs to the caller or to the owner of the
// log.
Status check_receiver(const staging::ForeignStaging& view, const logfile::OutputFile& file, Chosen chosen) {
  const ring::SessionFile& session = view.session();
  const ring::LogIdentity log = ring::log_of(session);
  const ring::LogIdentity& found = file.identity();
  const bool owners = found.owner == geteuid() || (log.known() && found.owner == log.owner);
  if (chosen == Chosen::kByUser || log.is_same_file(found) || (chosen == Chosen::kBySession && owners)) return {};
  return {StatusCode::kPermissionDenied, view.directory() + ": its records are for " + session.log_path + ", and " +
                                             file.path() +
                                             " is not the file that they were logged into: " + how_to_choose(view)};
}

Result<Recovered> recover_into(const std::string& directory, const std::string& path, Chosen chosen, unsigned file_mode,
                               const std::atomic<bool>* stop, bool sync,
                               const std::shared_ptr<sink::SinkSet>& sinks = nullptr,
                               logfile::SessionPacker* packer = nullptr) {
  auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kOwn);
  if (!view.ok()) {
    if (view.status().code() == StatusCode::kNotFound) remove_remains(directory);
    return view.status();
  }
  Recovered result;
  result.directory = directory;
  result.path = chosen == Chosen::kBySession ? view->session().log_path : path;
  if (view->state() != staging::State::kUnfinished && view->session().state != ring::kRemoving) {
    view->restart_rings();
    const bool nothing = holds_nothing(*view);
    const Status target = check_target(directory, result.path);
    if (!nothing && !target.ok()) return target;
    if (!nothing || (view->session().state == ring::kRunning && target.ok())) {
      StagingDrain drain(*view);
      logfile::OutputFile file;
      if (Status status = file.open(result.path, file_mode); !status.ok()) {
        return chosen == Chosen::kByUser ? status : cannot_open(*view, status);
      }
      if (Status status = check_receiver(*view, file, chosen); !status.ok()) return status;
      STENO_KILL_POINT("recover.file_open");
      ring::store_state(*view->shared_session(), ring::kRunning);
      if (sinks != nullptr) StagingFeed(*view, sinks, drain).look(drain, true);
      Status status = drain_into(*view, drain, file, stop, packer);
      result.records = drain.records();
      result.bytes = file.bytes_written();
      if (status.ok() && sync) status = file.sync();
      if (!status.ok()) return status;
    }
  }
  staging::remove_staging(view->directory_fd(), directory, view->shared_session());
  return result;
}

// The next step for staging that was found, by a look that changes nothing.
enum class Errand { kNone, kRemove, kRecover, kRecoverRenamed };

Errand errand_for(const std::string& directory, const std::string& path, const std::vector<staging::Hint>& hints) {
  using Extent = staging::ForeignStaging::Extent;
  auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead, Extent::kSession);
  // Recovery then reports what is wrong with it, unless its process is alive.
  if (staging::is_unreadable(view.status()) && staging::is_marked(directory, path)) return Errand::kRecover;
  if (view.ok() && (view->owner() != geteuid() || view->state() == staging::State::kLive)) return Errand::kNone;
  const bool ours = view.ok() && staging::logs_into(view->session(), path);
  const bool renamed = view.ok() && !ours && staging::is_hinted(view->session(), hints, path);
  if (view.ok() && view->state() == staging::State::kOrphan &&
      (view->session().state == ring::kEnded || view->session().log_path[0] == '\0')) {
    view = staging::ForeignStaging::open(directory,
                                         staging::ForeignStaging::Access::kRead);  // there may be nothing in its rings
  }
  if (is_rubbish(view, directory)) return Errand::kRemove;
  return ours ? Errand::kRecover : renamed ? Errand::kRecoverRenamed : Errand::kNone;
}

}  // namespace

Result<Recovered> recover(const std::string& directory, const std::string& output, unsigned file_mode,
                          const std::atomic<bool>* stop, bool sync, const std::shared_ptr<sink::SinkSet>& sinks,
                          logfile::SessionPacker* packer) {
  return recover_into(directory, output, output.empty() ? Chosen::kBySession : Chosen::kByUser, file_mode, stop, sync,
                      sinks, packer);
}

std::vector<Recovered> recover_for(const std::string& path, Search search, const std::vector<std::string>& extra_roots,
                                   const std::vector<staging::Hint>& hints, std::vector<std::string>* problems,
                                   unsigned file_mode, const std::atomic<bool>* stop) {
  std::vector<std::string> directories = staging::find_orphans_of(path, hints, extra_roots);
  if (search == Search::kAll) {
    for (std::string& directory : staging::find_staging(staging::Whose::kOwn, extra_roots)) {
      if (std::find(directories.begin(), directories.end(), directory) == directories.end())
        directories.push_back(std::move(directory));
    }
    std::sort(directories.begin(), directories.end());
  }
  std::vector<Recovered> done;
  for (const std::string& directory : directories) {
    if (is_set(stop)) break;
    const Errand errand = errand_for(directory, path, hints);
    if (errand == Errand::kNone) continue;
    if (errand == Errand::kRemove) {
      (void)recover(directory);
      continue;
    }
    const Chosen chosen = errand == Errand::kRecover ? Chosen::kBySession : Chosen::kByFile;
    auto result = recover_into(directory, path, chosen, file_mode, stop, true);
    if (result.ok()) {
      done.push_back(std::move(result).value());
    } else if (result.status().code() != StatusCode::kNotFound &&
               result.status().code() != StatusCode::kFailedPrecondition) {
      problems->push_back(result.status().message());
    }
  }
  if (!directories.empty()) (void)staging::find_orphans_of(path, {}, extra_roots);  // forgets the marks of what is gone
  return done;
}

}  // namespace steno::live
