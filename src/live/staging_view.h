// Staging of another process, live or dead: found, opened, validated (ring.md §1-4). Nothing in it is trusted.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ring/layout.h"
#include "scribe/span_walker.h"
#include "steno/status.h"

namespace steno::live {

// What a dictionary file says (ring.md §3).
class DictionaryIds final : public scribe::IdSource, private wire::DictionaryVisitor {
 public:
  // Keeps what comes before the first malformed entry.
  void read(const void* bytes, std::size_t size);
  bool find_site(std::uint32_t id, wire::SiteInfo* info) override;
  std::uint32_t sites_end() override { return static_cast<std::uint32_t>(sites_.size()); }
  bool find_logger(std::uint32_t id, std::string* name) override;

 private:
  void on_site(wire::SiteInfo site) override;
  void on_logger(wire::LoggerInfo logger) override;
  void on_thread(wire::ThreadInfo) override {}

  std::size_t most_sites_ = 0;  // ids are dense, so more than the bytes can hold are a lie
  std::vector<std::unique_ptr<wire::SiteInfo>> sites_;
  std::vector<std::unique_ptr<std::string>> loggers_;
};

// A ring file, mapped. Its header may change at any time, and say anything.
struct ForeignRing {
  std::uint32_t id = 0;
  ring::RingHeader* header = nullptr;
  const std::byte* data = nullptr;
  std::uint64_t capacity = 0;
  bool current = false;  // its numbers are those of the session; else they start at 0
};

// How a staging directory stands.
enum class State {
  kLive,       // its owner lives, or somebody recovers it now
  kOrphan,     // its owner is dead
  kUnfinished  // its owner died before the first record could be logged
};

// One staging directory, opened. Movable; unmaps and unlocks when destroyed. Not thread-safe.
class StagingView {
 public:
  enum class Access {
    kRead,  // by anyone with the rights; changes nothing, not even for a moment longer than the look at the lock
    kOwn,   // to recover: holds the lock until destroyed
  };

  // kNotFound: no staging there (any more). kFailedPrecondition: kOwn, and somebody else has the lock.
  // kPermissionDenied: somebody else's. kUnsupported: another version's. kCorrupt: it contradicts itself. kIoError:
  // kOwn, and not all of it can be opened or mapped now. Rings that make no sense are left out and told by problems().
  static Result<StagingView> open(const std::string& directory, Access access);

  StagingView(StagingView&&) noexcept;
  StagingView& operator=(StagingView&&) noexcept;
  ~StagingView();

  const std::string& directory() const { return directory_; }
  State state() const { return state_; }
  uid_t owner() const { return owner_; }
  // As it was when it was opened; its texts are terminated.
  const ring::SessionFile& session() const { return session_; }
  // The mapped one; to be written with kOwn only.
  ring::SessionFile* shared_session() { return shared_; }
  const ring::SessionFile* shared_session() const { return shared_; }
  const std::vector<ForeignRing>& rings() const { return rings_; }
  const std::vector<std::string>& problems() const { return problems_; }
  // For those who read along: the session's facts as they are now, and rings made since. False: another session has
  // begun there, so it is to be opened anew.
  bool refresh();
  // Takes in dictionary entries made since. Behind a look at the tails they have all that the records there need.
  void refresh_dictionary();
  // kOwn: numbers start anew in rings that the session had not reached when it died (ring.md §4.2).
  void restart_rings();
  DictionaryIds& ids() { return *ids_; }
  int directory_fd() const { return directory_fd_; }

 private:
  StagingView() = default;
  Status check_owner();
  int open_file(const char* name, int flags);
  Status open_session(Access access);
  void copy_session();
  Status read_dictionary();
  Status map_rings(Access access);
  Status map_ring(const char* name, std::uint32_t id, Access access);

  std::string directory_;
  State state_ = State::kLive;
  uid_t owner_ = 0;
  int directory_fd_ = -1;
  int session_fd_ = -1;
  ring::SessionFile session_{};
  ring::SessionFile* shared_ = nullptr;
  std::vector<ForeignRing> rings_;
  std::vector<std::string> problems_;
  std::unique_ptr<DictionaryIds> ids_;
  std::uint64_t dictionary_size_ = 0;  // that was there when ids_ was read, at least
};

// Whose record lies at a release; its name, if the slot is still about it.
wire::ThreadInfo thread_of(const ring::Release& release, const ring::ThreadSlot& slot);

// "<pid>-<16 hex digits>".
bool is_staging_name(std::string_view name);

// The staging directories of the calling user (of all users, for root) in the usual roots (ring::staging_roots) and in
// `extra_roots`. In order of path.
std::vector<std::string> find_staging(const std::vector<std::string>& extra_roots = {});
// Where a file says that the staging of one of its sessions was. Files may lie.
struct Hint {
  std::string directory;
  std::uint64_t session_id = 0;
};
// And those that are hinted at, as far as they are named like staging.
std::vector<std::string> find_staging_and(const std::vector<Hint>& hints,
                                          const std::vector<std::string>& extra_roots = {});

// Whether the session logs into the file at `path`, whichever way either is spelt.
bool logs_into(const ring::SessionFile& session, const std::string& path);
// Whether it may say what else belongs into that file: for root, who sees everybody's staging, not that of just
// anybody.
bool may_speak_for(const StagingView& view, const std::string& path);
// Whether it is one of those hinted at: a file that has been renamed still knows its sessions.
bool is_hinted(const ring::SessionFile& session, const std::vector<Hint>& hints);

}  // namespace steno::live
