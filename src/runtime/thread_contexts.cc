#include "runtime/thread_contexts.h"

#include <bit>

#include "base/bytes.h"
#include "base/own_process.h"
#include "base/within.h"
#include "runtime/own_records.h"
#include "runtime/ring_room.h"
#include "runtime/thread_hooks.h"
#include "steno/context.h"
#include "wire/context.h"
#include "wire/record.h"

namespace steno::runtime {
namespace {

// visit(ring) for each ring that the thread has.
template <class Visit>
void each_ring(const ThreadState& thread, const Visit& visit) {
  for (std::uint64_t left = thread.attached; left != 0; left &= left - 1) visit(*thread.rings[std::countr_zero(left)]);
}

// Changes the calling thread's context; it is written to each ring before the next record there. A record of a signal
// handler that comes meanwhile and would need the context is refused, because the context is half changed; the ring
// that it leaves open is closed afterwards.
template <class Change>
void change_context(const Change& change) {
  if (tls_flags.attaching || is_inside() || !enter_process()) return;
  bool inside = false;  // of a log call that a handler interrupted, which we are called by
  if (tls_state != nullptr) {
    each_ring(*tls_state, [&](const Ring& ring) {
      inside = inside || __atomic_load_n(&ring.writer->limit, __ATOMIC_RELAXED) == 0;
    });
  }
  if (inside) return;
  tls_flags.attaching = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  ThreadState* const state = own_thread_state();
  if (state != nullptr && change(state->context)) state->stale = state->attached;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  tls_flags.attaching = false;
  if (state != nullptr) each_ring(*state, [](Ring& ring) { leave(ring); });
}

}  // namespace

void renew_context(ThreadState& thread, std::uint32_t slot) {
  const std::uint64_t bit = std::uint64_t{1} << slot;
  thread.stale = thread.context.fields() != 0 ? thread.stale | bit : thread.stale & ~bit;
}

bool lacks_context(const Core& core) {
  return tls_state != nullptr && (tls_state->stale >> core.slot() & 1) != 0;
}

std::size_t context_record_size() {
  return round_up(wire::kArgsOffset + tls_state->context.size(), 8);
}

bool write_context(Core& core, Ring& ring) {
  std::byte bytes[wire::kMostContext];
  if (!write_own(core, ring, wire::kSiteContext, bytes, tls_state->context.write(bytes))) return false;
  tls_state->stale &= ~(std::uint64_t{1} << core.slot());
  return true;
}

}  // namespace steno::runtime

namespace steno::detail {

void push_context(const char* name, char type, const void* value, std::size_t size, unsigned* before) noexcept {
  runtime::change_context([&](runtime::ThreadContext& context) {
    *before = context.fields();
    return context.push(name, type, value, size);
  });
}

void pop_context(unsigned before) noexcept {
  if (runtime::find_thread_context() == nullptr) return;
  runtime::change_context([&](runtime::ThreadContext& context) {
    const bool changes = context.fields() > before;
    context.pop_to(before);
    return changes;
  });
}

std::size_t copy_context(char* out, std::size_t room) noexcept {
  const runtime::ThreadContext* const context = runtime::find_thread_context();
  return context != nullptr ? context->copy(out, room) : 0;
}

void push_copied_context(const char* copy, std::size_t size, unsigned* before) noexcept {
  if (size == 0) return;
  runtime::change_context([&](runtime::ThreadContext& context) {
    *before = context.fields();
    return context.push_copy(copy, size);
  });
}

}  // namespace steno::detail
