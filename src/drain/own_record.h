// Records that a consumer of rings adds itself: of drops and discards that no producer could report, and of the death
// of the process (ring.md §4.1).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "drain/span_walker.h"

namespace steno::drain {

// Why records were discarded, where whoever reports them knows it, and where nobody does any more.
inline constexpr std::string_view kHandlerReason = "a signal handler logged while its thread was in a log call";
inline constexpr std::string_view kSomeReason = "they could not be logged";

// One record in memory, to be walked like a ring.
class OwnRecord {
 public:
  // That `records` were refused since that clock value.
  static OwnRecord dropped(std::uint64_t ticks, std::uint64_t records, std::uint64_t since);
  // That `records` could not be logged at all; 0: unknown how many. Cuts the reason to what fits.
  static OwnRecord discarded(std::uint64_t ticks, std::uint64_t records, std::string_view reason);
  // That the process died at about `time`; `account`: of what it logged. Cuts the program's name to what fits.
  static OwnRecord died(std::uint64_t ticks, std::uint32_t pid, std::string_view program, std::string_view time,
                        std::string_view account);

  // The most that one record reports: what a release has room for.
  static constexpr std::uint64_t kMostRecords = (std::uint64_t{1} << 62) - 1;

  // The announcement in the ring's release while the record is being written. died() needs none.
  std::uint64_t announced() const { return records_ << 2 | site_; }

  const std::byte* data() const { return bytes_; }
  std::size_t size() const { return size_; }
  // The record as the walker wants it: numbered as a record of `ring`. One that is written beside a ring's records is
  // no record of that ring, because its producer may commit one before this is released: ring::kOwnRing + the number of
  // it.
  RingSpan span(std::uint32_t ring) const { return {ring, bytes_, {0, kRoom}, 0}; }

  std::uint32_t site() const { return site_; }
  std::uint64_t records() const { return records_; }

 private:
  static constexpr std::size_t kRoom = 512;

  // `number` is the first argument, `more` are the others.
  OwnRecord(std::uint32_t site, std::uint64_t ticks, std::uint64_t number, const ByteBuffer& more);

  alignas(8) std::byte bytes_[kRoom] = {};
  std::size_t size_;
  std::uint32_t site_;
  std::uint64_t records_;
};

}  // namespace steno::drain
