#include "runtime/scribe_call.h"

#include "base/fence.h"
#include "base/futex.h"
#include "base/kill_point.h"
#include "ring/session_access.h"
#include "staging/doorbell.h"

namespace steno::runtime {

void ScribeCall::wake(bool soon) {
  ring::SessionFile& session = *staging_.session();
  if (soon) {
    hurry_.store(true, std::memory_order_release);
    ring::request_write(session);
  }
  // Pairs with the scribe's fence between setting the word and its last look at the tails.
  fence<__ATOMIC_SEQ_CST>();
  STENO_DELAY_POINT();
  if (!ring::is_sleeping(session)) return;
  ring::set_sleeping(session, false);
  futex_wake(&session.scribe_sleeping);
  if (staging::Doorbell* const bell = staging_.doorbell(); bell != nullptr) staging::call(bell);
}

}  // namespace steno::runtime
