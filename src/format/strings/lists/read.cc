#include "format/strings/lists/read.h"

#include <algorithm>
#include <cstring>

#include "format/block.h"
#include "format/strings/sized_part.h"

namespace steno::format {

bool ListColumn::read(ByteReader& in, std::size_t n, const StringPlace& place) {
  inside_ = place.inside(CodecId::kListStrings);
  longest_ = in.get_varint();
  const std::uint64_t size = in.get_varint();
  if (!in.ok() || size == 0 || size > kMaxSeparator) return false;
  const std::uint8_t* const separator = in.take(size);
  if (separator == nullptr) return false;
  separator_ = {reinterpret_cast<const char*>(separator), size};
  const std::span<const std::uint8_t> counts = read_sized(in);
  item_bytes_ = read_sized(in);
  if (!in.ok() || !decode_sized_ints(counts, n, kTypeU32, &counts_)) return false;
  item_count_ = 0;
  for (const std::uint64_t count : counts_) item_count_ += count;  // small: no overflow
  return item_count_ <= kMaxPayload / kItemBytes && item_bytes_.empty() == (item_count_ == 0);
}

bool ListColumn::read_items() {
  if (!decode_sized_strings(item_bytes_, item_count_, inside_, &item_arena_, &items_)) return false;
  total_ = replace_nulls(&items_);
  for (const std::uint64_t count : counts_) total_ += count == 0 ? 0 : (count - 1) * separator_.size();
  return total_ + kItemBytes * item_count_ <= kMaxPayload;
}

bool ListColumn::put_together(StringArena* arena, std::string_view* out) const {
  constexpr std::size_t kMostly = 16;
  static_assert(kMostly <= kStringSlack && kMaxSeparator <= kMostly);
  char separator[kMaxSeparator] = {};
  std::memcpy(separator, separator_.data(), separator_.size());
  StringFacts facts = StringFacts::of({reinterpret_cast<const std::uint8_t*>(separator), separator_.size()}, true);
  if (item_count_ != 0) facts.add(item_arena_.facts());
  const bool slack = facts.has_slack;
  facts.has_slack = true;
  facts.has_null = false;
  arena->resize(total_);
  auto* p = reinterpret_cast<char*>(arena->data());
  const std::string_view* item = items_.data();
  std::size_t longest = 0;
  const auto put = [&](std::string_view s) {
    if (slack && s.size() <= kMostly) {
      std::memcpy(p, s.data(), kMostly);
    } else {
      std::memcpy(p, s.data(), s.size());
    }
    p += s.size();
  };
  for (const std::uint64_t count : counts_) {
    if (count == 0) {
      facts.has_null = true;
      *out++ = std::string_view();
      continue;
    }
    const char* const string = p;
    put(*item++);
    for (const std::string_view* const end = item + count - 1; item != end; ++item) {
      std::memcpy(p, separator, kMaxSeparator);
      p += separator_.size();
      put(*item);
    }
    const auto size = static_cast<std::size_t>(p - string);
    longest = std::max(longest, size);
    *out++ = std::string_view(string, size);
  }
  facts.longest = static_cast<std::uint32_t>(longest);
  arena->add(facts);
  return longest <= longest_;
}

std::size_t ListColumn::bytes_held() const {
  return counts_.capacity() * sizeof(std::uint64_t) + items_.capacity() * sizeof(std::string_view) +
         item_arena_.capacity();
}

}  // namespace steno::format
