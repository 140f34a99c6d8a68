#include "wire/record.h"

namespace steno::wire {

bool Layout::parse(std::string_view types, Layout* out) {
  *out = Layout{};
  out->fields.reserve(types.size());
  for (const char letter : types) {
    const auto type = static_cast<ArgType>(letter);
    const unsigned size = fixed_size(type);
    if (size == 0 || out->fixed_end + size > kMaxRecordSize) return false;
    out->fields.push_back({type, out->fixed_end});
    out->fixed_end += size;
    out->strings += is_string(type) ? 1 : 0;
  }
  return true;
}

}  // namespace steno::wire
