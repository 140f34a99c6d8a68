// The library (or program) that statements are in, and what happens when it goes: dlclose or exit.
//
// Included by code with statements only; steno's own archive has none. And nothing here is of a class whose guard
// variable compilers would have to agree on: GCC and clang do not, and what the one compiled for the linker and the
// other for its link-time optimiser would not link.
#pragma once

#include <cstdint>

#include "steno/detail/config.h"
#include "steno/detail/site.h"

namespace steno::detail {

// Its address names the library. Written by static initialisers and destructors of that library alone, one at a time.
struct Library {
  std::uint32_t units;  // of translation, that are initialised
};
inline STENO_HIDDEN Library library = {};

// The last to end withdraws the library's sites, whose words go with it.
struct STENO_HIDDEN LibraryUnit {
  LibraryUnit() { ++library.units; }
  ~LibraryUnit() {
    if (--library.units == 0) withdraw_library(&library);
  }
  LibraryUnit(const LibraryUnit&) = delete;
  LibraryUnit& operator=(const LibraryUnit&) = delete;
};
STENO_DETAIL_BEGIN_QUIET
static const LibraryUnit library_unit;
STENO_DETAIL_END_QUIET

}  // namespace steno::detail
