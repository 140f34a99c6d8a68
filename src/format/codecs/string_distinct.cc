#include "format/codecs/string_distinct.h"

#include <algorithm>

#include "format/codecs/int_column.h"

namespace steno::format {

bool read_distinct_strings(std::span<const std::uint8_t> column, std::size_t n, StringArena* arena,
                           std::vector<std::string_view>* distinct, std::vector<std::uint64_t>* codes) {
  ByteReader in(column.data(), column.size());
  const auto codec = static_cast<CodecId>(in.get<std::uint8_t>());
  if (codec == CodecId::kConstantString) {
    distinct->resize(1);
    if (codes != nullptr) codes->assign(n, 0);
    in = ByteReader(column.data(), column.size());
    return decode_strings(in, 1, 0, arena, distinct->data()) && in.at_end();
  }
  if (codec != CodecId::kStringDictionary) return false;
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count == 0 || count > n) return false;
  distinct->resize(count);
  if (!decode_strings(in, count, kWithinDictionary, arena, distinct->data())) return false;
  if (codes == nullptr) return true;
  codes->resize(n);
  return decode_ints(in, kTypeU32, n, 1, codes->data()) && in.at_end() &&
         std::all_of(codes->begin(), codes->end(), [count](std::uint64_t code) { return code < count; });
}

bool has_plain_strings(std::span<const std::uint8_t> column) {
  return !column.empty() && static_cast<CodecId>(column[0]) == CodecId::kStrings;
}

}  // namespace steno::format
