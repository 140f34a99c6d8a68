#include "runtime/span.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/own_process.h"
#include "base/within.h"
#include "runtime/core.h"
#include "steno/detail/span.h"
#include "wire/stamp.h"

namespace steno::detail {
namespace {

struct ThreadSpans {
  std::uint64_t current;  // the innermost that has begun; 0: none
  std::uint64_t next;     // number; 0: to be made up
};
__thread ThreadSpans tls_spans __attribute__((tls_model("initial-exec")));

// Where a thread's numbers begin: anywhere in 2^62, so that those of other threads, processes and machines are others.
// They stay below 2^63: many programs that read unsigned numbers of 64 bits compare them with signed ones.
STENO_COLD std::uint64_t first_number() {
  const std::uint64_t here[] = {counter_now(), static_cast<std::uint64_t>(wall_now()),
                                static_cast<std::uint64_t>(getpid()), reinterpret_cast<std::uintptr_t>(&tls_spans)};
  const std::uint64_t number = xxh3(here, sizeof here) >> 2;
  return number != 0 ? number : 1;
}

STENO_ALWAYS_INLINE std::uint64_t next_number() {
  if (STENO_UNLIKELY(tls_spans.next == 0)) tls_spans.next = first_number();
  return tls_spans.next++;
}

// An estimate for spans that end before any session has begun.
STENO_COLD double own_estimate() {
  static std::atomic<double> estimate{0};
  if (estimate.load(std::memory_order_relaxed) == 0) {
    estimate.store(estimate_ns_per_tick(), std::memory_order_relaxed);
  }
  return estimate.load(std::memory_order_relaxed);
}

template <class Slot>
STENO_ALWAYS_INLINE bool calls_clock(Slot slot) {
  // Not by the clock's line, which calls for a time that is the counter's while the scribe rests.
  const runtime::Core* const core = runtime::core_at(slot.slot);
  return core != nullptr && core->calls_clock();
}

// 0 where it is not known: counters of two cores may differ by a few ticks, and a session that began meanwhile may have
// another clock.
template <class Slot>
STENO_ALWAYS_INLINE std::uint64_t duration(Slot slot, const SpanState& state, std::uint64_t now) {
  const bool called = calls_clock(slot);
  if (STENO_UNLIKELY(called != state.called_clock)) return 0;
  if (called) {
    const std::uint64_t begin = wire::time_of(state.begin);
    return wire::time_of(now) < begin ? 0 : wire::time_of(now) - begin;
  }
  if (STENO_UNLIKELY(now < state.begin)) return 0;
  const runtime::Core* const core =
      runtime::core_at(slot.slot);  // none: a signal handler has forked, this is the child
  double ns_per_tick = core != nullptr ? core->session().ns_per_tick : 0;
  if (STENO_UNLIKELY(!(ns_per_tick > 0))) ns_per_tick = own_estimate();
  return static_cast<std::uint64_t>(static_cast<double>(now - state.begin) * ns_per_tick);
}

// One of a span's two records. Returns its time.
template <bool kEnd, class Slot>
STENO_ALWAYS_INLINE std::uint64_t write(Slot slot, const SpanState& state, const char* image, const SiteEntry& site,
                                        std::uint64_t word) {
  const std::size_t bytes =
      (kArgsOffset + state.fixed + (kEnd ? 8 : 0) + kSpanFields + state.payload + 7) & ~std::size_t{7};
  OpenRecord record;
  if (STENO_UNLIKELY(!open_record(&record, slot, bytes, site))) return read_clock(slot);
  Writer* const w = slot.writer();
  const std::uint64_t now = read_clock(slot);
  if (site.size8 == 0) word = with_size(word, bytes);
  char* p = record_data(record, w);
  prefetch_room(p);
  std::memcpy(p, &word, 8);
  std::memcpy(p + 8, &now, 8);
  p += kArgsOffset;
  for (std::size_t i = 0; i < state.fixed; i += 8) std::memcpy(p + i, image + i, 8);  // may reach into what follows
  p += state.fixed;
  if constexpr (kEnd) {
    const std::uint64_t ns = duration(slot, state, now);
    std::memcpy(p, &ns, 8);
    p += 8;
  }
  std::memcpy(p, &state.span, 8);
  std::memcpy(p + 8, &state.parent, 8);
  if (state.payload != 0) copy_payload(p + kSpanFields, {image + state.fixed, state.payload});
  close_record(record, w);
  if (site.level >= Level::kWarn) notify_if(w, slot.slot, site.level);
  return now;
}

template <class Slot>
STENO_ALWAYS_INLINE void begin(Slot slot, SpanState& state, const char* image, const SiteEntry& site,
                               const SiteEntry& end, std::uint64_t word) {
  if (STENO_UNLIKELY(static_cast<std::uint32_t>(word) == 0)) {
    word = first_word(site);
    if (word == 0) return;
    word = slot.address(word);
  }
  state.end = &end;
  state.parent = tls_spans.current;
  state.span = next_number();
  tls_spans.current = state.span;
  state.begin = write<false>(slot, state, image, site, word);
  state.called_clock = calls_clock(slot);
}

// The word of a record of the end, whether that site is enabled or not.
STENO_ALWAYS_INLINE std::uint64_t end_word(const SiteEntry& site) {
  std::uint64_t word = __atomic_load_n(site.word, __ATOMIC_RELAXED);
  if (STENO_UNLIKELY(word == 0)) word = is_inside() || !enter_process() ? 0 : register_site(site);
  return word & ~(kDisabledBit | kOverridesLogger);
}

}  // namespace

void begin_span(DefaultSlot slot, SpanState& state, char* image, const SiteEntry& site, const SiteEntry& end,
                std::uint64_t word) noexcept {
  begin(slot, state, image, site, end, word);
}

void begin_span(LoggerSlot slot, SpanState& state, char* image, const SiteEntry& site, const SiteEntry& end,
                std::uint64_t word) noexcept {
  begin(slot, state, image, site, end, word);
}

void end_span(SpanState& state, const char* image) noexcept {
  tls_spans.current = state.parent;
  const std::uint64_t word = end_word(*state.end);
  if (STENO_UNLIKELY(word == 0)) return refuse_inner_record();
  if (state.logger == nullptr) {
    (void)write<true>(DefaultSlot(), state, image, *state.end, word);
  } else if (!__atomic_load_n(&state.logger->closed, __ATOMIC_RELAXED)) {
    const LoggerSlot slot(*state.logger);
    (void)write<true>(slot, state, image, *state.end, slot.address(word));
  }
}

}  // namespace steno::detail

namespace steno::runtime {

void renumber_spans() {
  detail::tls_spans.next = 0;
}

}  // namespace steno::runtime
