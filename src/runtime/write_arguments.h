// Writes a record whose types are known only when it is logged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "steno/detail/arg_type.h"
#include "steno/detail/capture.h"
#include "steno/detail/site.h"
#include "steno/detail/write_record.h"
#include "steno/detail/writer.h"

namespace steno::runtime {

// `arguments`: one for each letter of the site's types, strings measured; `fixed_bytes`: of these types; `payload`: the
// strings' bytes; `word`: the site's, with its logger. False: it was to be logged and is not.
template <class Slot>
bool write_arguments(Slot slot, const detail::SiteEntry& site, std::size_t fixed_bytes, std::uint64_t word,
                     const detail::Wire* arguments, std::size_t payload) {
  const std::size_t bytes = (detail::kArgsOffset + fixed_bytes + payload + 7) & ~std::size_t{7};
  if (bytes > detail::kLargeRecord) {
    return detail::log_large(slot.slot, word, site, arguments);
  }
  if (site.size8 == 0) word = detail::with_size(word, bytes);
  const detail::BegunRecord record = detail::begin_record(slot, site, word, bytes);
  if (record.arguments == nullptr) return false;
  char* fixed = record.arguments;
  char* out = record.arguments + fixed_bytes;
  for (const char* letter = site.types; *letter != '\0'; ++letter, ++arguments) {
    const auto type = static_cast<ArgType>(*letter);
    if (is_string(type)) {
      detail::store_fixed(fixed, arguments->string);
      out = detail::copy_payload(out, arguments->string);
    } else {
      std::memcpy(fixed, arguments->number, fixed_size(type));
      fixed += fixed_size(type);
    }
  }
  detail::end_record(slot, record, bytes);
  if (site.level >= Level::kWarn) detail::notify_if(slot.writer(), slot.slot, site.level);
  return true;
}

}  // namespace steno::runtime
