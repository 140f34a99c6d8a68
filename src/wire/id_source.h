#pragma once

#include <cstdint>
#include <string>

#include "wire/dictionary.h"

namespace steno::wire {

// The entries that ids in records stand for.
class IdSource {
 public:
  virtual ~IdSource() = default;
  // False: there is no such site; it is asked for again when it is met again.
  virtual bool find_site(std::uint32_t id, wire::SiteInfo* info) = 0;
  // One more than the largest id of a site.
  virtual std::uint32_t sites_end() = 0;
  virtual bool find_logger(std::uint32_t id, std::string* name) = 0;
  // Returns whether there is such a site though nothing is known of it: its records cannot be read, and are no damage.
  virtual bool is_missing(std::uint32_t /*id*/) { return false; }
};

}  // namespace steno::wire
