// steno/logf.h: from the arguments of a call to a record.
#include "steno/logf.h"

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <new>
#include <string_view>

#include "base/own_process.h"
#include "base/within.h"
#include "registry/registry.h"
#include "runtime/format_sites.h"
#include "runtime/format_types.h"
#include "runtime/thread_state.h"
#include "runtime/write_arguments.h"
#include "steno/detail/capture.h"
#include "steno/detail/writer.h"

namespace steno {
namespace {

using detail::Bytes;
using detail::kMaxArguments;
using detail::Scalar;
using detail::Wire;
using runtime::FormatSite;
using runtime::FormatUse;

// The arguments of one call. 1 KB that is not initialised.
class Arguments {
 public:
  Arguments() {}  // see above
  Wire* at(int i) { return reinterpret_cast<Wire*>(storage_) + i; }
  template <class T>
  void set(int i, T value) {
    new (at(i)) Wire(Scalar<T>{value});
  }
  void set_string(int i, Bytes bytes) { new (at(i)) Wire(bytes); }

 private:
  alignas(Wire) unsigned char storage_[sizeof(Wire) * (kMaxArguments + 1)];
};

// The most units of string argument `i` that may be looked at.
std::size_t bound_of(const FormatSite& site, Arguments& arguments, int i) {
  if (site.check.literal_bound(i) >= 0) return static_cast<std::size_t>(site.check.literal_bound(i));
  const int holder = site.check.bound_argument(i);
  if (holder < 0) return detail::kUnbounded;
  int precision = 0;
  std::memcpy(&precision, arguments.at(holder)->number, sizeof precision);
  return precision < 0 ? detail::kUnbounded : static_cast<std::size_t>(precision);
}

// Reads the arguments by their types. Strings are measured afterwards, when their bounds are known. Returns the
// strings' bytes.
std::size_t take(const FormatSite& site, std::va_list list, int error, Arguments& arguments) {
  bool strings = false;
  for (int i = 0; i < site.arguments; ++i) {
    switch (static_cast<ArgType>(site.types[static_cast<std::size_t>(i)])) {
      case ArgType::kChar:
        arguments.set(i, static_cast<char>(va_arg(list, int)));
        break;
      case ArgType::kI32:
      case ArgType::kU32:
        arguments.set(i, va_arg(list, int));
        break;
      case ArgType::kChar32:
        arguments.set(i, static_cast<std::uint32_t>(va_arg(list, wint_t)));
        break;
      case ArgType::kI64:
      case ArgType::kU64:
        arguments.set(i, static_cast<std::int64_t>(va_arg(list, long long)));
        break;
      case ArgType::kF64:
        arguments.set(i, va_arg(list, double));
        break;
      case ArgType::kF80:
      case ArgType::kF128:
        arguments.set(i, va_arg(list, long double));
        break;
      case ArgType::kPointer:
        arguments.set(i, reinterpret_cast<std::uint64_t>(va_arg(list, void*)));
        break;
      default:
        arguments.set_string(i, {va_arg(list, const void*), 0});
        strings = true;
        break;
    }
  }
  if (site.check.uses_errno) arguments.set(site.arguments, static_cast<std::int32_t>(error));
  if (!strings) return 0;
  std::size_t bytes = 0;
  for (int i = 0; i < site.arguments; ++i) {
    const auto type = static_cast<ArgType>(site.types[static_cast<std::size_t>(i)]);
    if (!is_string(type)) continue;
    const void* const text = arguments.at(i)->string.data;
    const std::size_t bound = bound_of(site, arguments, i);
    arguments.set_string(i, type == ArgType::kString ? detail::c_string(static_cast<const char*>(text), bound)
                                                     : detail::c_string(static_cast<const wchar_t*>(text), bound));
    bytes += detail::payload_size(arguments.at(i)->string);
  }
  return bytes;
}

template <class Slot>
void write_text(Slot slot, const FormatSite& site, std::uint64_t word, std::string_view text) {
  const Wire argument(Bytes{text.data(), text.size()});
  (void)runtime::write_arguments(slot, site.entry, site.fixed_bytes, word, &argument, text.size());
}

// The text that the format prints, or the format itself if printing would not be safe.
template <class Slot>
void write_formatted(Slot slot, const FormatSite& site, std::uint64_t word, const char* format, std::va_list list) {
  int count = 0;
  if (!runtime::infer_types(format, &count)) return write_text(slot, site, word, format);
  char buffer[1024];
  std::va_list again;
  va_copy(again, list);
  const int length = vsnprintf(buffer, sizeof buffer, format, list);
  if (length < static_cast<int>(sizeof buffer)) {
    write_text(slot, site, word, length < 0 ? std::string_view(format) : std::string_view(buffer));
  } else if (auto* large = static_cast<char*>(malloc(static_cast<std::size_t>(length) + 1))) {
    vsnprintf(large, static_cast<std::size_t>(length) + 1, format, again);
    write_text(slot, site, word, {large, static_cast<std::size_t>(length)});
    free(large);
  } else {
    write_text(slot, site, word, buffer);
  }
  va_end(again);
}

// `passes(word)`: whether its logger, if it names one, lets the statement pass.
template <class Slot, class Passes>
void log(Slot slot, Origin origin, const char* format, std::va_list list, bool to_logger, const Passes& passes) {
  const int error = errno;
  if (format == nullptr) format = "(null)";
  if (origin.file == nullptr) origin.file = "";
  if (origin.function == nullptr) origin.function = "";
  if (origin.level > Level::kCritical) origin.level = Level::kCritical;
  const auto lies = reinterpret_cast<std::uintptr_t>(format);
  runtime::ThreadState* const thread = runtime::tls_state;  // nullptr before its first record
  const FormatSite* site = thread != nullptr ? thread->recent_formats.at(lies) : nullptr;
  if (site == nullptr || !site->is_of(origin, format, to_logger)) {
    if (is_inside() || !enter_process()) return refuse_inner_record();
    site = &runtime::find_format_site(origin, format, to_logger);
    if (thread != nullptr) thread->recent_formats.at(lies) = site;
  }
  const std::uint64_t found = __atomic_load_n(&site->word, __ATOMIC_RELAXED);
  if ((found & detail::kDisabledBit) == 0 && passes(found)) {
    const std::uint64_t word = slot.address(found);
    switch (site->use) {
      case FormatUse::kArguments: {
        Arguments arguments;
        const std::size_t payload = take(*site, list, error, arguments);
        (void)runtime::write_arguments(slot, site->entry, site->fixed_bytes, word, arguments.at(0), payload);
        break;
      }
      case FormatUse::kFormat:
        write_text(slot, *site, word, format);
        break;
      case FormatUse::kText:
        errno = error;  // %m
        write_formatted(slot, *site, word, format, list);
        break;
    }
  }
  errno = error;
}

}  // namespace

void vlogf(Origin origin, const char* format, std::va_list arguments) noexcept {
  log(detail::DefaultSlot(), origin, format, arguments, false, [](std::uint64_t) { return true; });
}

void vlogf(Logger logger, Origin origin, const char* format, std::va_list arguments) noexcept {
  if (!logger.enabled(origin.level) && !registry::Registry::instance().overrides_loggers()) return;
  log(detail::LoggerSlot(*logger.state()), origin, format, arguments, true,
      [&](std::uint64_t word) { return detail::passes(logger, origin.level, word); });
}

void logf(Origin origin, const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  vlogf(origin, format, arguments);
  va_end(arguments);
}

void logf(Logger logger, Origin origin, const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  vlogf(logger, origin, format, arguments);
  va_end(arguments);
}

void set_most_formats(std::size_t most) {
  runtime::set_most_run_time_sites(most);
}

}  // namespace steno
