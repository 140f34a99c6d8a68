// Call sites: the word a statement reads, and how statements register before main.
//
// The word of a site is the header of its records (ring.md §4.1): id, size (0 when strings vary it), logger 0. It is 0
// before the registration, and its top bit is set while the statement is disabled; so one load and one branch decide.
// Where the statement names a logger, that one's threshold decides too, unless a rule of the statement's own enables
// it.
#pragma once

#include <cstdint>

#include "steno/detail/config.h"
#include "steno/level.h"

namespace steno::detail {

// The data that a statement registers with: constants of its library.
struct SiteEntry {
  std::uint64_t* word;
  const void* library;  // names the library that the statement is in
  const char* format;
  const char* file;
  const char* function;
  const char* types;
  std::uint32_t line;
  std::uint16_t size8;  // record size in 8 bytes; 0: varies
  Level level;
  std::uint8_t style;       // wire::Style
  bool to_logger;           // the statement names a logger: its threshold applies
  bool long_way = false;    // its word has kLongWay
  bool span = false;        // its last two types are fields, span and parent (file.md §5)
  bool described = false;   // after the NUL of `types`: the meaning of each (types.md), a NUL after it; empty: none
  std::uint8_t fields = 0;  // described: its last so many types are fields, whose names follow, a NUL after each
};

inline constexpr std::uint64_t kDisabledBit = std::uint64_t{1} << 63;
// In the word of a statement in C: it is for steno_detail_log() to write its records (c_record.h).
inline constexpr std::uint64_t kLongWay = std::uint64_t{1} << 62;
// The statement names a logger: it is enabled, whatever the logger says. The logger's id takes its place in records.
inline constexpr std::uint64_t kOverridesLogger = std::uint64_t{1} << 61;

// Registers a site, or finds that it is, and returns its word. Thread-safe. Copies the facts.
STENO_EXPORT STENO_COLD std::uint64_t register_site(const SiteEntry& entry) noexcept;
// The first word of a statement that ran before its registration: 0 if it is disabled.
STENO_EXPORT STENO_COLD std::uint64_t first_word(const SiteEntry& entry) noexcept;
// Forgets the words of a library that goes. Thread-safe.
STENO_EXPORT void withdraw_library(const void* library_id) noexcept;

}  // namespace steno::detail
