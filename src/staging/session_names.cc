#include "staging/session_names.h"

#include <cstring>

#include "base/clock.h"
#include "ring/session_access.h"
#include "staging/session_id.h"

namespace steno::staging {

// The first byte last.
void set_log_path(ring::SessionFile& file, const std::string& path) {
  if (path == file.log_path) return;
  __atomic_store_n(&file.log_path[0], '\0', __ATOMIC_RELEASE);
  if (path.empty() || path.size() >= sizeof file.log_path) return;
  std::memcpy(file.log_path + 1, path.data() + 1, path.size() - 1);
  file.log_path[path.size()] = '\0';
  __atomic_store_n(&file.log_path[0], path[0], __ATOMIC_RELEASE);
}

void set_identity(ring::SessionFile& file, const ring::LogIdentity& log) {
  file.log_device = log.device;
  file.log_inode = log.inode;
  file.log_owner = log.owner;
  file.log_birth = log.birth;
}

// clock_kind is stored after that, if it changes: until then rings hold what the session before left, dated by its
// clock.
void name_session(ring::SessionFile& file) {
  file.start_wall = wall_now();
  file.utc_offset = utc_offset(file.start_wall);
  ring::restart_consumers(file);
  ring::publish_session_id(file, new_session_id());
}

}  // namespace steno::staging
