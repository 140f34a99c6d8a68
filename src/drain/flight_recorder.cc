#include "drain/flight_recorder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/fence.h"
#include "base/kill_point.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "wire/context.h"
#include "wire/record.h"
#include "wire/stamp.h"

namespace steno::drain {
namespace {

constexpr std::size_t kTakenBytes = 32;
constexpr std::size_t kMostOfReason = 256;
constexpr std::size_t kThreadFixed = wire::kArgsOffset + 16;
// So much is forgotten at once, so that it is published seldom.
constexpr std::uint64_t kForgottenPart = 16;

std::size_t thread_size(const wire::RingOwner& owner) {
  return round_up(kThreadFixed + std::min(owner.name.size(), ring::kThreadName), 8);
}
// 0: there is none, or one that no producer of ours would write.
std::size_t context_size(const wire::RingOwner& owner) {
  const std::size_t size = owner.context.size();
  return size == 0 || size > wire::kMostContext ? 0 : round_up(wire::kArgsOffset + size, 8);
}
void put_header(std::byte* record, std::uint32_t site, std::size_t size, std::uint64_t ticks) {
  store(record, wire::Header{site, static_cast<std::uint16_t>(size / 8), 0}.pack());
  store(record + wire::kHeaderSize, ticks);
}

// The record's share in what is forgotten: whose records follow, or one more of them.
void pass_over(const std::byte* record, const wire::Header& header, wire::RingOwner* owner, std::uint64_t* records) {
  if (header.site == wire::kSiteThread) {
    (void)read_thread(record, header.size(), owner);
  } else if (header.site == wire::kSiteContext) {
    (void)read_context(record, header.size(), owner);
  } else if (header.site >= wire::kFirstUserSite) {
    ++*records;
  }
}

}  // namespace

// The oldest record goes. False: there is none. After one that makes no sense nothing can be found.
bool FlightRecorder::forget_one() {
  const std::uint64_t position = drained_.cursor.head;
  const std::uint64_t end = tail();
  if (position == end) return false;
  const wire::Header header = wire::Header::unpack(load<std::uint64_t>(at(position)));
  if (header.size() == 0 || header.size() > std::min(lap_left(position), end - position)) {
    drained_.cursor.head = end;
    return true;
  }
  pass_over(at(position), header, &owner_, &drained_.discards);
  drained_.cursor.head = position + header.size();
  return true;
}

// Where records lie is said anew before they are overwritten: pairs with readers' second look at the release.
void FlightRecorder::publish() {
  ring::publish(header_, drained_.release(), owner_);
  fence<__ATOMIC_RELEASE>();
  STENO_KILL_POINT("recorder.forgotten");
}

void FlightRecorder::make_room(std::uint64_t bytes) {
  const std::uint64_t end = tail();
  if (end + bytes <= drained_.cursor.head + capacity_) return;
  bytes = std::min(bytes + capacity_ / kForgottenPart, capacity_);
  while (end + bytes > drained_.cursor.head + capacity_ && forget_one()) {
  }
  publish();
}

// Room for a record; a pad where the lap ends.
std::byte* FlightRecorder::put(std::uint64_t* tail, std::size_t size) const {
  if (const std::uint64_t left = lap_left(*tail); left < size) {
    store(at(*tail), wire::Header{wire::kSitePad, static_cast<std::uint16_t>(left / 8), 0}.pack());
    *tail += left;
  }
  std::byte* const record = at(*tail);
  *tail += size;
  return record;
}

void FlightRecorder::put_owner(std::uint64_t* tail, const wire::RingOwner& owner) const {
  const std::size_t name = std::min(owner.name.size(), ring::kThreadName);
  std::byte* record = put(tail, thread_size(owner));
  put_header(record, wire::kSiteThread, thread_size(owner), 0);
  store(record + wire::kArgsOffset, owner.index);
  store(record + wire::kArgsOffset + 4, owner.tid);
  store(record + wire::kArgsOffset + 12, static_cast<std::uint32_t>(name));
  std::memcpy(record + kThreadFixed, owner.name.data(), name);
  if (context_size(owner) == 0) return;
  record = put(tail, context_size(owner));
  put_header(record, wire::kSiteContext, context_size(owner), 0);
  std::memcpy(record + wire::kArgsOffset, owner.context.data(), owner.context.size());
}

void FlightRecorder::put_taken(std::uint64_t* tail, const Taken& taken) const {
  std::byte* const record = put(tail, kTakenBytes);
  put_header(record, wire::kSiteTaken, kTakenBytes, 0);
  store(record + wire::kArgsOffset, std::uint64_t{taken.ring});
  store(record + wire::kArgsOffset + 8, taken.position);
}

// It is the last record always.
FlightRecorder::Taken FlightRecorder::last_taken() const {
  const std::uint64_t end = tail();
  if (end < kTakenBytes) return {};
  const std::byte* const record = at(end - kTakenBytes);
  const wire::Header header = wire::Header::unpack(load<std::uint64_t>(record));
  if (lap_left(end - kTakenBytes) < kTakenBytes || header.site != wire::kSiteTaken || header.size() != kTakenBytes)
    return {};
  return {load<std::uint32_t>(record + wire::kArgsOffset), load<std::uint64_t>(record + wire::kArgsOffset + 8)};
}

std::uint64_t FlightRecorder::taken_of(std::uint32_t ring, std::uint64_t taken) const {
  const Taken last = last_taken();
  return last.ring == ring ? std::max(taken, last.position) : taken;
}

void FlightRecorder::take(std::uint32_t from, wire::RingOwner owner, const ByteBuffer& aside, std::uint64_t position) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(aside.data());
  const auto size_at = [&](std::size_t offset) {
    const std::size_t size = wire::Header::unpack(load<std::uint64_t>(bytes + offset)).size();
    return std::min(std::max(size, wire::kHeaderSize), aside.size() - offset);
  };
  // Only as much as half of the recorder is taken, and the last of it: the rest would be overwritten at once.
  const std::uint64_t most = capacity_ / 2 - kTakenBytes - wire::kArgsOffset;
  std::size_t begin = 0;
  while (begin < aside.size() && thread_size(owner) + context_size(owner) + (aside.size() - begin) > most) {
    pass_over(bytes + begin, wire::Header::unpack(load<std::uint64_t>(bytes + begin)), &owner, &drained_.discards);
    begin += size_at(begin);
  }
  std::size_t largest = std::max(thread_size(owner), context_size(owner));
  for (std::size_t at = begin; at < aside.size(); at += size_at(at)) largest = std::max(largest, size_at(at));
  make_room(thread_size(owner) + context_size(owner) + (aside.size() - begin) + kTakenBytes + largest);
  std::uint64_t end = tail();
  if (begin != aside.size()) put_owner(&end, owner);
  for (std::size_t at = begin; at < aside.size(); at += size_at(at))
    std::memcpy(put(&end, size_at(at)), bytes + at, size_at(at));
  put_taken(&end, {from, position});
  STENO_KILL_POINT("recorder.written");
  ring::publish_tail(header_, end);
  STENO_KILL_POINT("recorder.committed");
}

std::uint64_t FlightRecorder::count() const {
  std::uint64_t records = 0;
  const std::uint64_t end = tail();
  for (std::uint64_t position = drained_.cursor.head; position < end;) {
    const wire::Header header = wire::Header::unpack(load<std::uint64_t>(at(position)));
    if (header.size() == 0 || header.size() > std::min(lap_left(position), end - position)) break;
    if (header.site >= wire::kFirstUserSite) ++records;
    position += header.size();
  }
  return records;
}

void FlightRecorder::keep(std::uint64_t records, std::uint64_t since) {
  const auto is_old = [&] {
    const std::byte* const record = at(drained_.cursor.head);
    const wire::Header header = wire::Header::unpack(load<std::uint64_t>(record));
    return header.site < wire::kFirstUserSite || wire::time_of(load<std::uint64_t>(record + wire::kHeaderSize)) < since;
  };
  const std::uint64_t before = drained_.discards;
  const std::uint64_t there = count();
  const auto left = [&] { return there - std::min(drained_.discards - before, there); };
  while (!empty() && (left() == 0 || left() > records || (since != 0 && is_old()))) (void)forget_one();
  publish();
}

std::string reason_to_write(bool asked, Level trigger) {
  if (asked) return "it was asked for";
  return "a record of level " + std::string(level_name(trigger)) + " or above was logged";
}

void FlightRecorder::keep_latest(const ring::RecorderLimits& limits, std::uint64_t now, double ns_per_tick) {
  const double ticks = static_cast<double>(limits.ns) / ns_per_tick;
  const bool dated = ticks >= 1 && ticks < static_cast<double>(now);
  keep(limits.records != 0 ? limits.records : std::numeric_limits<std::uint64_t>::max(),
       dated ? now - static_cast<std::uint64_t>(ticks) : 0);
}

void FlightRecorder::report(std::uint64_t ticks, std::uint64_t kept, std::string_view reason) {
  reason = reason.substr(0, kMostOfReason);
  const Taken last = last_taken();
  const std::size_t fixed = wire::kArgsOffset + 20;
  const std::size_t size = round_up(fixed + reason.size(), 8);
  // It is of no thread that logs: what is taken of one later may have been logged before.
  const wire::RingOwner nobody{{0, 0, "flight recorder"}, ""};
  make_room(2 * size + thread_size(nobody) + kTakenBytes);
  std::uint64_t end = tail();
  put_owner(&end, nobody);
  std::byte* const record = put(&end, size);
  put_header(record, wire::kSiteRecorder, size, ticks);
  store(record + wire::kArgsOffset, kept);
  store(record + wire::kArgsOffset + 8, unreported());
  store(record + wire::kArgsOffset + 16, static_cast<std::uint32_t>(reason.size()));
  std::memcpy(record + fixed, reason.data(), reason.size());
  put_taken(&end, last);
  ring::publish_tail(header_, end);
  STENO_KILL_POINT("recorder.told");
}

}  // namespace steno::drain
