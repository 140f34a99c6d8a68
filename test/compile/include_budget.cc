// The hot header is cheap to include: no string, no streams, no containers, no {fmt}, no intrinsics.
// preprocessed lines, at most: 6000
#include <steno/log.h>

// Guards of libstdc++.
#if defined(_GLIBCXX_STRING) || defined(_BASIC_STRING_H)
#error "<steno/log.h> reaches <string>"
#endif
#if defined(_GLIBCXX_IOSTREAM) || defined(_GLIBCXX_OSTREAM) || defined(_GLIBCXX_ISTREAM) || defined(_GLIBCXX_IOS)
#error "<steno/log.h> reaches <iostream>"
#endif
#if defined(_GLIBCXX_SSTREAM) || defined(_GLIBCXX_FSTREAM)
#error "<steno/log.h> reaches a stream"
#endif
#if defined(_GLIBCXX_VECTOR) || defined(_GLIBCXX_MAP) || defined(_GLIBCXX_UNORDERED_MAP)
#error "<steno/log.h> reaches a container"
#endif
#if defined(_GLIBCXX_FUNCTIONAL) || defined(_GLIBCXX_MEMORY) || defined(_GLIBCXX_ALGORITHM)
#error "<steno/log.h> reaches <functional>, <memory> or <algorithm>"
#endif
#if defined(_GLIBCXX_CHRONO) || defined(_GLIBCXX_MUTEX) || defined(_GLIBCXX_THREAD)
#error "<steno/log.h> reaches <chrono>, <mutex> or <thread>"
#endif

// Guards of libc++.
#if defined(_LIBCPP_STRING) || defined(_LIBCPP_IOSTREAM) || defined(_LIBCPP_OSTREAM) || defined(_LIBCPP_VECTOR) || \
    defined(_LIBCPP_FUNCTIONAL) || defined(_LIBCPP_MEMORY)
#error "<steno/log.h> reaches a heavy header of libc++"
#endif

#if defined(FMT_CORE_H_) || defined(FMT_BASE_H_) || defined(FMT_FORMAT_H_) || defined(FMT_VERSION)
#error "<steno/log.h> reaches {fmt}"
#endif
#if defined(_IMMINTRIN_H_INCLUDED) || defined(_X86INTRIN_H_INCLUDED) || defined(__X86INTRIN_H) || defined(__IMMINTRIN_H)
#error "<steno/log.h> reaches the intrinsics, 30,000 lines of them; the clock has a builtin"
#endif

int main() {
  STENO_INFO("the header works alone: {}", 1);
  STENO_INFOF("in printf syntax too: %d", 1);
}
