// The statements made at run time that a thread used last.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::runtime {

// By where their format lies. Programs use buffers again, so what is found there is to be compared.
template <class Site>
struct RecentSites {
  static constexpr std::size_t kCount = 32;

  const Site*& at(std::uintptr_t place) { return sites[(place ^ place >> 5 ^ place >> 12) % kCount]; }

  const Site* sites[kCount] = {};
};

}  // namespace steno::runtime
