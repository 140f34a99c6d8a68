#include "base/fork_gate.h"

#include <time.h>

#include <atomic>

#include "base/own_process.h"
#include "base/pause.h"
#include "base/within.h"

namespace steno {
namespace {

std::atomic<bool> gate_closed{false};        // a thread forks
std::atomic<std::uint32_t> open_changes{0};  // under way

std::atomic<bool> half_changed{false};  // in a child without handlers, that forks

std::uint32_t own_changes() {
  return tls_within.changes ? 1 : 0;
}

template <class Done>
void wait_until(const Done& done) {
  for (int i = 0; !done(); ++i) {
    if (i < 200) {
      cpu_pause();
    } else {
      const timespec little = {0, 50'000};
      nanosleep(&little, nullptr);
    }
  }
}

void close_gate() {
  wait_until([] { return !gate_closed.exchange(true); });
  wait_until([] { return open_changes.load() <= own_changes(); });
}

void open_gate() {
  gate_closed.store(false);
}

}  // namespace

void begin_fork() {
  if (tls_within.forks == 0) {
    if (!is_own_process()) {  // whoever was at the gate is not here
      half_changed.store(has_foreign_changes());
      forget_changes();
      open_gate();
    }
    close_gate();
  }
  ++tls_within.forks;
}

bool end_fork() {
  if (--tls_within.forks != 0) return false;
  open_gate();
  return true;
}

void forget_changes() {
  open_changes.store(own_changes());
}

bool has_foreign_changes() {
  return half_changed.load() || open_changes.load() > own_changes();
}

ForkPause::ForkPause() : pauses_(tls_within.forks != 0 && !tls_within.pauses) {
  if (!pauses_) return;
  tls_within.pauses = true;
  open_gate();
}

ForkPause::~ForkPause() {
  if (!pauses_) return;
  close_gate();
  tls_within.pauses = false;
}

// The counter and the flag are both sequentially consistent: of a change that begins and a fork that closes the gate,
// at least one sees the other.
Change::Change(bool blocks_signals) {
  if (tls_within.changes || !is_own_process()) return;
  if (blocks_signals) signals_.emplace();
  for (;;) {
    open_changes.fetch_add(1);
    if (!gate_closed.load()) break;
    open_changes.fetch_sub(1);
    wait_until([] { return !gate_closed.load(); });
  }
  tls_within.changes = outermost_ = true;
}

Change::~Change() {
  if (!outermost_) return;
  tls_within.changes = false;
  open_changes.fetch_sub(1);
}

}  // namespace steno
