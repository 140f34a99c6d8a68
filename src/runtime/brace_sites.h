// Statements made of brace formats that came at run time (steno/detail/brace_call.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/run_time_sites.h"
#include "steno/detail/brace_call.h"
#include "steno/detail/site.h"
#include "steno/logf.h"

namespace steno::runtime {

struct BraceSite {
  std::string came;   // the format, as it came
  std::string given;  // types and meanings, likewise
  std::string file;
  std::string function;
  std::string format;  // of the statement
  std::string types;
  bool whole = false;  // the first argument is the format as it came
  mutable std::uint64_t word = 0;
  detail::SiteEntry entry{};

  bool is_of(const Origin& origin, std::string_view text, std::string_view types_given) const;
};

RunTimeSites<BraceSite>& brace_sites();

}  // namespace steno::runtime
