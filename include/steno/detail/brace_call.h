// Brace statements whose format is known only when they run: for interfaces of other loggers (spdlog.h), whose calls
// are functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "steno/detail/capture.h"
#include "steno/detail/config.h"
#include "steno/detail/site.h"
#include "steno/detail/statement.h"
#include "steno/detail/write_record.h"
#include "steno/detail/writer.h"
#include "steno/logf.h"
#include "steno/logger.h"

namespace steno::detail {

// The types of a call's arguments. Constant data.
struct CallTypes {
  const char* letters;  // SiteEntry::types
  std::size_t count;
  std::size_t bytes;  // of all at `letters`, the meanings too
  bool described;
};

// The statement of this format, place and level with arguments of these types. *whole: there is none, for the format
// does not fit the types, or programs have made too many (set_most_formats); then it is one that has the format as its
// first argument, a string, and prints the others after it. Thread-safe; not in signal handlers.
STENO_EXPORT const SiteEntry& find_brace_site(const Origin& origin, const char* format, std::size_t size,
                                              const CallTypes& types, bool* whole) noexcept;

template <class... A>
struct CallTypesOf {
  using Types = Signature<A...>;
  static constexpr CallTypes make() {
    if constexpr (Types::kDescribed) {
      return {DescribedTypes<0, A...>::kText.of, sizeof...(A), sizeof DescribedTypes<0, A...>::kText, true};
    } else {
      return {Types::kLetters.of, sizeof...(A), sizeof...(A) + 1, false};
    }
  }
  static constexpr CallTypes kTypes = make();
};

template <class... W>
void write_braces(Logger logger, const SiteEntry& site, std::string_view format, bool whole, const W&... wires) {
  const std::uint64_t found = __atomic_load_n(site.word, __ATOMIC_RELAXED);
  if ((found & kDisabledBit) != 0 || !passes(logger, site.level, found)) return;
  const LoggerSlot slot(*logger.state());
  if (whole) {
    static_cast<void>(
        write_record<true>(slot, site, slot.address(found), Bytes{format.data(), format.size()}, wires...));
  } else {
    static_cast<void>(write_record<true>(slot, site, slot.address(found), wires...));
  }
}

// A message of the logger. Requires that it is enabled.
template <class... A>
void log_braces(Logger logger, const Origin& origin, std::string_view format, const A&... args) {
  static_assert(sizeof...(A) <= kMaxArguments, "steno: a message has at most 64 arguments");
  bool whole = false;
  const SiteEntry& site =
      find_brace_site(origin, format.data(), format.size(), CallTypesOf<Bare<A>...>::kTypes, &whole);
  write_braces(logger, site, format, whole, wire<letter_of<Bare<A>>(), false>(captured(args))...);
}

}  // namespace steno::detail
