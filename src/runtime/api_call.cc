#include "runtime/api_call.h"

#include "base/own_process.h"
#include "base/within.h"

namespace steno::runtime {

ApiCall::ApiCall() : allowed_(!is_inside() && enter_process()) {}

Status ApiCall::status() const {
  if (allowed_) return {};
  if (is_own_process()) return {StatusCode::kFailedPrecondition, "called from within steno, by an allocator"};
  return {StatusCode::kFailedPrecondition,
          "this process was made without fork handlers, by clone() or _Fork(): call start() first"};
}

}  // namespace steno::runtime
