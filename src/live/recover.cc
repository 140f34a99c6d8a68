#include "live/recover.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/kill_point.h"
#include "live/staging_drain.h"
#include "live/staging_view.h"
#include "ring/staging.h"
#include "scribe/output_file.h"

namespace steno::live {
namespace {

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

// Neither a record that is not on file, nor a loss that is not told there.
bool holds_nothing(StagingView& view) {
  StagingDrain drain(view);
  ByteBuffer block;
  drain.begin(block);
  return !drain.next(block) && !drain.pending();
}

// What is left where the session's file is gone, which is made first and removed last: its owner made a ring while it
// removed the rest, or could not go on.
void remove_remains(const std::string& directory) {
  struct stat st {};
  if (!is_staging_name(std::string_view(directory).substr(directory.rfind('/') + 1))) return;
  if (lstat(directory.c_str(), &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) return;
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "dictionary" || name.starts_with("ring-")) files.push_back(entry.path().string());
  }
  if (lstat((directory + "/session").c_str(), &st) == 0 || errno != ENOENT) return;
  for (const std::string& file : files) unlink(file.c_str());
  rmdir(directory.c_str());
}

// Staging without a record that is not on file: its process died before it could log, or ended in order while threads
// that might have logged went on, or somebody died while removing it. Whoever comes by removes it.
bool is_rubbish(Result<StagingView>& view, const std::string& directory) {
  struct stat st {};
  if (lstat(directory.c_str(), &st) != 0 || st.st_uid != geteuid()) return false;
  if (!view.ok()) return view.status().code() == StatusCode::kNotFound;
  if (view->state() == State::kUnfinished) return true;
  if (view->state() != State::kOrphan) return false;
  if (view->session().state == ring::kRemoving) return true;
  return (view->session().state == ring::kEnded || view->session().log_path[0] == '\0') && holds_nothing(*view);
}

// A file that can be appended to twice, should it come to that.
Status check_target(const std::string& directory, const std::string& path) {
  if (path.empty()) {
    return {StatusCode::kInvalidArgument, directory +
                                              ": its records were logged before a session ran, so they have no file to "
                                              "go to: name one with --output"};
  }
  struct stat st {};
  if (stat(path.c_str(), &st) != 0 || S_ISREG(st.st_mode)) return {};
  return {StatusCode::kInvalidArgument, path + " is no regular file; name another with --output"};
}

}  // namespace

Result<Recovered> recover(const std::string& directory, const std::string& output, unsigned file_mode) {
  auto view = StagingView::open(directory, StagingView::Access::kOwn);
  if (!view.ok()) {
    if (view.status().code() == StatusCode::kNotFound) remove_remains(directory);
    return view.status();
  }
  Recovered result;
  result.directory = directory;
  result.path = output.empty() ? view->session().log_path : output;
  if (view->state() != State::kUnfinished && view->session().state != ring::kRemoving) {
    view->restart_rings();
    const bool nothing = holds_nothing(*view);
    const Status target = check_target(directory, result.path);
    if (!nothing && !target.ok()) return target;
    if (!nothing || (view->session().state == ring::kRunning && target.ok())) {
      StagingDrain drain(*view);
      scribe::OutputFile file;
      if (Status status = file.open(result.path, file_mode); !status.ok()) return status;
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
                                   const std::vector<Hint>& hints, std::vector<std::string>* problems,
                                   unsigned file_mode) {
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
    auto result = recover(directory, hinted ? path : "", file_mode);
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
