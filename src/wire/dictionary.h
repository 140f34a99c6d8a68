// Dictionary entries: the same bytes in staging (ring.md §3) and in files (file.md §5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "steno/level.h"
#include "wire/record.h"

namespace steno::wire {

// The first byte of a thread's entry.
inline constexpr std::uint8_t kThreadEntry = 3;

enum class Style : std::uint8_t { kBrace = 0, kPrintf = 1 };

// The mark at the beginning of the meaning of values that readers do not show unless asked (types.md).
inline constexpr char kSecretMark = '!';

// The meaning of a type's numbers (types.md).
struct TypeMeaning {
  std::uint32_t type = 0;  // its index in the types
  std::string text;

  bool operator==(const TypeMeaning&) const = default;
};

struct SiteInfo {
  std::uint32_t id = 0;
  std::uint64_t stable_id = 0;
  Level level = Level::kInfo;
  Style style = Style::kBrace;
  std::uint32_t line = 0;
  std::string format;
  std::string file;
  std::string function;
  std::string types;
  // Names of the last of these types, which are no arguments of the statement: fields of its records' context.
  std::vector<std::string> context;
  std::vector<TypeMeaning> meanings;  // in order of types, each at most once

  // The types of the statement's own arguments.
  std::string_view argument_types() const {
    return std::string_view(types).substr(0, types.size() - std::min(types.size(), context.size()));
  }
  // Empty: numbers are numbers.
  std::string_view meaning_of(std::size_t type) const {
    for (const TypeMeaning& meaning : meanings) {
      if (meaning.type == type) return meaning.text;
    }
    return {};
  }
  bool operator==(const SiteInfo&) const = default;
};

struct LoggerInfo {
  std::uint32_t id = 0;
  std::string name;

  bool operator==(const LoggerInfo&) const = default;
};

struct ThreadInfo {
  std::uint32_t index = 0;
  std::uint64_t tid = 0;
  std::string name;

  bool operator==(const ThreadInfo&) const = default;
};

// file.md §5: XXH3-64 over file, format, types and meanings.
std::uint64_t stable_site_id(const SiteInfo& site);

void append_entry(ByteBuffer& out, const SiteInfo& site);
void append_entry(ByteBuffer& out, const LoggerInfo& logger);
void append_entry(ByteBuffer& out, const ThreadInfo& thread);

// Whose records lie at a place of a ring, and in which context (context.h).
struct RingOwner : ThreadInfo {
  std::string context;
};

// Where read_dictionary delivers.
class DictionaryVisitor {
 public:
  virtual ~DictionaryVisitor() = default;
  virtual void on_site(SiteInfo site) = 0;
  virtual void on_logger(LoggerInfo logger) = 0;
  virtual void on_thread(ThreadInfo thread) = 0;
};

// Reads untrusted entries up to the end or to the first that is malformed. False: one was, and all before it
// were delivered. Entries of unknown kind are skipped.
[[nodiscard]] bool read_dictionary(const void* bytes, std::size_t size, DictionaryVisitor& visitor);

// How many entries there are, up to the first that is malformed.
std::uint32_t count_entries(const ByteBuffer& entries);

// The sites whose records are messages of the protocol itself (ring.md §4.1): dropped, discarded, died, recorder.
inline constexpr std::uint32_t kProtocolSites[] = {kSiteDropped, kSiteDiscarded, kSiteDied, kSiteRecorder};
// The entry of one of these; nullptr: it is none.
const SiteInfo* protocol_site(std::uint32_t id);

}  // namespace steno::wire
