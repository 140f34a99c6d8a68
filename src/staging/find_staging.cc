#include "staging/find_staging.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

#include "ring/log_identity.h"
#include "staging/directory.h"
#include "staging/log_marks.h"

namespace steno::staging {

bool is_staging_name(std::string_view name) {
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && dash != 0 && name.size() == dash + 17 &&
         name.find_first_not_of("0123456789") == dash &&
         name.find_first_not_of("0123456789abcdef", dash + 1) == std::string_view::npos;
}

namespace {

constexpr std::size_t kMostOfOthers = 1024;  // staging directories of one other user

// Returns whether the path is a directory that the user in its name has made, for himself.
bool is_user_directory(const std::string& path, uid_t* owner) {
  struct stat st {};
  if (lstat(path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode) || (st.st_mode & 0077) != 0) return false;
  *owner = st.st_uid;
  return path.ends_with("/steno-" + std::to_string(st.st_uid));
}

bool is_user_name(std::string_view name) {
  constexpr std::string_view kPrefix = "steno-";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         name.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

// The matching names in a directory, `most` at most.
std::vector<std::string> list(const std::string& directory, bool (*wanted)(std::string_view), std::size_t most) {
  std::vector<std::string> names;
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fd < 0 ? nullptr : fdopendir(fd), closedir);
  if (listing == nullptr) {
    if (fd >= 0) close(fd);
    return names;
  }
  while (const dirent* entry = readdir(listing.get())) {
    if (names.size() == most) break;
    if (wanted(entry->d_name)) names.emplace_back(entry->d_name);
  }
  return names;
}

std::size_t most_of(uid_t user) {
  return user == geteuid() ? SIZE_MAX : kMostOfOthers;
}

void sort_and_unite(std::vector<std::string>* names) {
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

void append_hints(const std::vector<Hint>& hints, std::vector<std::string>* found) {
  for (const Hint& hint : hints) {
    const std::string& directory = hint.directory;
    const bool named =
        directory.starts_with('/') && is_staging_name(std::string_view(directory).substr(directory.rfind('/') + 1));
    if (named) found->push_back(directory);
  }
  sort_and_unite(found);
}

// Appends the staging marked with one of the keys in the directory of a user.
void append_marked(const std::string& user, const std::vector<std::string>& keys, std::vector<std::string>* found) {
  uid_t owner = 0;
  if (!is_user_directory(user, &owner)) return;
  for (const std::string& key : keys) {
    for (const std::string& name : list(mark_directory(user, key), is_staging_name, most_of(owner))) {
      found->push_back(user + "/" + name);
    }
  }
}

// Returns whether the session's log is where the session says, and the file at `path` another one.
bool is_copy(const ring::SessionFile& session, const std::string& path) {
  if (session.log_path[0] == '\0') return false;
  const ring::LogIdentity log = ring::log_of(session);
  const auto named = ring::find_log(session.log_path);
  if (!named || !log.is_same_file(named->identity)) return false;
  const auto here = ring::find_log(path);
  return here && !log.is_same_file(here->identity);
}

bool is_gone(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) != 0 && errno == ENOENT;
}

}  // namespace

std::vector<std::string> all_roots(const std::vector<std::string>& extra_roots) {
  std::vector<std::string> roots = staging_roots("");
  if (const char* named = secure_getenv("STENO_STAGING"); named != nullptr && *named != '\0') roots.emplace_back(named);
  roots.insert(roots.end(), extra_roots.begin(), extra_roots.end());
  sort_and_unite(&roots);
  return roots;
}

std::vector<std::string> find_staging(Whose whose, const std::vector<std::string>& extra_roots) {
  std::vector<std::string> found;
  for (const std::string& root : all_roots(extra_roots)) {
    std::vector<std::string> users;
    if (whose == Whose::kAll && geteuid() == 0) {
      for (const std::string& name : list(root, is_user_name, SIZE_MAX)) users.push_back(root + "/" + name);
    } else {
      users.push_back(user_directory(root));
    }
    for (const std::string& user : users) {
      uid_t owner = 0;
      if (!is_user_directory(user, &owner)) continue;
      for (const std::string& name : list(user, is_staging_name, most_of(owner))) found.push_back(user + "/" + name);
    }
  }
  sort_and_unite(&found);
  return found;
}

std::optional<std::uint32_t> parse_process_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::uint32_t number = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  return fits ? number : 0;
}

std::vector<std::string> find_staging_of_process(std::uint32_t pid, const std::vector<std::string>& extra_roots) {
  std::vector<std::string> found = find_staging(Whose::kAll, extra_roots);
  std::vector<std::string> dead;
  bool lives = false;
  std::erase_if(found, [&](const std::string& directory) {
    const auto view = ForeignStaging::open(directory, ForeignStaging::Access::kRead, ForeignStaging::Extent::kSession);
    if (view.ok() && view->session().pid != 0) {
      if (view->session().pid != pid || view->session().vacant != 0) return true;
      lives = lives || view->state() == State::kLive;
      if (view->state() != State::kLive) dead.push_back(directory);
      return false;
    }
    return !directory.substr(directory.rfind('/') + 1).starts_with(std::to_string(pid) + "-");
  });
  if (lives) {
    std::erase_if(found,
                  [&](const std::string& one) { return std::find(dead.begin(), dead.end(), one) != dead.end(); });
  }
  return found;
}

std::vector<std::string> find_staging_of(const std::string& path, const std::vector<Hint>& hints,
                                         const std::vector<std::string>& extra_roots) {
  const std::vector<std::string> keys = log_keys(path);
  std::vector<uid_t> users = {geteuid()};
  struct stat st {};
  if (geteuid() == 0 && stat(path.c_str(), &st) == 0 && st.st_uid != geteuid()) users.push_back(st.st_uid);
  std::vector<std::string> found;
  for (const std::string& root : all_roots(extra_roots)) {
    for (const uid_t user : users) append_marked(user_directory(root, user), keys, &found);
  }
  append_hints(hints, &found);
  return found;
}

std::vector<std::string> find_orphans_of(const std::string& path, const std::vector<Hint>& hints,
                                         const std::vector<std::string>& extra_roots) {
  std::vector<std::string> keys = log_keys(path);
  keys.emplace_back(kNoLog);
  std::vector<std::string> found;
  for (const std::string& root : all_roots(extra_roots)) {
    std::vector<std::string> marked;
    append_marked(user_directory(root), keys, &marked);
    for (std::string& directory : marked) {
      if (is_gone(directory)) {
        for (const std::string& key : keys) remove_mark(directory, key);
      } else {
        found.push_back(std::move(directory));
      }
    }
  }
  append_hints(hints, &found);
  return found;
}

bool may_speak_for(const ForeignStaging& view, const std::string& path) {
  struct stat st {};
  return view.owner() == geteuid() || (stat(path.c_str(), &st) == 0 && st.st_uid == view.owner());
}

bool is_hinted(const ring::SessionFile& session, const std::vector<Hint>& hints, const std::string& path) {
  return std::any_of(hints.begin(), hints.end(),
                     [&session](const Hint& hint) { return hint.session_id == session.session_id; }) &&
         !is_copy(session, path);
}

bool is_marked(const std::string& directory, const std::string& path) {
  const std::size_t slash = directory.rfind('/');
  const std::vector<std::string> keys = log_keys(path);
  return slash != std::string::npos && std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
           return !is_gone(mark_directory(directory.substr(0, slash), key) + directory.substr(slash));
         });
}

bool logs_into(const ring::SessionFile& session, const std::string& path) {
  if (session.log_path[0] == '\0') return false;
  return path == session.log_path || resolved_log(path) == resolved_log(session.log_path);
}

}  // namespace steno::staging
