#include "base/scratch.h"

#include "base/thread_end.h"

namespace steno {
namespace {

__thread Scratch* scratch_of_thread;

}  // namespace

Scratch& Scratch::of_thread() {
  if (scratch_of_thread == nullptr) {
    scratch_of_thread = new Scratch(std::size_t{16} << 20);
    delete_at_thread_end(&scratch_of_thread);
  }
  return *scratch_of_thread;
}

}  // namespace steno
