// Columns of strings that show bytes which are in another one of their group, or in themselves, in hexadecimal digits
// (file.md §9.6.2), for FollowingColumns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/following_columns.h"
#include "format/strings/codec.h"
#include "format/strings/shown/column.h"

namespace steno::format {

// It takes a look at some strings of a column.
class ShownStringsOfBytes {
 public:
  using Source = StringSource;
  using Context = const StringContext&;
  struct Way {
    std::size_t other = 0;  // as in ShownColumn
    std::string tail;
  };
  static constexpr std::size_t kMostKnown = 256;

  static void begin(std::size_t) {}
  static bool may_follow(std::span<const StringSource> sources, std::size_t k, const StringContext&);
  static TrialUse next(CodecTrial& trial, std::size_t count, const StringContext& context) {
    return use_in_time(trial, count, context);
  }
  // Where most of some strings have their digits, and what comes after their characters.
  [[nodiscard]] static bool find(std::span<const StringSource> sources, std::size_t k, std::size_t size,
                                 std::span<const std::size_t> others, Way* way);
  [[nodiscard]] bool append(std::span<const StringSource> sources, std::size_t k, const Way& way,
                            const StringContext& context, ByteBuffer& out);
  static bool still_suits(std::size_t, std::size_t, double) { return true; }
  static bool is_one(std::span<const std::uint8_t> column) { return is_shown(column); }

 private:
  std::vector<StringRef> fronts_;
  std::vector<std::uint32_t> characters_;
};

using ShownColumns = FollowingColumns<ShownStringsOfBytes>;

}  // namespace steno::format
