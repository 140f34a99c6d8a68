#include "capi/code.h"

#include <cstring>

namespace steno::capi {
namespace {

static_assert(static_cast<int>(StatusCode::kOk) == STENO_OK);
static_assert(static_cast<int>(StatusCode::kInvalidArgument) == STENO_INVALID_ARGUMENT);
static_assert(static_cast<int>(StatusCode::kNotFound) == STENO_NOT_FOUND);
static_assert(static_cast<int>(StatusCode::kPermissionDenied) == STENO_PERMISSION_DENIED);
static_assert(static_cast<int>(StatusCode::kIoError) == STENO_IO_ERROR);
static_assert(static_cast<int>(StatusCode::kCorrupt) == STENO_CORRUPT);
static_assert(static_cast<int>(StatusCode::kUnsupported) == STENO_UNSUPPORTED);
static_assert(static_cast<int>(StatusCode::kExhausted) == STENO_EXHAUSTED);
static_assert(static_cast<int>(StatusCode::kFailedPrecondition) == STENO_FAILED_PRECONDITION);

}  // namespace

steno_code report(steno_code code, const char* text, steno_error* error) noexcept {
  if (error == nullptr) return code;
  error->code = code;
  std::size_t size = std::strlen(text);
  if (size >= sizeof error->text) {
    size = sizeof error->text - 1;
    while (size != 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;  // not within a character
  }
  std::memcpy(error->text, text, size);
  error->text[size] = '\0';
  return code;
}

steno_code report(const Status& status, steno_error* error) noexcept {
  return report(static_cast<steno_code>(status.code()), status.message().c_str(), error);
}

}  // namespace steno::capi
