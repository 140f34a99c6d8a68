// Records as they lie in rings (ring.md §4.1), and the fixed layout of a site's arguments (types.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "steno/detail/arg_type.h"
#include "steno/level.h"

namespace steno::wire {

inline constexpr std::size_t kHeaderSize = 8;
inline constexpr std::size_t kArgsOffset = 16;  // header and clock
inline constexpr std::size_t kMaxRecordSize = 0xFFFFu * 8;
inline constexpr std::uint32_t kSitePad = 0;
inline constexpr std::uint32_t kSiteThread = 1;
inline constexpr std::uint32_t kSiteDropped = 2;
inline constexpr std::uint32_t kSiteDiscarded = 3;
inline constexpr std::uint32_t kSiteDied = 4;
inline constexpr std::uint32_t kSiteContext = 5;
inline constexpr std::uint32_t kSiteRecorder = 6;
inline constexpr std::uint32_t kSiteTaken = 7;
inline constexpr std::uint32_t kFirstUserSite = 16;
// In files: from here on statements together with the context of their records (file.md §5).
inline constexpr std::uint32_t kFirstContextSite = 1u << 31;
// In files: rings from here on are flight recorders', numbered by this and the ring's own number (ring.md §4.6).
inline constexpr std::uint32_t kFirstRecorderRing = 3u << 16;

struct Header {
  std::uint32_t site = 0;
  std::uint16_t size8 = 0;
  std::uint16_t logger = 0;

  static Header unpack(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint16_t>(word >> 32),
            static_cast<std::uint16_t>(word >> 48)};
  }
  std::uint64_t pack() const {
    return site | static_cast<std::uint64_t>(size8) << 32 | static_cast<std::uint64_t>(logger) << 48;
  }
  std::size_t size() const { return static_cast<std::size_t>(size8) * 8; }
};

struct Field {
  ArgType type;
  std::uint32_t offset;  // in the record, from its header
};

// Where each argument of a site lies.
struct Layout {
  std::vector<Field> fields;
  std::uint32_t fixed_end = kArgsOffset;  // where the payloads start
  std::uint32_t strings = 0;              // how many fields are strings

  // False if `types` has a letter that is no type; the layout is then unusable.
  [[nodiscard]] static bool parse(std::string_view types, Layout* out);
  // Where the payloads that the length slots announce end, in the record. Requires the fixed part to be there; nobody
  // has checked that the payloads are.
  std::uint64_t payloads_end(const std::byte* record) const {
    std::uint64_t end = fixed_end;
    for (const Field& field : fields) {
      if (!is_string(field.type)) continue;
      const auto length = load<std::uint32_t>(record + field.offset);
      if (length != kNullString) end += length;
    }
    return end;
  }
};

}  // namespace steno::wire
