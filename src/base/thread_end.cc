#include "base/thread_end.h"

#include <pthread.h>

#include <memory>

#include "base/early.h"

namespace steno {
namespace {

struct AtEnd {
  void (*destroy)(void*);
  void* object;
  const void* kind;
  AtEnd* next;
};

void destroy_all(void* list) {
  for (auto* at = static_cast<AtEnd*>(list); at != nullptr;) {
    const std::unique_ptr<AtEnd> done(at);
    at = at->next;
    done->destroy(done->object);
  }
}

pthread_key_t thread_end_key() {
  static const pthread_key_t key = [] {
    pthread_key_t k{};
    pthread_key_create(&k, destroy_all);
    return k;
  }();
  return key;
}
STENO_MAKE_EARLY(thread_end_key())

}  // namespace

void at_thread_end(void (*destroy)(void*), void* object, const void* kind) {
  auto* const first = static_cast<AtEnd*>(pthread_getspecific(thread_end_key()));
  auto at = std::make_unique<AtEnd>(AtEnd{destroy, object, kind, first});
  if (pthread_setspecific(thread_end_key(), at.get()) == 0) (void)at.release();
}

void* find_of_thread(const void* kind) {
  auto* at = static_cast<AtEnd*>(pthread_getspecific(thread_end_key()));
  while (at != nullptr && at->kind != kind) at = at->next;
  return at != nullptr ? at->object : nullptr;
}

}  // namespace steno
