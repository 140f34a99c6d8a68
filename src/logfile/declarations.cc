#include "logfile/declarations.h"

#include <algorithm>

#include "format/block.h"
#include "wire/dictionary.h"

namespace steno::logfile {
namespace {

using format::BlockType;
using format::kBlockHeaderSize;
using format::kCopyFlag;

constexpr std::size_t kFirstPoints = 8;

void append_copy(BlockType type, format::SessionTag tag, const ByteBuffer& payload, ByteBuffer* out) {
  if (!payload.empty()) format::append_block(*out, type, tag, {payload.data(), payload.size()}, kCopyFlag);
}

}  // namespace

void Declarations::wrote(const ByteBuffer& blocks, std::uint64_t end) {
  const std::uint64_t start = end - blocks.size();
  Once once;
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
  format::BlockHeader header;
  for (std::size_t i = 0; i < blocks.size() && format::parse_header(blocks.data() + i, blocks.size() - i, &header);
       i += header.total_size()) {
    const std::uint8_t* payload = blocks.data() + i + kBlockHeaderSize;
    if (header.type == BlockType::kSession) {
      session_.clear();
      session_.put_bytes(payload, header.length);
      once.session = true;
      all_at_ = start + i;
    } else if (header.type == BlockType::kDictionary) {
      take_dictionary(payload, header.length);
      once.entries.put_bytes(payload, header.length);
    } else if (header.type == BlockType::kStrings) {
      once.strings.put_bytes(payload, header.length);
    } else if (header.type == BlockType::kClock) {
      const std::size_t before = once.points.size();
      (void)format::parse_clock_block({payload, header.length}, &once.points);
      take_points({once.points.begin() + static_cast<std::ptrdiff_t>(before), once.points.end()});
    } else {
      continue;
    }
    first = std::min(first, start + i);
    last = start + i + header.total_size();
  }
  if (last == 0) return;
  once.page_end = round_up(last, kPage);
  once.at_once = first / kPage != (last - 1) / kPage;
  once_.push_back(std::move(once));
}

void Declarations::take_dictionary(const std::uint8_t* payload, std::size_t size) {
  ByteReader in(payload, size);
  while (!in.at_end()) {
    const std::size_t begin = in.position();
    const auto kind = in.get<std::uint8_t>();
    const std::uint64_t length = in.get_varint();
    const std::uint8_t* body = in.take(length);
    if (body == nullptr) return;
    const std::size_t bytes = in.position() - begin;
    if (kind != wire::kThreadEntry) {
      entries_.put_bytes(payload + begin, bytes);
      continue;
    }
    std::string& entry = threads_[ByteReader(body, length).get_varint()];
    thread_bytes_ += bytes - entry.size();
    entry.assign(reinterpret_cast<const char*>(payload + begin), bytes);
    if (threads_.size() <= kMostThreads) continue;
    thread_bytes_ -= threads_.begin()->second.size();
    threads_.erase(threads_.begin());
  }
}

void Declarations::take_points(const std::vector<format::ClockPoint>& points) {
  points_.insert(points_.end(), points.begin(), points.end());
  if (points_.size() <= kMostPoints) return;
  points_.erase(points_.begin() + kFirstPoints, points_.end() - (kMostPoints - kFirstPoints));
}

std::uint64_t Declarations::size() const {
  return session_.size() + entries_.size() + thread_bytes_ + 32 * points_.size();
}

void Declarations::append_due(std::uint64_t at, format::SessionTag tag, bool session_ends, ByteBuffer* out) {
  Once due;
  for (Once& once : once_) {
    if (!once.at_once && at < once.page_end) continue;
    due.session = due.session || once.session;
    due.entries.put_bytes(once.entries.data(), once.entries.size());
    due.strings.put_bytes(once.strings.data(), once.strings.size());
    due.points.insert(due.points.end(), once.points.begin(), once.points.end());
    once.at_once = false;
  }
  std::erase_if(once_, [at](const Once& once) { return at >= once.page_end; });
  append(due, tag, out);
  if (at - all_at_ < std::max(session_ends ? kAtEnd : kEvery, kShare * size())) return;
  append_all(tag, out);
  all_at_ = at;
}

void Declarations::append(const Once& what, format::SessionTag tag, ByteBuffer* out) const {
  if (what.session) append_copy(BlockType::kSession, tag, session_, out);
  append_copy(BlockType::kDictionary, tag, what.entries, out);
  append_copy(BlockType::kStrings, tag, what.strings, out);
  if (!what.points.empty()) format::append_clock_block(*out, what.points, tag, kCopyFlag);
}

void Declarations::append_all(format::SessionTag tag, ByteBuffer* out) const {
  Once all;
  all.session = true;
  all.entries.put_bytes(entries_.data(), entries_.size());
  for (const auto& [index, entry] : threads_) all.entries.put_bytes(entry.data(), entry.size());
  all.points = points_;
  append(all, tag, out);
}

}  // namespace steno::logfile
