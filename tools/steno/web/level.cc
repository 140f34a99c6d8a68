#include "web/level.h"

#include <unistd.h>

#include <sys/stat.h>
#include <algorithm>

#include "base/level_name.h"
#include "base/level_rules.h"
#include "control/ask.h"
#include "web/line_json.h"

namespace steno::cli::web {
namespace {

constexpr std::int64_t kAnswerWithinNs = 2'000'000'000;

std::string parameter_of(const Params& params, const std::string& name) {
  const auto found = params.find(name);
  return found != params.end() ? found->second : std::string();
}

// Returns whether this user may control the session, as its staging says.
bool is_owned(const reader::Session& session) {
  struct stat st {};
  return !session.info.staging.empty() && ::stat(session.info.staging.c_str(), &st) == 0 &&
         (::geteuid() == 0 || st.st_uid == ::geteuid());
}

template <class Visit>
void each_running(const OpenLog& log, const Visit& visit) {
  for (const auto& file : log.logs().files()) {
    for (const auto& session : file->sessions()) {
      if (session->running) visit(*session);
    }
  }
}

// One rule, which nothing in a name can turn into several.
std::string rule_of(const Params& params) {
  const std::string level = parameter_of(params, "level");
  Level parsed{};
  if (level != "inherit" && !parse_level_name(level, &parsed)) {
    throw Refused(400, "level: there is no level '" + level + "'");
  }
  const std::string logger = parameter_of(params, "logger");
  const std::string site = parameter_of(params, "site");
  const std::string& name = !logger.empty() ? logger : site;
  if (!logger.empty() && !site.empty()) throw Refused(400, "site: give a logger or a site, not both");
  if (name.find_first_of(",=*?\n\t") != std::string::npos || name.size() > 4096) {
    throw Refused(400, "the name has a character that rules of levels cannot have");
  }
  if (name.empty()) return level;
  return site.empty() ? name + "=" + level : statement_rule(site, level);
}

}  // namespace

bool can_control(const OpenLog& log) {
  bool any = false;
  each_running(log, [&](const reader::Session& session) { any = any || is_owned(session); });
  return any;
}

void set_level(const OpenLog& log, const Params& params) {
  const std::string rule = rule_of(params);
  const std::string id = parameter_of(params, "session");
  const std::string pid = parameter_of(params, "pid");
  if (id.empty() && pid.empty()) throw Refused(400, "session: which one? Give session or pid");
  std::vector<std::string> directories;
  each_running(log, [&](const reader::Session& session) {
    const bool is_it = id.empty() ? std::to_string(session.info.pid) == pid : session_name(session) == id;
    const auto known = std::find(directories.begin(), directories.end(), session.info.staging);
    if (is_it && known == directories.end()) directories.push_back(session.info.staging);
  });
  if (directories.empty()) throw Refused(404, "session: no such session runs and logs into these files");
  for (const std::string& directory : directories) {
    const auto answer = control::ask(directory, "level " + rule, kAnswerWithinNs);
    if (!answer.ok()) {
      throw Refused(answer.status().code() == StatusCode::kPermissionDenied ? 403 : 503, answer.status().message());
    }
    if (answer->code != control::kDone) throw Refused(400, answer->text);
  }
}

}  // namespace steno::cli::web
