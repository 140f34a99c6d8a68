#include "runtime/staged_dictionary.h"

#include "base/signal_safe_lock.h"
#include "ring/session_access.h"
#include "wire/dictionary.h"

namespace steno::runtime {

void StagedDictionary::append(const ByteBuffer& entries) {
  const SignalSafeLock lock(mutex_);
  unwritten_.put_bytes(entries.data(), entries.size());
  write();
}

void StagedDictionary::retry() {
  if (ring::load_missing_entries(*staging_.session()) == 0) return;
  const SignalSafeLock lock(mutex_);
  write();
}

// Requires mutex_.
void StagedDictionary::write() {
  const Status status = staging_.append_dictionary(unwritten_);
  if (status.ok()) {
    unwritten_.clear();
    if (is_short_) warnings_ += "staging has room for all statements and loggers again\n";
  } else if (!is_short_) {
    warnings_ += status.message() + "; until there is room, records of new statements will not survive a crash\n";
  }
  is_short_ = !status.ok();
  ring::store_missing_entries(*staging_.session(), wire::count_entries(unwritten_));
}

std::string StagedDictionary::take_warning() {
  const SignalSafeLock lock(mutex_);
  const std::size_t end = warnings_.find('\n');
  if (end == std::string::npos) return {};
  std::string first = warnings_.substr(0, end);
  warnings_.erase(0, end + 1);
  return first;
}

}  // namespace steno::runtime
