// How a statement writes its record: header, time, fixed part, payloads (ring.md §4.1, types.md).
//
// This code is not inlined into statements but shared by all of the same argument types: a statement is then a load, a
// branch, its arguments and a call. That is a third of the code and of the compile time, and calls are no slower; in a
// burst they are faster. Records of numbers are written without another call, and on x86-64 those with one short string
// too: what is rare begins anew in log_again(), so that no register is saved for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "steno/detail/capture.h"
#include "steno/detail/config.h"
#include "steno/detail/site.h"
#include "steno/detail/string_bytes.h"
#include "steno/detail/writer.h"
#include "steno/level.h"

namespace steno::detail {

inline constexpr std::size_t kLargeRecord =
    2048;  // half the smallest ring; above it a record goes the cold way, which may cut strings

// Each returns whether the record is in the ring.
//
// Writes a record above kLargeRecord; cuts strings that do not fit (types.md). An argument each; their types are the
// site's.
STENO_EXPORT STENO_COLD bool log_large(std::uint32_t slot, std::uint64_t word, const SiteEntry& site,
                                       const Wire* arguments) noexcept;

// Writes a record from the beginning, with all that a call may need: an identity for its site, room, a clock that is
// called. The slot is the statement's; the arguments are as in log_large().
STENO_EXPORT STENO_COLD bool log_again(DefaultSlot slot, std::uint64_t word, const SiteEntry& site,
                                       const Wire* arguments) noexcept;
STENO_EXPORT STENO_COLD bool log_again(LoggerSlot slot, std::uint64_t word, const SiteEntry& site,
                                       const Wire* arguments) noexcept;

template <class... W>
inline constexpr std::size_t kStringCount = ((std::is_same_v<W, Bytes> || std::is_same_v<W, Terminated>)+... + 0);
template <class... W>
inline constexpr std::size_t kFixedBytes = (wire_size<W>() + ... + 0);

template <class Slot, class... W>
STENO_ALWAYS_INLINE bool write_again(Slot slot, const SiteEntry& site, std::uint64_t word, const W&... wires) {
  const Wire array[] = {Wire(wires)..., Wire(Scalar<char>{0})};
  return log_again(slot, word, site, array);
}

template <class T>
constexpr Scalar<T> measured_here(Scalar<T> s) {
  return s;
}
STENO_ALWAYS_INLINE Bytes measured_here(Bytes b) {
  STENO_DETAIL_HIDE(b.data);
  return b;
}
STENO_ALWAYS_INLINE Bytes measured_here(Terminated t) {
  STENO_DETAIL_HIDE(t.data);
  return {t.data, STENO_UNLIKELY(t.data == nullptr) ? kNullBytes : steno_detail_text_length(t.data)};
}
template <class T>
constexpr std::size_t string_size(const Scalar<T>&) {
  return 0;
}
STENO_ALWAYS_INLINE std::size_t string_size(const Bytes& b) {
  return b.size;
}
template <class T>
STENO_ALWAYS_INLINE void copy_string(char*, const Scalar<T>&) {}
STENO_ALWAYS_INLINE void copy_string(char* p, const Bytes& b) {
  steno_detail_copy_short(p, static_cast<const char*>(b.data), b.size);
}

template <bool kNotifies, class Slot, class... W>
bool write_any_strings(Slot slot, const SiteEntry& site, std::uint64_t word, W... wires);

// How the strings of a record that is written here are copied: by a function, or here, if the only one is short.
enum class CopyStrings { kByCall, kHere };

// Opens, fills and closes a record here, with nothing called but what copies strings.
template <bool kNotifies, CopyStrings kCopy, class Slot, class... W>
STENO_ALWAYS_INLINE bool write_here(Slot slot, const SiteEntry& site, std::uint64_t word, std::size_t bytes,
                                    const W&... wires) {
  Writer* const w = slot.writer();
  const OpenRecord record = open_here(w, bytes);
  // One branch tells that the clock is the counter, which it is nearly always.
  std::uint64_t now = 0;
  bool is_rare = !has_room(record, w);
  if (STENO_LIKELY(!is_rare)) {
    now = clock_line(w);
    if (STENO_LIKELY(now == kReadCounter)) {
      now = read_counter();
    } else {
      is_rare = now == kCallForTime;
    }
  }
  if (STENO_UNLIKELY(is_rare)) {
    __atomic_store_n(&w->limit, record.limit, __ATOMIC_RELAXED);
    if constexpr (kCopy == CopyStrings::kHere) {
      return write_any_strings<kNotifies>(slot, site, word, wires...);
    } else {
      return write_again(slot, site, word, wires...);
    }
  }
  char* p = record_data(record, w);
  prefetch_room(p);
  __builtin_memcpy(p, &word, 8);
  __builtin_memcpy(p + 8, &now, 8);
  p += kArgsOffset;
  (store_fixed(p, wires), ...);
  if constexpr (kCopy == CopyStrings::kHere) {
    (copy_string(p, wires), ...);
  } else {
    (store_payload(p, wires), ...);
  }
  close_record(record, w);
  if constexpr (kNotifies) notify_if(w, slot.slot, site.level);
  return true;
}

// Up to so many arguments, records with strings are written here too; types of more are too many combinations to
// compile each in full, and the copies weigh more.
inline constexpr std::size_t kFewArguments = 2;

template <bool kNotifies, class Slot, class... W>
STENO_ALWAYS_INLINE bool write_strings(Slot slot, const SiteEntry& site, std::uint64_t word, const W&... wires) {
  const std::size_t bytes = (kArgsOffset + kFixedBytes<W...> + (payload_size(wires) + ... + 0) + 7) & ~std::size_t{7};
  if (STENO_UNLIKELY(bytes > kLargeRecord)) {
    const Wire array[] = {Wire(wires)...};
    return log_large(slot.slot, word, site, array);
  }
  word = with_size(word, bytes);
  if constexpr (sizeof...(W) <= kFewArguments) {
    return write_here<kNotifies, CopyStrings::kByCall>(slot, site, word, bytes, wires...);
  } else {
    const BegunRecord record = begin_record(slot, site, word, bytes);
    if (STENO_UNLIKELY(record.arguments == nullptr)) return false;
    char* p = record.arguments;
    (store_fixed(p, wires), ...);
    (store_payload(p, wires), ...);
    end_record(slot, record, bytes);
    if constexpr (kNotifies) notify_if(slot.writer(), slot.slot, site.level);
    return true;
  }
}

// Writes a record with strings of a site that may be unregistered, and of any sizes. The word may have the size
// already.
template <bool kNotifies, class Slot, class... W>
__attribute__((noinline)) bool write_any_strings(Slot slot, const SiteEntry& site, std::uint64_t word, W... wires) {
  if (STENO_UNLIKELY(static_cast<std::uint32_t>(word) == 0)) return write_again(slot, site, word, wires...);
  return write_strings<kNotifies>(slot, site, word, wires...);
}

// A short string, alone or beside a number, is measured and copied here. On x86-64 nothing is called but at the end,
// and few registers are saved; elsewhere, and under sanitizers, its length is strlen(). On Intel two calls and five
// registers were an eighth of the record. The string is the only one, and measured.
template <bool kNotifies, class Slot, class... W>
STENO_ALWAYS_INLINE bool write_short_string(Slot slot, const SiteEntry& site, std::uint64_t word, const W&... wires) {
  const std::size_t size = (string_size(wires) + ...);
  if (STENO_UNLIKELY(static_cast<std::uint32_t>(word) == 0) || STENO_UNLIKELY(size > STENO_DETAIL_SHORT_STRING))
    return write_any_strings<kNotifies>(slot, site, word, wires...);
  const std::size_t bytes = (kArgsOffset + kFixedBytes<W...> + size + 7) & ~std::size_t{7};
  word = with_size(word, bytes);
  return write_here<kNotifies, CopyStrings::kHere>(slot, site, word, bytes, wires...);
}

// Writes a record of a site whose word was found to be `word`. kNotifies: its level may have to wake the scribe. True
// too if the site is found to be disabled.
template <bool kNotifies, class Slot, class... W>
__attribute__((noinline)) bool write_record(Slot slot, const SiteEntry& site, std::uint64_t word, W... wires) {
  if constexpr (sizeof...(W) <= kFewArguments && kStringCount<W...> == 1) {
    return write_short_string<kNotifies>(slot, site, word, measured_here(wires)...);
  } else if (STENO_UNLIKELY(static_cast<std::uint32_t>(word) == 0)) {
    return write_again(slot, site, word, measured(wires)...);
  } else if constexpr (kStringCount<W...> != 0) {
    return write_strings<kNotifies>(slot, site, word, measured(wires)...);
  } else {
    constexpr std::size_t kBytes = (kArgsOffset + kFixedBytes<W...> + 7) / 8 * 8;
    return write_here<kNotifies, CopyStrings::kByCall>(slot, site, word, kBytes, wires...);
  }
}

}  // namespace steno::detail
