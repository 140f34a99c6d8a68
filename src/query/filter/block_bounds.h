// The bounds that conditions set to times and levels: blocks without any such record need not be read.
#pragma once

#include <cstdint>

#include "query/filter/expression.h"
#include "query/filter/time_spec.h"
#include "reader/log_file.h"

namespace steno::query {

// Records outside of both do not satisfy the condition; records within may or may not.
struct BlockBounds {
  TimeSpan span;
  std::uint8_t levels = 0xFF;  // bit n: level n may; bit 7: a level that is not known may

  BlockBounds and_also(const BlockBounds& other) const;
  BlockBounds or_else(const BlockBounds& other) const;
  // False: no record of the block is within. From the block's entry alone.
  bool may_have(const reader::LogFile& file, const reader::BlockEntry& entry) const;
};

BlockBounds bounds_of(const Expression& expression);

}  // namespace steno::query
