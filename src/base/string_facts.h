// Facts about many strings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/copy_steps.h"

namespace steno {

// Facts about the strings of a column, all together: what may be, where it is not known.
struct StringFacts {
  bool has_slack = true;  // kStringSlack more bytes can be read after each that is not null
  bool has_null = false;
  bool has_control = false;   // a control character of ASCII other than the tab
  bool has_c1 = false;        // 0xC2, with which control characters beyond ASCII begin
  bool has_high = false;      // a byte from 0x80 on
  std::uint32_t longest = 0;  // bytes, at most

  // The facts of strings that consist of these bytes, sizes and nulls aside.
  static StringFacts of(std::span<const std::uint8_t> bytes, bool has_slack);

  static constexpr StringFacts unknown() { return {false, true, true, true, true, UINT32_MAX}; }
  // Makes them those of all strings of both.
  void add(const StringFacts& other) {
    has_slack &= other.has_slack;
    has_null |= other.has_null;
    has_control |= other.has_control;
    has_c1 |= other.has_c1;
    has_high |= other.has_high;
    longest = std::max(longest, other.longest);
  }
};

}  // namespace steno
