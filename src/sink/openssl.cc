#include "sink/openssl.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <system_error>

namespace steno::sink {
namespace {

#if OPENSSL_VERSION_MAJOR >= 3
#define STENO_TEXT_OF(value) #value
#define STENO_LIBSSL(version) "libssl.so." STENO_TEXT_OF(version)
constexpr const char* kLibrary = STENO_LIBSSL(OPENSSL_SHLIB_VERSION);
#undef STENO_LIBSSL
#undef STENO_TEXT_OF
#else
constexpr const char* kLibrary = "libssl.so.1.1";
#endif

std::mutex library_mutex;
const OpenSsl* library;  // under library_mutex; never freed

}  // namespace

std::string OpenSsl::error() const {
  std::string text;  // of the first, of which the others are consequences
  while (const unsigned long code = ERR_get_error()) {
    if (!text.empty()) continue;
    const char* const reason = ERR_reason_error_string(code);
    if (reason != nullptr) {
      text = reason;
    } else if (ERR_GET_LIB(code) == ERR_LIB_SYS) {
      text = std::generic_category().message(ERR_GET_REASON(code));
    }
  }
  return text.empty() ? "OpenSSL gives no reason" : text;
}

Result<const OpenSsl*> load_openssl() {
  const std::lock_guard<std::mutex> lock(library_mutex);
  if (library != nullptr) return library;
  void* const handle = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return Status(StatusCode::kUnsupported, "tls:// needs OpenSSL, which cannot be loaded: " + std::string(dlerror()));
  auto found = std::make_unique<OpenSsl>();
  const char* missing = nullptr;
#define STENO_FIND(name)                                                   \
  found->name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name)); \
  if (found->name == nullptr) missing = #name;
  STENO_OPENSSL_FUNCTIONS(STENO_FIND)
#undef STENO_FIND
  if (missing != nullptr)
    return Status(StatusCode::kUnsupported,
                  std::string("tls:// needs OpenSSL, and ") + kLibrary + " has no " + missing);
  // Sinks end after the functions of atexit: OpenSSL is not to have taken itself down there. Where the program has
  // begun with it on its own, that has decided.
  if (found->OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr) != 1)
    return Status(StatusCode::kUnsupported, "tls:// needs OpenSSL, which cannot be initialized: " + found->error());
  library = found.release();
  return library;
}

}  // namespace steno::sink
