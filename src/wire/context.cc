#include "wire/context.h"

#include "base/bytes.h"

namespace steno::wire {

bool Context::parse(std::string_view bytes, Context* out) {
  *out = {};
  if (bytes.empty()) return true;
  const auto* const p = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t count = p[0];
  const std::size_t head = 1 + 2 * count;
  if (bytes.size() > kMostContext || count > kMostContextFields || head > bytes.size()) return false;
  if (count == 0) return true;
  out->types = bytes.substr(1, count);
  std::size_t at = head;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = p[1 + count + i];
    if (size == 0 || size > bytes.size() - at) return false;
    out->names.push_back(bytes.substr(at, size));
    at += size;
  }
  out->shape = bytes.substr(0, at);
  Layout layout;
  if (!Layout::parse(out->types, &layout)) return false;
  out->fixed = layout.fixed_end - kArgsOffset;
  std::size_t end = at + out->fixed;
  if (end > bytes.size()) return false;
  for (const Field& field : layout.fields) {
    if (!is_string(field.type)) continue;
    const auto length = load<std::uint32_t>(p + at + field.offset - kArgsOffset);
    if (length == kNullString) continue;
    if (length > bytes.size() - end) return false;
    end += length;
  }
  out->values = bytes.substr(at, end - at);
  return true;
}

}  // namespace steno::wire
