#include "early_handlers.h"

#include <pthread.h>

void (*early_handler_hook)(const char* where) = nullptr;

namespace {

void call(const char* where) {
  if (early_handler_hook != nullptr) early_handler_hook(where);
}

__attribute__((constructor)) void load() {
  pthread_atfork([] { call("before"); }, [] { call("parent"); }, [] { call("child"); });
}

}  // namespace
