// Statements made of formats that came at run time (steno/logf.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "steno/detail/format_check.h"
#include "steno/detail/site.h"
#include "steno/logf.h"

namespace steno::runtime {

// What becomes of a message: an argument each, or one string, which is the format itself or what it prints.
enum class FormatUse : std::uint8_t { kArguments, kFormat, kText };

// Never changes but for its word, and is never freed.
struct FormatSite {
  std::string format;  // as it came
  std::string file;
  std::string function;
  std::string types;  // as logged: errno's included
  FormatUse use = FormatUse::kArguments;
  int arguments = 0;            // errno not counted
  std::size_t fixed_bytes = 0;  // of the types
  detail::FormatCheck check;    // of the arguments
  mutable std::uint64_t word = 0;
  detail::SiteEntry entry{};

  bool is_of(const Origin& origin, const char* text, bool to_logger) const;
};

// The statement of this format, place and level, or one of that level for text where there are too many. Thread-safe,
// not in signal handlers. `text` and those of `origin` are not null.
const FormatSite& find_format_site(const Origin& origin, const char* text, bool to_logger);
// Of each syntax.
void set_most_format_sites(std::size_t most);
std::size_t most_format_sites();
// That formats of either were too many: once. Not under a lock of theirs.
void warn_of_many_formats();
// Around a fork, by the thread that forks, signals blocked: nobody looks for a format meanwhile.
void hold_format_sites();
void release_format_sites();

}  // namespace steno::runtime
