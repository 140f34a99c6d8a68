#include "format/strings/distinct.h"

#include <algorithm>

#include "format/ints/column.h"
#include "format/strings/shared/codec.h"

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
  OpenedColumn opened;
  if (!open_column({column.data(), column.size()}, n, 0, &opened)) return false;
  ByteReader in = opened.body;
  if (opened.form() == ColumnForm::kOne) {
    distinct->resize(1);
    if (codes != nullptr) codes->assign(n, 0);
    return opened.codec->decode(in, 1, {}, arena, distinct->data()) && in.at_end();
  }
  if (opened.form() == ColumnForm::kShared)
    return codes != nullptr && read_shared(in, n, shared, arena, distinct, codes);
  if (opened.form() != ColumnForm::kDistinct) return false;
  const std::size_t count = opened.inner_rows;
  distinct->resize(count);
  in = opened.inner;
  if (!decode_strings(in, count, {opened.inside(), shared}, arena, distinct->data())) return false;
  if (codes == nullptr) return true;
  codes->resize(n);
  return decode_ints(in, kTypeU32, n, 1, codes->data()) && in.at_end() &&
         std::all_of(codes->begin(), codes->end(), [count](std::uint64_t code) { return code < count; });
}

}  // namespace steno::format
