#include "follow/file_tail.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file_ranges.h"
#include "follow/descriptors.h"
#include "format/packed_session.h"
#include "wire/dictionary.h"

namespace steno::follow {
namespace {

using format::BlockType;

constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
constexpr unsigned kSparePercent = 50;     // of the descriptors; the rest is for other files, and to look at these
constexpr std::size_t kMostModels = 64;    // a writer uses those of the last part of the file only
constexpr std::size_t kMostPoints = 2048;  // clock points that are kept: those of seconds at least

void append_block(const reader::ScannedBlock& block, ByteBuffer* out) {
  format::append_block(*out, block.header.type, block.tag, block.payload);
}

// After the last data of the file itself.
std::uint64_t end_of_data(const reader::LogFile& file) {
  std::uint64_t end = file.packed_end();
  for (const reader::BlockEntry& block : file.blocks()) {
    if (block.offset < file.size()) end = std::max(end, block.header_offset() + block.total_size());
  }
  return std::min(end, file.size());
}

void append_dictionary(const reader::Dictionary& dictionary, format::SessionTag tag, ByteBuffer* out) {
  const std::size_t start = format::begin_block(*out, BlockType::kDictionary, tag);
  for (const reader::Site& site : dictionary.sites()) {
    if (site.known()) wire::append_entry(*out, site.info());
  }
  for (const reader::Logger& logger : dictionary.all_loggers()) {
    if (logger.known) wire::append_entry(*out, logger.info);
  }
  for (const reader::Thread& thread : dictionary.all_threads()) {
    if (thread.known) wire::append_entry(*out, thread.info);
  }
  format::end_block(*out, start);
}

// Those after the last index: all that blocks to come may refer to.
void append_strings(const reader::Session& session, format::SessionTag tag, ByteBuffer* out) {
  for (const auto& block : session.strings.blocks()) {
    if (block.offset < session.last_index) continue;
    format::append_block(*out, BlockType::kStrings, tag, block.payload);
  }
}

// In order, each once, and not more than are needed.
void tidy(std::vector<format::ClockPoint>* points) {
  const auto before = [](const format::ClockPoint& a, const format::ClockPoint& b) { return a.ticks < b.ticks; };
  const auto same = [](const format::ClockPoint& a, const format::ClockPoint& b) {
    return a.ticks == b.ticks && a.wall_ns == b.wall_ns;
  };
  if (!std::is_sorted(points->begin(), points->end(), before)) {
    std::stable_sort(points->begin(), points->end(), before);
    points->erase(std::unique(points->begin(), points->end(), same), points->end());
  }
  if (points->size() <= 2 * kMostPoints) return;
  points->erase(points->begin(), points->end() - static_cast<std::ptrdiff_t>(kMostPoints));
}

}  // namespace

FileTail::~FileTail() {
  if (fd_ >= 0) close(fd_);
}

void FileTail::go_on_after(const reader::LogFile& file) {
  struct stat st {};
  if (stat(path_.c_str(), &st) != 0 || !is_it(st)) return;
  offset_ = end_of_data(file);
  kept_until_ = file.size();
  keep(file);
}

// Keeps the entries that blocks after offset_ may refer to.
void FileTail::keep(const reader::LogFile& file) {
  for (const auto bare : file.models()) keep_model(bare);
  for (const auto& session : file.sessions()) {
    if (!session->known || session->offset >= file.size()) continue;
    const format::SessionTag tag = format::session_tag(session->info.session_id, session->info.version);
    Session& kept = sessions_[tag.packed()];
    kept = {};
    kept.tag = tag;
    kept.id = session->info.session_id;
    kept.staging = session->info.staging;
    kept.ended = session->end.has_value();
    if (kept.ended) continue;
    format::append_session_block(kept.session_block, session->info);
    append_dictionary(session->dictionary, tag, &kept.dictionary);
    append_strings(*session, tag, &kept.strings);
    kept.points = session->clock_points;
    tidy(&kept.points);
  }
}

void FileTail::open() {
  open_path();
  let_go();
}

void FileTail::open_path() {
  if (fd_ >= 0) close(fd_);
  fd_ = ::open(path_.c_str(), kFlags);
  const bool too_many = fd_ < 0 && (errno == EMFILE || errno == ENFILE);
  struct stat st {};
  known_ = fd_ >= 0 ? fstat(fd_, &st) == 0 : too_many && stat(path_.c_str(), &st) == 0;
  device_ = st.st_dev;
  inode_ = st.st_ino;
  renamed_ = false;
  offset_ = size_ = kept_until_ = 0;
  sessions_.clear();
  models_.clear();
  model_numbers_.clear();
}

bool FileTail::is_it(const struct stat& st) const {
  return known_ && st.st_dev == device_ && st.st_ino == inode_;
}

void FileTail::take_if_it(int fd) {
  struct stat st {};
  if (fd < 0) return;
  if (fd_ < 0 && fstat(fd, &st) == 0 && is_it(st)) {
    fd_ = fd;
  } else {
    close(fd);
  }
}

// By another name in the same directory, where rotation leaves it.
void FileTail::find_renamed() {
  const std::size_t slash = path_.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return;
  while (const dirent* entry = readdir(listing)) {
    if (entry->d_ino != inode_ || fd_ >= 0) continue;
    take_if_it(openat(dirfd(listing), entry->d_name, kFlags));
  }
  closedir(listing);
  renamed_ = fd_ >= 0;
}

// Opens the file again, if it was let go and there is something to see. False: not now.
bool FileTail::regain() {
  if (fd_ >= 0 || !known_) return true;
  struct stat st {};
  const bool there = stat(path_.c_str(), &st) == 0;
  if (there && is_it(st)) {
    if (static_cast<std::uint64_t>(st.st_size) == size_) return false;
    take_if_it(::open(path_.c_str(), kFlags));
  } else {
    errno = 0;
    find_renamed();
  }
  if (fd_ >= 0) return true;
  if (errno == EMFILE || errno == ENFILE || (there && is_it(st))) return false;
  passed_over_ = true;  // it is gone, with what came into it since the last look, if anything did
  known_ = false;
  return true;
}

// Where many files are followed, only some are kept open.
void FileTail::let_go() {
  if (fd_ < 0 || renamed_ || is_to_spare(fd_, kSparePercent)) return;
  close(fd_);
  fd_ = -1;
}

// The file is at its end: takes up a new one at the path. Before anything is in that, the old one has its end.
bool FileTail::follow_path() {
  struct stat st {};
  if (stat(path_.c_str(), &st) != 0 || st.st_size == 0) return false;
  if (is_it(st)) return false;
  if (fd_ >= 0 && fstat(fd_, &st) == 0 && static_cast<std::uint64_t>(st.st_size) != size_) return true;
  open_path();
  return known_;
}

// The next bytes; how many of them are whole blocks. The zeros that fill up the last one may be missing.
std::uint64_t FileTail::read_part(std::uint64_t most) {
  const std::uint64_t size = std::min(size_ - offset_, most);
  part_.clear();
  part_.truncate(read_up_to(fd_, offset_, size, part_.grow(size)));
  part_.pad_to(8);
  reader::BlockScanner scanner = scanner_of(part_.size());
  std::uint64_t end = 0;
  while (const auto block = scanner.next()) end = block->offset + block->header.total_size();
  return end;
}

// How many bytes of a part without a whole block are before the first place where one may begin that reaches beyond
// the part.
std::uint64_t FileTail::bytes_of_no_block() const {
  const std::uint8_t* const data = part_.data();
  const std::uint64_t size = part_.size();
  const std::uint64_t last = size - std::min<std::uint64_t>(size, format::kBlockHeaderSize);  // place of a whole header
  std::uint64_t at = 0;
  for (; at < last; ++at) {
    const void* const found = memmem(data + at, size - at, &format::kBlockMagic, sizeof format::kBlockMagic);
    if (found == nullptr) return last / 8 * 8;
    at = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(found) - data);
    format::BlockHeader header;
    if (at < last && format::parse_header(data + at, size - at, &header) && header.total_size() > size - at) break;
  }
  return std::min(at, last) / 8 * 8;
}

reader::BlockScanner FileTail::scanner_of(std::uint64_t size) const {
  reader::BlockScanner scanner({part_.data(), size});
  for (const auto& [packed, session] : sessions_) scanner.know(session.tag);
  return scanner;
}

bool FileTail::read(ByteBuffer* out, std::vector<Event>* events) {
  if (!regain()) return true;
  const bool all = read_on(out, events);
  let_go();
  return all;
}

bool FileTail::read_on(ByteBuffer* out, std::vector<Event>* events) {
  struct stat st {};
  for (int file = 0; file < 2; ++file) {
    if (fd_ >= 0 && fstat(fd_, &st) == 0) {
      const auto size = static_cast<std::uint64_t>(st.st_size);
      // Truncated: starts again, possibly with blocks that refer to the part that was cut off.
      if (round_up(size, 8) < offset_) offset_ = 0;
      if (size != size_) {
        size_ = size;
        break;
      }
    }
    if (!follow_path()) return true;
  }
  if (fd_ < 0 || size_ <= offset_) return true;
  std::uint64_t most = most_at_once_;
  std::uint64_t end = read_part(most);
  while (end == 0 && size_ - offset_ > most) {  // a large block, or damage
    if (const std::uint64_t none = bytes_of_no_block(); none != 0) {
      offset_ += none;
      size_ = 0;  // to be looked at again
      passed_over_ = true;
      return false;
    }
    end = read_part(most *= 2);
  }
  const bool all = size_ - offset_ <= most;
  if (!all) size_ = 0;  // to be looked at again
  if (end == 0) return all;
  append_preamble(out);
  const std::uint64_t given = give(end, out, events);
  offset_ += given;
  if (offset_ >= kept_until_) std::erase_if(sessions_, [](const auto& session) { return session.second.ended; });
  if (given < end) size_ = 0;  // to be looked at again
  return all && given == end;
}

// A packed session comes as the blocks that it stands for, which are many more bytes: ends after those of some.
// Returns how many of the first `end` bytes were given.
std::uint64_t FileTail::give(std::uint64_t end, ByteBuffer* out, std::vector<Event>* events) {
  reader::BlockScanner scanner = scanner_of(end);
  std::uint64_t given = 0;
  while (const auto block = scanner.next()) {
    if (block->header.type != BlockType::kPacked) {
      take(*block, events);
      continue;
    }
    if (block->offset > given) out->put_bytes(part_.data() + given, block->offset - given);
    given = std::min(block->offset + block->header.total_size(), end);
    out->pad_to(8);
    unpack(*block, out, events);
    if (out->size() >= most_at_once_ && given < end) {
      end = given;
      break;
    }
  }
  out->put_bytes(part_.data() + given, end - given);
  for (const reader::Damage& damage : scanner.damage()) {
    passed_over_ = passed_over_ || (damage.kind != reader::DamageKind::kCutShort && damage.offset < end);
  }
  return end;
}

void FileTail::keep_model(std::span<const std::uint8_t> bare) {
  const std::uint32_t number = format::model_number(bare);
  const auto [model, added] = models_.try_emplace(number);
  if (!added) return;
  model->second.put_bytes(bare.data(), bare.size());
  model_numbers_.push_back(number);
  if (models_.size() <= kMostModels) return;
  models_.erase(model_numbers_.front());
  model_numbers_.erase(model_numbers_.begin());
}

void FileTail::unpack(const reader::ScannedBlock& block, ByteBuffer* out, std::vector<Event>* events) {
  const auto packed = format::parse_packed_session(block.payload);
  if (packed.ok() && packed->is_model()) return keep_model(packed->content);  // its session came before
  const auto model = packed.ok() ? models_.find(packed->model) : models_.end();
  ByteBuffer bare;
  ByteBuffer blocks;
  if (model == models_.end() || !format::unpack(*packed, {model->second.data(), model->second.size()}, &bare).ok() ||
      !format::append_blocks({bare.data(), bare.size()}, packed->session_id, &blocks).ok()) {
    passed_over_ = true;
    return;
  }
  out->put_bytes(blocks.data(), blocks.size());
  reader::BlockScanner scanner({blocks.data(), blocks.size()});
  while (const auto unpacked = scanner.next()) take(*unpacked, events);
}

// Keeps what later blocks may refer to.
void FileTail::take(const reader::ScannedBlock& block, std::vector<Event>* events) {
  if (block.header.type == BlockType::kSession) {
    const auto info = format::parse_session_block(block.payload);
    if (!info.ok()) return;
    Session& session = sessions_[block.tag.packed()];
    if (session.id == info->session_id && block.header.is_copy()) return;
    if (session.id != info->session_id) session = {};
    session.id = info->session_id;
    session.tag = block.tag;
    session.staging = info->staging;
    session.ended = false;
    session.session_block.clear();
    append_block(block, &session.session_block);
    events->push_back({session.id, session.staging, {}});
    return;
  }
  const auto found = sessions_.find(block.tag.packed());
  if (found == sessions_.end()) return;
  Session& session = found->second;
  if (block.header.type == BlockType::kDictionary && !(block.header.is_copy() && !session.dictionary.empty())) {
    append_block(block, &session.dictionary);
  }
  if (block.header.type == BlockType::kStrings && !block.header.is_copy()) append_block(block, &session.strings);
  if (block.header.type == BlockType::kIndex) session.strings.clear();
  if (block.header.type == BlockType::kClock) {
    (void)format::parse_clock_block(block.payload, &session.points);
    tidy(&session.points);
  }
  if (block.header.type != BlockType::kEnd) return;
  auto end = format::parse_end_block(block.payload);
  if (!end.ok()) return;
  events->push_back({session.id, session.staging, std::move(end).value()});
  sessions_.erase(found);  // should it be carried on, what follows has all that it needs
}

void FileTail::append_preamble(ByteBuffer* out) const {
  for (const auto& [tag, session] : sessions_) {
    if (session.ended) continue;
    out->put_bytes(session.session_block.data(), session.session_block.size());
    out->put_bytes(session.dictionary.data(), session.dictionary.size());
    out->put_bytes(session.strings.data(), session.strings.size());
    if (!session.points.empty()) format::append_clock_block(*out, session.points, session.tag);
  }
}

bool FileTail::has_open(std::uint64_t session_id) const {
  return std::any_of(sessions_.begin(), sessions_.end(),
                     [session_id](const auto& s) { return s.second.id == session_id && !s.second.ended; });
}

std::vector<staging::Hint> FileTail::hints() const {
  std::vector<staging::Hint> hints;
  for (const auto& [tag, session] : sessions_) {
    if (!session.ended && !session.staging.empty()) hints.push_back({session.staging, session.id});
  }
  return hints;
}

}  // namespace steno::follow
