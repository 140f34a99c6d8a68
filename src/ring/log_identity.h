// Which file a log is, whatever its name: what a session keeps of its log (ring.md §5), and how it is compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ring/layout.h"

namespace steno::ring {

// The identity of a log file, independent of its name. All 0: the log has no identity.
struct LogIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t owner = 0;
  std::uint64_t birth = 0;  // ns since the Unix epoch; 0: the file system does not know it

  bool known() const { return inode != 0; }
  // File systems give the inode number of a removed file to the next one, so its time of birth counts, too.
  bool is_same_file(const LogIdentity& other) const {
    const bool reborn = birth != 0 && other.birth != 0 && birth != other.birth;
    return known() && device == other.device && inode == other.inode && !reborn;
  }
};

// The file that `fd` leads to; all 0 if it leads nowhere. Costs one system call, two where statx is refused.
LogIdentity identity_of(int fd);

struct FoundLog {
  LogIdentity identity;
  std::uint64_t size = 0;  // in bytes
};
// The regular file at `path`, behind links; nullopt: there is none, or it cannot be looked at. Cost as above.
std::optional<FoundLog> find_log(const std::string& path);

// The log that the session wrote last.
inline LogIdentity log_of(const SessionFile& session) {
  return {session.log_device, session.log_inode, session.log_owner, session.log_birth};
}

}  // namespace steno::ring
