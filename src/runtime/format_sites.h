// Statements made of printf formats that came at run time (steno/logf.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/run_time_sites.h"
#include "steno/detail/format_check.h"
#include "steno/detail/site.h"
#include "steno/logf.h"

namespace steno::runtime {

// The form of a message: an argument each, or one string, which is the format itself or what it prints.
enum class FormatUse : std::uint8_t { kArguments, kFormat, kText };

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

RunTimeSites<FormatSite>& format_sites();

// The statement of this format, place and level, or one of that level for text. `text` and those of `origin` are not
// null. Thread-safe, not in signal handlers.
const FormatSite& find_format_site(const Origin& origin, const char* text, bool to_logger);

}  // namespace steno::runtime
