#include "steno/secret.h"

#include <sys/random.h>

#include <atomic>
#include <cstdlib>

#include "base/clock.h"
#include "base/siphash.h"

namespace steno {
namespace {

// Never freed: a call may be hashing by one. Those before are kept for leak checkers.
struct SecretKey {
  SipKey key;
  const SecretKey* before = nullptr;
};
std::atomic<const SecretKey*> secret_key{nullptr};

// Nothing but a way from texts to keys; short texts make no better ones.
SipKey key_of_text(std::string_view text) {
  return {siphash({0, 0}, text.data(), text.size()), siphash({0, 1}, text.data(), text.size())};
}

SipKey first_key() {
  const char* const text = secure_getenv("STENO_SECRET_KEY");
  if (text != nullptr && *text != '\0') return key_of_text(text);
  SipKey key;
  if (getrandom(&key, sizeof key, 0) != static_cast<ssize_t>(sizeof key)) {
    key = {counter_now(), static_cast<std::uint64_t>(wall_now())};
  }
  return key;
}

const SipKey& key_in_use() {
  if (const SecretKey* in_use = secret_key.load(std::memory_order_acquire)) return in_use->key;
  const auto* const first = new SecretKey{first_key()};
  const SecretKey* in_use = nullptr;
  if (secret_key.compare_exchange_strong(in_use, first, std::memory_order_acq_rel)) return first->key;
  delete first;
  return in_use->key;
}

}  // namespace

void set_secret_key(std::string_view key) {
  auto* const added = new SecretKey{key_of_text(key), secret_key.load(std::memory_order_acquire)};
  while (!secret_key.compare_exchange_weak(added->before, added, std::memory_order_acq_rel)) {
  }
}

namespace detail {

std::uint64_t hash_secret(const void* data, std::size_t size) noexcept {
  return siphash(key_in_use(), data, size);
}

}  // namespace detail
}  // namespace steno
