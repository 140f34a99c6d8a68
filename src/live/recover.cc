#include "live/recover.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/kill_point.h"
#include "live/staging_drain.h"
#include "live/staging_view.h"
#include "ring/staging.h"
#include "scribe/output_file.h"

namespace steno::live {
namespace {

constexpr unsigned kFileMode = 0600;

// Drains into the file, releasing behind each block.
Status drain_into(StagingView& view, StagingDrain& drain, scribe::OutputFile& file) {
  ByteBuffer out;
  drain.begin(out);
  while (drain.next(out)) {
    if (Status status = file.write(out); !status.ok()) return status;
    STENO_KILL_POINT("recover.block_written");
    drain.release();
    STENO_KILL_POINT("recover.released");
    out.clear();
  }
  while (drain.next_untold(out)) {
    drain.release();  // announces it (ring.md §4.1)
    STENO_KILL_POINT("recover.loss_announced");
    if (Status status = file.write(out); !status.ok()) return status;
    STENO_KILL_POINT("recover.loss_written");
    drain.told();
    drain.release();
    out.clear();
  }
  drain.append_end(out);
  if (Status status = file.write(out); !status.ok()) return status;
  STENO_KILL_POINT("recover.end_written");
  __atomic_store_n(&view.shared_session()->state, ring::kEnded, __ATOMIC_RELEASE);
  return {};
}

// Staging without a record that is not on file: its process died before it could log, or ended in order while threads
// that might have logged went on, or somebody died while removing it. Whoever comes by removes it.
bool is_rubbish(Result<StagingView>& view, const std::string& directory) {
  struct stat st {};
  if (lstat(directory.c_str(), &st) != 0 || st.st_uid != geteuid()) return false;
  if (!view.ok()) return view.status().code() == StatusCode::kNotFound;
  if (view->state() == State::kUnfinished) return true;
  if (view->state() != State::kOrphan) return false;
  if (view->session().state == ring::kEnded) return !StagingDrain(*view).pending();
  return view->session().log_path[0] == '\0' && view->rings().empty();
}

// A file that can be appended to twice, should it come to that.
Status check_target(const std::string& path) {
  struct stat st {};
  if (stat(path.c_str(), &st) != 0 || S_ISREG(st.st_mode)) return {};
  return {StatusCode::kInvalidArgument, path + " is no regular file; name another with --output"};
}

}  // namespace

Result<Recovered> recover(const std::string& directory, const std::string& output) {
  auto view = StagingView::open(directory, StagingView::Access::kOwn);
  if (!view.ok()) {
    // Somebody died between removing the session and the directory. A directory with files in it stays.
    if (view.status().code() == StatusCode::kNotFound) rmdir(directory.c_str());
    return view.status();
  }
  Recovered result;
  result.directory = directory;
  result.path = output.empty() ? view->session().log_path : output;
  if (view->state() != State::kUnfinished) {
    view->restart_rings();
    StagingDrain drain(*view);
    if (drain.pending() || view->session().state == ring::kRunning) {
      if (result.path.empty() && !drain.pending()) {
        ring::remove_staging(view->directory_fd(), directory, view->shared_session());
        return result;
      }
      if (result.path.empty()) {
        return Status(StatusCode::kInvalidArgument,
                      directory +
                          ": its records were logged before a session ran, so they have no file to go to: name " +
                          "one with --output");
      }
      if (Status status = check_target(result.path); !status.ok()) return status;
      scribe::OutputFile file;
      if (Status status = file.open(result.path, kFileMode); !status.ok()) return status;
      STENO_KILL_POINT("recover.file_open");
      __atomic_store_n(&view->shared_session()->state, ring::kRunning, __ATOMIC_RELEASE);
      Status status = drain_into(*view, drain, file);
      result.records = drain.records();
      result.bytes = file.bytes_written();
      if (status.ok()) status = file.sync();
      if (!status.ok()) return status;
    }
  }
  ring::remove_staging(view->directory_fd(), directory, view->shared_session());
  return result;
}

std::vector<Recovered> recover_for(const std::string& path, const std::vector<std::string>& extra_roots,
                                   const std::vector<Hint>& hints, std::vector<std::string>* problems) {
  const std::vector<std::string> directories = find_staging_and(hints, extra_roots);
  std::vector<Recovered> done;
  for (const std::string& directory : directories) {
    bool hinted = false;
    bool rubbish = false;
    {
      auto view = StagingView::open(directory, StagingView::Access::kRead);
      rubbish = is_rubbish(view, directory);
      if (!rubbish && (!view.ok() || view->state() != State::kOrphan)) continue;
      hinted = !rubbish && is_hinted(view->session(), hints);
      if (!rubbish && !hinted && !logs_into(view->session(), path)) continue;
      if (!rubbish && view->owner() != geteuid()) continue;
    }
    if (rubbish) {
      (void)recover(directory);
      continue;
    }
    auto result = recover(directory, hinted ? path : "");
    if (result.ok()) {
      done.push_back(std::move(result).value());
    } else if (result.status().code() != StatusCode::kNotFound &&
               result.status().code() != StatusCode::kFailedPrecondition) {
      problems->push_back(result.status().message());
    }
  }
  return done;
}

}  // namespace steno::live
