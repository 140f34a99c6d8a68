#include "base/within.h"

#include <atomic>

namespace steno {

__thread Within tls_within __attribute__((tls_model(STENO_WITHIN_MODEL)));

namespace {

std::atomic<std::uint64_t> inner_refusals{0};

}  // namespace

void refuse_inner_record() {
  inner_refusals.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t take_inner_refusals() {
  return inner_refusals.exchange(0, std::memory_order_relaxed);
}

}  // namespace steno
