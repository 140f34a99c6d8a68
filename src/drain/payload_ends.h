// Where the bytes of records of one layout end: Layout::payloads_end, for a walk that asks it for each record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "steno/detail/arg_type.h"
#include "wire/record.h"

namespace steno::drain {

// Without a branch on how many strings there are, up to two: records of many statements lie among each other, and such
// a branch is guessed wrong.
class PayloadEnds {
 public:
  // The layout must outlive it.
  explicit PayloadEnds(const wire::Layout& layout)
      : fixed_end_(layout.fixed_end), strings_(layout.strings), layout_(&layout) {
    std::size_t found = 0;
    for (const wire::Field& field : layout.fields) {
      if (is_string(field.type) && found < kMost) lengths_[found++] = {field.offset, ~std::uint32_t{0}};
    }
  }

  // Requires that the record has its fixed part, of 4 bytes at least: they are read where there is no string, too. What
  // its lengths say may be anything.
  std::uint64_t end(const std::byte* record) const {
    std::uint64_t end = fixed_end_ + bytes_of(record, lengths_[0]) + bytes_of(record, lengths_[1]);
    if (strings_ <= kAlways) return end;
    if (strings_ > kMost) return layout_->payloads_end(record);
    for (std::size_t k = kAlways; k < strings_; ++k) end += bytes_of(record, lengths_[k]);
    return end;
  }

 private:
  static constexpr std::size_t kAlways = 2;  // lengths that are read whether there are strings or not
  static constexpr std::size_t kMost = 6;    // of layouts with more strings, the fields are looked at
  struct Length {
    std::uint32_t at = 0;      // in the record; of none: 0
    std::uint32_t counts = 0;  // all bits; of none: 0
  };

  static std::uint64_t bytes_of(const std::byte* record, const Length& length) {
    const auto bytes = load<std::uint32_t>(record + length.at);
    return (bytes == kNullString ? 0 : bytes) & length.counts;
  }

  std::uint32_t fixed_end_;
  std::uint32_t strings_;
  Length lengths_[kMost];
  const wire::Layout* layout_;
};

}  // namespace steno::drain
