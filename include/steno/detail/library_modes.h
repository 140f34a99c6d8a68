// Names that tell which C++ library a program and steno were compiled with.
//
// Types of the C++ library have another layout in another library (libc++), with _GLIBCXX_USE_CXX11_ABI=0, and the
// containers also with _GLIBCXX_DEBUG. What contains them or returns them has one of these marks. It puts the mode into
// the mangled name of every function that takes or returns the type, so that a program in another mode than steno's
// does not link:
//
//   undefined reference to `steno::start(steno::Options[abi:with__GLIBCXX_DEBUG])'
//
// Statements (log.h) contain no such types, and work in all modes. In the usual mode the marks are empty.
#pragma once

#include <cstddef>

#if defined(_LIBCPP_VERSION)
#define STENO_HAS_STRINGS [[gnu::abi_tag("with_libcxx")]]
#define STENO_HAS_CONTAINERS STENO_HAS_STRINGS
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI == 0
#define STENO_HAS_STRINGS [[gnu::abi_tag("with__GLIBCXX_USE_CXX11_ABI_0")]]
#if defined(_GLIBCXX_DEBUG)
#define STENO_HAS_CONTAINERS [[gnu::abi_tag("with__GLIBCXX_USE_CXX11_ABI_0", "with__GLIBCXX_DEBUG")]]
#else
#define STENO_HAS_CONTAINERS STENO_HAS_STRINGS
#endif
#else
#define STENO_HAS_STRINGS
#if defined(_GLIBCXX_DEBUG)
#define STENO_HAS_CONTAINERS [[gnu::abi_tag("with__GLIBCXX_DEBUG")]]
#else
#define STENO_HAS_CONTAINERS
#endif
#endif
