#include "api/follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "api/open_log.h"
#include "base/clock.h"
#include "format/block.h"
#include "live/salvage.h"
#include "reader/block_scanner.h"

namespace steno::api {
namespace {

constexpr std::int64_t kSearchNs = 100'000'000;                // how often to look for new processes
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 26;  // bytes of the file

bool is_preamble(format::BlockType type) {
  return type == format::BlockType::kSession || type == format::BlockType::kDictionary ||
         type == format::BlockType::kClock;
}

// What records are ordered by.
std::int64_t key_of(const reader::Slice& slice, std::uint32_t i) {
  return slice.block->session().clock.merge_key(slice.block->ticks(i));
}

}  // namespace

Follower::~Follower() {
  if (fd_ >= 0) close(fd_);
}

Status Follower::open(reader::LogSet* logs, std::vector<std::string>* problems) {
  const Status status = add_log(path_, logs, problems);
  open_file();
  look_for_staging(true);
  if (!status.ok()) return status;
  note_seen(*logs->files().back());
  note_hints(*logs->files().back());
  look_for_staging(true);
  ByteBuffer bytes;
  std::uint64_t end = 0;
  while (fd_ >= 0) {  // what was scanned is not kept by the log in this form
    bytes.clear();
    read_file(&bytes, &end);
    if (end == offset_) break;
    keep_preamble({bytes.data(), static_cast<std::size_t>(end - offset_)});
    offset_ = read_to_ = end;
  }
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

void Follower::open_file() {
  if (fd_ >= 0) close(fd_);
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st {};
  if (fd_ >= 0 && fstat(fd_, &st) == 0) {
    device_ = st.st_dev;
    inode_ = st.st_ino;
  }
  offset_ = read_to_ = file_size_ = 0;
  preamble_.clear();
}

// Whether the file has more than at the last look. A new one at the path is taken up once the old one is at its end.
bool Follower::file_moved() {
  struct stat st {};
  if (fd_ >= 0 && fstat(fd_, &st) == 0) {
    const auto size = static_cast<std::uint64_t>(st.st_size);
    if (size < offset_) {  // truncated: begins anew
      open_file();
      return true;
    }
    if (size != file_size_) {
      file_size_ = size;
      return true;
    }
  }
  if (held_ || stat(path_.c_str(), &st) != 0 || st.st_size == 0) return false;
  if (fd_ >= 0 && st.st_dev == device_ && st.st_ino == inode_) return false;
  // Before anything is in the new file, the old one has its end.
  if (fd_ >= 0 && fstat(fd_, &st) == 0 && static_cast<std::uint64_t>(st.st_size) != file_size_) {
    file_size_ = static_cast<std::uint64_t>(st.st_size);
    return true;
  }
  open_file();
  return fd_ >= 0;
}

// New bytes of the file; `*end`: behind the last whole block.
void Follower::read_file(ByteBuffer* bytes, std::uint64_t* end) {
  *end = offset_;
  struct stat st {};
  if (fd_ < 0 || fstat(fd_, &st) != 0 || static_cast<std::uint64_t>(st.st_size) <= offset_) return;
  const std::uint64_t size = std::min<std::uint64_t>(static_cast<std::uint64_t>(st.st_size) - offset_, kMostAtOnce);
  std::uint8_t* to = bytes->grow(size);
  std::uint64_t done = 0;
  while (done < size) {
    const ssize_t n = pread(fd_, to + done, size - done, static_cast<off_t>(offset_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::uint64_t>(n);
  }
  std::fill(to + done, to + size, std::uint8_t{0});
  reader::BlockScanner scanner({bytes->data(), bytes->size()});
  while (const auto block = scanner.next()) *end = offset_ + block->offset + block->header.total_size();
}

void Follower::keep_preamble(std::span<const std::uint8_t> bytes) {
  reader::BlockScanner scanner(bytes);
  while (const auto block = scanner.next()) {
    if (!is_preamble(block->header.type)) continue;
    const std::size_t size = std::min(block->header.total_size(), bytes.size() - block->offset);
    preamble_.put_bytes(bytes.data() + block->offset, size);
  }
}

// Maps the staging of processes that log into the file, now and then, and when a process makes more rings.
void Follower::look_for_staging(bool now) {
  for (const Watched& one : watched_) {
    const ring::SessionFile* session = const_cast<Watched&>(one).view.shared_session();
    now = now || __atomic_load_n(&session->ring_count, __ATOMIC_ACQUIRE) != one.view.rings().size() ||
          __atomic_load_n(&session->session_id, __ATOMIC_ACQUIRE) != one.view.session().session_id;
  }
  const std::int64_t time = monotonic_now();
  if (!now && time - last_search_ < kSearchNs) return;
  last_search_ = time;
  std::vector<Watched> found;
  for (const std::string& directory : live::find_staging_and(hints_)) {
    auto view = live::StagingView::open(directory, live::StagingView::Access::kRead);
    if (!view.ok() || view->session().version == 0) continue;
    const bool ours = live::logs_into(view->session(), path_) || live::is_hinted(view->session(), hints_);
    if (!ours || !live::may_speak_for(*view, path_)) continue;
    const auto known = std::find_if(watched_.begin(), watched_.end(),
                                    [&directory](const Watched& one) { return one.view.directory() == directory; });
    std::vector<std::uint64_t> tails;
    if (known != watched_.end()) tails = known->tails;
    found.push_back({std::move(view).value(), std::move(tails)});
  }
  watched_ = std::move(found);
}

bool Follower::staging_moved() {
  bool moved = false;
  for (Watched& one : watched_) {
    const auto& rings = one.view.rings();
    if (one.tails.size() < rings.size()) one.tails.resize(rings.size());
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const std::uint64_t tail = ring::load_tail(rings[i].header);
      moved = moved || tail != one.tails[i];
      one.tails[i] = tail;
    }
  }
  return moved;
}

void Follower::follow_sessions(const reader::LogFile& file) {
  note_hints(file);
  for (const auto& session : file.sessions()) {
    const std::uint64_t id = session->info.session_id;
    const auto before = ended_.find(session->info.staging);
    if (before != ended_.end() && before->second.session_id != id && !seen_.contains(id)) {
      SeenByRing& seen = seen_[id];
      for (const auto& [ring, printed] : seen_[before->second.session_id]) {
        const std::uint64_t total = before->second.totals[ring];
        if (printed > total) seen[ring] = printed - total;
      }
    }
    if (!session->end || session->info.staging.empty()) continue;
    Ended& ended = ended_[session->info.staging];
    ended = {id, {}};
    for (const format::RingTotal& total : session->end->rings) ended.totals[total.ring] = total.seq;
  }
}

// Staging that is in none of the usual places, or whose file was renamed, is known by the file only.
void Follower::note_hints(const reader::LogFile& file) {
  hints_.clear();
  for (const auto& session : file.sessions()) {
    if (!session->end && !session->info.staging.empty()) {
      hints_.push_back({session->info.staging, session->info.session_id});
    }
  }
}

std::vector<std::string> Follower::staging() const {
  std::vector<std::string> directories;
  for (const Watched& one : watched_) directories.push_back(one.view.directory());
  return directories;
}

bool Follower::poll(const Print& print) {
  look_for_staging(false);
  const bool staging = staging_moved();
  if (!file_moved() && !staging && !held_) return false;

  std::vector<reader::Extra> extra;
  std::vector<reader::Extra> waiting;
  for (const Watched& one : watched_) {  // before the file (ring.md §4.3)
    auto salvage = live::salvage(one.view.directory());
    if (salvage.ok()) waiting.push_back({std::move(salvage->blocks), salvage->session_id, true});
  }
  ByteBuffer preamble;
  preamble.put_bytes(preamble_.data(), preamble_.size());
  ByteBuffer bytes;
  std::uint64_t end = 0;
  read_file(&bytes, &end);
  // What the last look saw is printed by this one, unless order is not wanted.
  const std::uint64_t printed = order_ == Order::kTime ? read_to_ : end;
  extra.push_back({std::move(preamble), 0, false});
  ByteBuffer copy;
  copy.put_bytes(bytes.data(), bytes.size());
  extra.push_back({std::move(copy), 0, false});
  std::move(waiting.begin(), waiting.end(), std::back_inserter(extra));

  reader::LogSet logs;
  auto file = logs.open("", std::move(extra));
  if (!file.ok()) return false;
  follow_sessions(*file.value());
  for (const auto& [session, rings] : seen_) file.value()->skip_printed(session, rings);
  logs.add(std::move(file).value());
  const bool any = print_new(logs, print);
  const bool moved = printed > offset_;
  if (moved) {
    keep_preamble({bytes.data(), static_cast<std::size_t>(printed - offset_)});
    offset_ = printed;
  }
  read_to_ = end;
  if (order_ == Order::kNone) return moved;
  held_ = held_ || end > offset_;
  return any || held_;
}

bool Follower::print_new(reader::LogSet& logs, const Print& print) {
  const bool in_time = order_ == Order::kTime;
  reader::ReadOptions options;
  options.sort = in_time;
  reader::Merge merge(logs, options);
  reader::Slice slice;
  bool any = false;
  held_ = false;
  std::int64_t latest = cutoff_;
  while (merge.next(&slice)) {
    const std::uint32_t end = slice.end;
    std::uint32_t i = slice.begin;
    if (!in_time) i = end;
    while (!held_ && i < end && key_of(slice, i) <= cutoff_) ++i;
    held_ = held_ || i < end;
    for (std::uint32_t k = i; k < end; ++k) latest = std::max(latest, key_of(slice, k));
    if (i == slice.begin) continue;
    slice.end = i;
    any = true;
    const reader::RunEntry& run = slice.block->file().run_of(slice.block->entry(), slice.begin);
    std::uint64_t& next = seen_[slice.block->session().info.session_id][run.ring];
    next = std::max(next, run.first_seq + (i - run.start));
    if (!print(slice)) break;
  }
  cutoff_ = latest;
  return any;
}

}  // namespace steno::api
