#include "format/codecs/string_distinct.h"

#include <algorithm>

#include "format/codecs/int_column.h"
#include "format/codecs/string_shared.h"
#include "format/codecs/string_texts.h"

namespace steno::format {
namespace {

// The others, then those of the dictionary that the column uses.
bool read_shared(ByteReader& in, std::size_t n, const SharedDictionaries* shared, StringArena* arena,
                 std::vector<std::string_view>* distinct, std::vector<std::uint64_t>* codes) {
  SharedCodes read;
  if (!read_shared_codes(in, n, {.shared = shared}, &read, arena)) return false;
  constexpr std::uint64_t kUnused = UINT64_MAX;
  const std::size_t lost = read.strings.size() + 1;  // all codes from here on
  std::vector<std::uint64_t> places(lost + 1, kUnused);
  distinct->assign(read.others.begin(), read.others.end());
  codes->resize(n);
  std::size_t other = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t code = read.codes[i];
    if (code == 0) {
      (*codes)[i] = other++;
      continue;
    }
    std::uint64_t& place = places[std::min<std::uint64_t>(code, lost)];
    if (place == kUnused) {
      place = distinct->size();
      distinct->push_back(read.string(code));
    }
    (*codes)[i] = place;
  }
  return true;
}

}  // namespace

bool read_distinct_strings(std::span<const std::uint8_t> column, std::size_t n, const SharedDictionaries* shared,
                           StringArena* arena, std::vector<std::string_view>* distinct,
                           std::vector<std::uint64_t>* codes) {
  ByteReader in(column.data(), column.size());
  const auto codec = static_cast<CodecId>(in.get<std::uint8_t>());
  if (codec == CodecId::kConstantString) {
    distinct->resize(1);
    if (codes != nullptr) codes->assign(n, 0);
    in = ByteReader(column.data(), column.size());
    return decode_strings(in, 1, {}, arena, distinct->data()) && in.at_end();
  }
  if (codec == CodecId::kSharedStrings) return codes != nullptr && read_shared(in, n, shared, arena, distinct, codes);
  if (codec != CodecId::kStringDictionary) return false;
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count == 0 || count > n) return false;
  distinct->resize(count);
  if (!decode_strings(in, count, {within_bit(CodecId::kStringDictionary), shared}, arena, distinct->data()))
    return false;
  if (codes == nullptr) return true;
  codes->resize(n);
  return decode_ints(in, kTypeU32, n, 1, codes->data()) && in.at_end() &&
         std::all_of(codes->begin(), codes->end(), [count](std::uint64_t code) { return code < count; });
}

bool read_joined_strings(std::span<const std::uint8_t> column, StringArena* arena) {
  ByteReader in(column.data(), column.size());
  const auto codec = static_cast<CodecId>(in.get<std::uint8_t>());
  if (codec == CodecId::kSymbolStrings) return read_symbol_text(in, arena);
  return codec == CodecId::kLetterStrings && read_letter_text(in, arena);
}

}  // namespace steno::format
