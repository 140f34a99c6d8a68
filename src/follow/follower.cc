#include "follow/follower.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "follow/descriptors.h"
#include "follow/open_log.h"
#include "live/salvage.h"

namespace steno::follow {
namespace {

constexpr unsigned kMostForStaging = 75;      // percent of the descriptors
constexpr std::int64_t kPauseNs = 1'000'000;  // between looks: what people do not notice, and costs little

// The number that records are ordered by.
std::int64_t key_of(const reader::Slice& slice, std::uint32_t i) {
  return slice.block->session().clock.merge_key(slice.block->ticks(i));
}

ByteBuffer copy_of(const ByteBuffer& bytes) {
  ByteBuffer copy;
  copy.put_bytes(bytes.data(), bytes.size());
  return copy;
}

bool counts_ticks(std::uint32_t clock_kind) {
  const auto kind = static_cast<ClockKind>(clock_kind);
  return kind == ClockKind::kTsc || kind == ClockKind::kCntvct || kind == ClockKind::kCoarse;
}

}  // namespace

Follower::Now Follower::Now::read() {
  return {monotonic_now(), wall_now(), counter_now()};
}

Status Follower::open(reader::LogSet* logs, std::vector<std::string>* problems) {
  file_.open();
  secrets_ = logs->ordinals().secrets;
  const Status status = add_log(path_, logs, problems);
  if (status.ok()) {
    file_.go_on_after(*logs->files().back());
    note_seen(*logs->files().back());
  }
  search(monotonic_now());
  return status;
}

// Everything in the log counts as printed.
void Follower::note_seen(const reader::LogFile& file) {
  for (const auto& session : file.sessions()) {
    for (const reader::RingEntry& ring : session->rings) {
      std::uint64_t& next = seen_[session->info.session_id][ring.ring];
      for (const std::uint64_t i : ring.runs) {
        next = std::max(next, file.runs()[i].first_seq + file.runs()[i].records);
      }
    }
  }
}

bool Follower::is_ours(const staging::ForeignStaging& view, const std::vector<staging::Hint>& hints) const {
  return (staging::logs_into(view.session(), path_) || staging::is_hinted(view.session(), hints, path_)) &&
         staging::may_speak_for(view, path_);
}

// Finds the staging of processes that log into the file; lets go of what is no longer there.
void Follower::search(std::int64_t now) {
  const std::int64_t last = std::exchange(last_search_, now);
  const std::vector<staging::Hint> hints = file_.hints();
  const std::vector<std::string> directories = staging::find_staging_of(path_, hints);
  const std::size_t before = stagings_.size();
  std::erase_if(stagings_, [&](const std::unique_ptr<live::StagingTail>& staging) {
    return std::find(directories.begin(), directories.end(), staging->directory()) == directories.end() ||
           !is_ours(staging->view(), hints);
  });
  if (stagings_.size() != before) last_file_ = 0;  // what they had is there
  for (const std::string& directory : directories) {
    const auto is_known = [&directory](const auto& staging) { return staging->directory() == directory; };
    if (std::any_of(stagings_.begin(), stagings_.end(), is_known)) continue;
    using View = staging::ForeignStaging;
    auto view = View::open(directory, View::Access::kRead, View::Extent::kSession);
    if (!view.ok() || view->session().version == 0 || !is_ours(*view, hints)) continue;
    view = View::open(directory, View::Access::kRead);
    if (!view.ok() || view->session().version == 0) continue;
    if (!is_to_spare(view->directory_fd(), kMostForStaging)) continue;  // its file tells the same, a little later
    stagings_.push_back(std::make_unique<live::StagingTail>(std::move(view).value()));
  }
  forget_ended(last);
}

// Forgets the sessions that have ended in the file, have no staging any more, and had neither at the last search, at
// `before`, either: what was found since is printed.
void Follower::forget_ended(std::int64_t before) {
  if (behind_) return ended_before_.clear();
  std::erase_if(ended_, [](const auto& ended) { return access(ended.first.c_str(), F_OK) != 0; });
  std::set<std::uint64_t> going_on;
  for (const auto& staging : stagings_) going_on.insert(staging->session_id());
  for (const auto& [staging, ended] : ended_) going_on.insert(ended.session_id);  // for the session that follows there
  const bool holds_older =
      std::any_of(found_.begin(), found_.end(), [before](const Found& found) { return found.began <= before; });
  std::set<std::uint64_t> ended;
  std::erase_if(seen_, [&](const auto& seen) {
    const std::uint64_t session = seen.first;
    if (going_on.contains(session) || file_.has_open(session)) return false;
    if (!holds_older && ended_before_.contains(session)) return true;
    ended.insert(session);
    return false;
  });
  ended_before_ = std::move(ended);
}

// Returns whether the file has to be looked at for what lies before what was found.
bool Follower::look_at_rings(Found* found) {
  bool gaps = false;
  std::erase_if(stagings_, [&](const std::unique_ptr<live::StagingTail>& staging) {
    if (!staging->moved()) return false;
    ByteBuffer blocks;
    const live::StagingTail::Look look = staging->look(&blocks);
    gaps = gaps || look != live::StagingTail::Look::kWhole;
    // A session that has begun since the search may log elsewhere.
    if (look == live::StagingTail::Look::kBegins && !is_ours(staging->view(), file_.hints())) return true;
    if (!blocks.empty()) found->rings.push_back({staging->session_id(), std::move(blocks)});
    return false;
  });
  return gaps;
}

// Finds a process that has died since the last look, and the records that are missing. Its records are known but for
// the latest; what recovery puts into the file is the same. False: none has died.
bool Follower::look_at_dead(Found* found) {
  bool any = false;
  std::erase_if(dead_, [this](std::uint64_t session) {
    return std::none_of(stagings_.begin(), stagings_.end(), [&](const auto& s) { return s->session_id() == session; });
  });
  for (const auto& staging : stagings_) {
    if (!staging->view().is_orphan() || !dead_.insert(staging->session_id()).second) continue;
    any = true;
    auto left = live::salvage(staging->directory());
    if (left.ok() && left->state == staging::State::kOrphan && left->session_id == staging->session_id()) {
      found->rings.push_back({left->session_id, std::move(left->blocks)});
    }
  }
  return any;
}

void Follower::look_at_file(Found* found) {
  std::vector<FileTail::Event> events;
  std::size_t size = 0;
  do {  // a new file after the old one
    size = found->file.size();
    behind_ = !file_.read(&found->file, &events);
  } while (!behind_ && found->file.size() != size);
  for (const FileTail::Event& event : events) take(event);
}

void Follower::take(const FileTail::Event& event) {
  if (!event.end) return begin_session(event.session_id, event.staging);
  if (event.staging.empty()) return;
  Ended& ended = ended_[event.staging];
  ended = {event.session_id, {}};
  for (const format::RingTotal& total : event.end->rings) ended.totals[total.ring] = total.seq;
}

// Records that were printed as the session's before it, and had not been written when that ended, are this one's.
void Follower::begin_session(std::uint64_t session_id, const std::string& staging) {
  const auto before = ended_.find(staging);
  if (before == ended_.end() || before->second.session_id == session_id || seen_.contains(session_id)) return;
  SeenByRing& seen = seen_[session_id];
  for (const auto& [ring, printed] : seen_[before->second.session_id]) {
    const std::uint64_t total = before->second.totals[ring];
    if (printed > total) seen[ring] = printed - total;
  }
}

bool Follower::poll(const Print& print) {
  const Now now = Now::read();  // before the tails: what is not there yet is later, but for threads that are held up
  const bool searched = now.monotonic - last_search_ >= kSearchNs;
  if (searched) search(now.monotonic);
  Found found;
  found.began = now.monotonic;
  bool at_file = searched && look_at_dead(&found);
  at_file = at_file || behind_ || now.monotonic - last_file_ >= kFileNs;
  if (!behind_) at_file = look_at_rings(&found) || at_file;  // before the file (ring.md §4.3)
  if (at_file) {
    last_file_ = now.monotonic;
    look_at_file(&found);
  }
  if (!found.file.empty() || !found.rings.empty()) {
    found_.push_back(std::move(found));
  }
  if (found_.empty()) return false;
  print_found(now, print);
  cost_ = monotonic_now() - now.monotonic;
  return behind_;
}

std::int64_t Follower::pause() const {
  if (behind_) return 0;
  if (stagings_.empty() && found_.empty()) return kFileNs;
  // Not all the time, when there is a lot: the longer a look takes, the more the next one does at once.
  return found_.empty() ? kPauseNs : std::clamp(cost_, kHoldNs, kPauseNs);
}

// Records of the file come first; those of the rings wait until the file has caught up with it.
std::vector<reader::Extra> Follower::extras() {
  std::vector<reader::Extra> extra;
  for (Found& found : found_) {
    if (!found.file.empty()) extra.push_back({behind_ ? std::move(found.file) : copy_of(found.file), 0, false});
    if (behind_) found.file = {};
  }
  if (behind_) return extra;
  for (const Found& found : found_) {
    for (const Found::Rings& rings : found.rings) extra.push_back({copy_of(rings.blocks), rings.session_id, true});
  }
  return extra;
}

// Up to which key there is nothing to come any more.
std::int64_t Follower::cutoff(const reader::LogFile& file, const Now& now) const {
  if (order_ == Order::kNone || behind_) return INT64_MAX;
  std::int64_t by_clock = now.wall - kHoldNs;
  bool counted = false;
  for (const auto& session : file.sessions()) {
    const auto is_its = [&session](const auto& s) { return s->session_id() == session->info.session_id; };
    if (std::none_of(stagings_.begin(), stagings_.end(), is_its)) continue;
    if (session->info.clock_kind == static_cast<std::uint32_t>(ClockKind::kUser)) by_clock = INT64_MIN;
    if (!counts_ticks(session->info.clock_kind)) continue;
    const auto hold = static_cast<std::uint64_t>(static_cast<double>(kHoldNs) / session->info.ns_per_tick);
    const std::int64_t key = session->clock.merge_key(now.ticks - std::min(hold, now.ticks));
    by_clock = counted ? std::min(by_clock, key) : key;
    counted = true;
  }
  std::int64_t ripe = INT64_MIN;
  for (const Found& found : found_) {
    if (now.monotonic - found.began >= kHoldNs) ripe = std::max(ripe, found.latest);
  }
  return std::max(by_clock, ripe);
}

void Follower::print_found(const Now& now, const Print& print) {
  reader::LogSet logs(secrets_);
  std::vector<reader::Extra> extra = extras();
  if (extra.empty()) return;
  auto file = logs.open_extra(path(), std::move(extra));
  if (!file.ok()) {  // of a newer version
    found_.clear();
    return;
  }
  passed_over_ = passed_over_ || !file.value()->damage().empty();
  if (!behind_) {
    for (const auto& staging : stagings_) begin_session(staging->session_id(), staging->directory());
  }
  for (const auto& [session, rings] : seen_) file.value()->skip_printed(session, rings);
  const std::int64_t limit = cutoff(*file.value(), now);
  logs.add(std::move(file).value());
  const Held held = print_until(limit, logs, print);
  if (behind_) {
    std::erase_if(found_, [](const Found& found) { return found.rings.empty(); });
    return;
  }
  for (Found& found : found_) {
    if (found.latest == INT64_MIN) found.latest = held.latest;
  }
  // Where a thread's own clock goes back, records queue after those of their thread, whatever their time.
  if (held.any && held.least <= limit) return;
  std::erase_if(found_, [limit](const Found& found) { return found.latest <= limit; });
}

Follower::Held Follower::print_until(std::int64_t cutoff, const reader::LogSet& logs, const Print& print) {
  reader::ReadOptions options;
  options.sort = order_ == Order::kTime;
  reader::Merge merge(logs, options);
  reader::Slice slice;
  Held held;
  while (merge.next(&slice)) {
    const std::uint32_t end = slice.end;
    std::uint32_t i = slice.begin;
    if (cutoff == INT64_MAX) i = end;
    for (; !held.any && i < end && key_of(slice, i) <= cutoff; ++i)
      held.latest = std::max(held.latest, key_of(slice, i));
    held.any = held.any || i < end;
    for (std::uint32_t k = i; k < end; ++k) {
      held.least = std::min(held.least, key_of(slice, k));
      held.latest = std::max(held.latest, key_of(slice, k));
    }
    if (i == slice.begin) continue;
    slice.end = i;
    const reader::RunEntry& run = slice.block->file().run_of(slice.block->entry(), slice.begin);
    std::uint64_t& next = seen_[slice.block->session().info.session_id][run.ring];
    next = std::max(next, run.first_seq + (i - run.start));
    if (!print(slice)) break;
  }
  passed_over_ = passed_over_ || !merge.failures().empty();
  return held;
}

std::vector<std::string> Follower::staging() const {
  std::vector<std::string> directories;
  for (const auto& staging : stagings_) directories.push_back(staging->directory());
  return directories;
}

bool Follower::is_written() const {
  return std::any_of(stagings_.begin(), stagings_.end(),
                     [](const auto& staging) { return !staging->view().is_orphan(); });
}

}  // namespace steno::follow
