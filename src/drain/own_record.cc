#include "drain/own_record.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "wire/record.h"

namespace steno::drain {
namespace {

constexpr std::size_t kMostOfProgram = 256;

}  // namespace

OwnRecord::OwnRecord(std::uint32_t site, std::uint64_t ticks, std::uint64_t number, const ByteBuffer& more)
    : size_(round_up(wire::kArgsOffset + sizeof number + more.size(), 8)),
      site_(site),
      records_(std::min(number, kMostRecords)) {
  store(bytes_, wire::Header{site, static_cast<std::uint16_t>(size_ / 8), 0}.pack());
  store(bytes_ + wire::kHeaderSize, ticks);
  store(bytes_ + wire::kArgsOffset, records_);
  std::memcpy(bytes_ + wire::kArgsOffset + sizeof number, more.data(), more.size());
}

OwnRecord OwnRecord::dropped(std::uint64_t ticks, std::uint64_t records, std::uint64_t since) {
  ByteBuffer more;
  more.put(since);
  return {wire::kSiteDropped, ticks, records, more};
}

OwnRecord OwnRecord::discarded(std::uint64_t ticks, std::uint64_t records, std::string_view reason) {
  reason = reason.substr(0, kRoom - wire::kArgsOffset - 12);
  ByteBuffer more;
  more.put(static_cast<std::uint32_t>(reason.size()));
  more.put_bytes(reason.data(), reason.size());
  return {wire::kSiteDiscarded, ticks, records, more};
}

OwnRecord OwnRecord::died(std::uint64_t ticks, std::uint32_t pid, std::string_view program, std::string_view time,
                          std::string_view account) {
  const std::string_view strings[] = {program.substr(0, kMostOfProgram), time, account};
  ByteBuffer more;
  for (const std::string_view string : strings) more.put(static_cast<std::uint32_t>(string.size()));
  for (const std::string_view string : strings) more.put_bytes(string.data(), string.size());
  assert(wire::kArgsOffset + sizeof(std::uint64_t) + more.size() <= kRoom);
  return {wire::kSiteDied, ticks, pid, more};
}

}  // namespace steno::drain
