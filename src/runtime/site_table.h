// Statements that were made while running, found by what they were made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace steno::runtime {

// Statements stay where they are, for ever. All but the mutex is used by whoever holds that.
template <class Site>
class SiteTable {
 public:
  std::mutex mutex;

  // The one of this hash for which `is_it` holds; nullptr: there is none.
  template <class IsIt>
  const Site* find(std::uint64_t hash, const IsIt& is_it) const {
    const auto [first, last] = sites_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      if (is_it(*it->second)) return it->second.get();
    }
    return nullptr;
  }
  const Site& add(std::uint64_t hash, std::unique_ptr<Site> site) {
    return *sites_.emplace(hash, std::move(site))->second;
  }
  std::size_t size() const { return sites_.size(); }

 private:
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Site>> sites_;
};

}  // namespace steno::runtime
