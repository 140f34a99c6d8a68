#include "follow/open_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "live/salvage.h"
#include "staging/find_staging.h"

namespace steno::follow {
namespace {

constexpr int kAttempts = 10;
constexpr std::size_t kMostHints = 256;  // a file may say that it has any number of sessions without an end

using Seen = live::Salvage;  // without its blocks

std::vector<reader::Extra> extras(std::vector<live::Salvage> salvages) {
  std::vector<reader::Extra> extra;
  for (live::Salvage& salvage : salvages) {
    extra.push_back(
        {std::move(salvage.blocks), salvage.session_id, salvage.state == staging::State::kLive, salvage.ended});
  }
  return extra;
}

std::vector<Seen> look(const std::vector<live::Salvage>& salvages) {
  std::vector<Seen> seen(salvages.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    seen[i].directory = salvages[i].directory;
    seen[i].session_id = salvages[i].session_id;
    seen[i].state = salvages[i].state;
  }
  return seen;
}

// Adds sessions whose staging is in none of the usual places, or whose file was renamed: only the file names them.
// False: there is no new one.
bool find_hints(const reader::LogFile& file, const std::vector<Seen>& seen, std::vector<staging::Hint>* hints) {
  bool more = false;
  for (staging::Hint& hint : staging_of(file)) {
    const auto is_seen = [&hint](const Seen& one) { return one.directory == hint.directory; };
    const auto is_known = [&hint](const staging::Hint& one) { return one.session_id == hint.session_id; };
    if (std::any_of(seen.begin(), seen.end(), is_seen) || std::any_of(hints->begin(), hints->end(), is_known)) continue;
    struct stat st {};
    if (hints->size() == kMostHints || lstat(hint.directory.c_str(), &st) != 0) continue;
    hints->push_back(std::move(hint));
    more = true;
  }
  return more;
}

// Opens a staging directory's records together with the file that its process logs into. `*readable`: the directory can
// be read.
Result<std::unique_ptr<reader::LogFile>> open_session(const std::string& directory, reader::LogSet* logs,
                                                      bool* readable) {
  for (int attempt = 0;; ++attempt) {
    *readable = false;
    std::string path;
    {
      auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead,
                                                staging::ForeignStaging::Extent::kSession);
      if (!view.ok()) return view.status();
      path = view->session().log_path;
    }
    auto salvage = live::salvage(directory, path);
    if (!salvage.ok()) return salvage.status();
    *readable = true;
    std::vector<live::Salvage> one;
    one.push_back(std::move(salvage).value());
    const std::vector<Seen> seen = look(one);
    // A process that has not started a session yet has no log.
    auto log =
        path.empty() ? logs->open_extra(directory, extras(std::move(one))) : logs->open(path, extras(std::move(one)));
    if (!log.ok() || attempt == kAttempts || !live::overtaken(seen[0])) return log;
  }
}

}  // namespace

std::vector<staging::Hint> staging_of(const reader::LogFile& file) {
  std::vector<staging::Hint> hints;
  for (const auto& session : file.sessions()) {
    if (session->end || session->running || session->info.staging.empty()) continue;
    hints.push_back({session->info.staging, session->info.session_id});
  }
  return hints;
}

Status add_log(const std::string& path, reader::LogSet* logs, std::vector<std::string>* problems) {
  if (path == "-") return logs->add(path);
  std::vector<staging::Hint> hints;
  for (int attempt = 0;; ++attempt) {
    // Staging first, file second: what is released meanwhile is found in the file (ring.md §4.3).
    std::vector<std::string> unreadable;
    std::vector<live::Salvage> salvages = live::salvage_for(path, hints, &unreadable);
    std::vector<Seen> seen = look(salvages);
    auto file = logs->open(path, extras(std::move(salvages)));
    if (!file.ok()) return file.status();
    const bool again = std::any_of(seen.begin(), seen.end(), [](const Seen& one) { return live::overtaken(one); });
    const bool more = find_hints(**file, seen, &hints);
    if ((!again && !more) || attempt == kAttempts) {
      logs->add(std::move(file).value());
      problems->insert(problems->end(), unreadable.begin(), unreadable.end());
      return {};
    }
  }
}

Status add_process(const std::string& pid_or_directory, reader::LogSet* logs, std::vector<std::string>* problems) {
  std::vector<std::string> directories;
  if (const auto pid = staging::parse_process_number(pid_or_directory)) {
    directories = staging::find_staging_of_process(*pid);
  } else {
    directories.push_back(pid_or_directory);
  }
  std::size_t found = 0;
  for (const std::string& directory : directories) {
    bool readable = false;
    auto log = open_session(directory, logs, &readable);
    if (!readable) {
      problems->push_back(log.status().message());
      continue;
    }
    if (Status status = logs->add(std::move(log)); !status.ok()) return status;
    ++found;
  }
  if (found != 0) return {};
  return {StatusCode::kNotFound, pid_or_directory + ": no process that logs with steno; 'steno ps' lists them"};
}

}  // namespace steno::follow
